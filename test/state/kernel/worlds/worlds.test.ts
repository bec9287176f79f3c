import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import type { Worlds } from '../../../../state/kernel/worlds/worlds.ts'
import { gardenOptions, notes, plants, start, testWorlds } from '../../../support/kernel.ts'

const text = (world: World) => JSON.stringify(exportWorld(world))
const note = (world: World, value: string) =>
  world.write(() => world.table(notes).put('n', { text: value }))
const heightOf = (world: World, key = 'oak') => world.table(plants).get(key)?.height

describe('behaviour/program#worlds: many worlds', () => {
  test('the default world exists from the start, other worlds once they are created', () => {
    const worlds = testWorlds()
    expect(worlds.list().map(({ id }) => id)).toEqual(['default'])
    const made = worlds.create({ id: 'w' })
    expect(worlds.get('w')).toBe(made)
    expect(worlds.find('x')).toBeUndefined()
    expect(() => worlds.get('x')).toThrow(new Refusal('absent', 'there is no world "x"'))
    expect(worlds.list()).toEqual([worlds.default, made])
  })

  // choice/process#world-beginning
  test('a world starts like the default one, and shares no mutable state with it', () => {
    const worlds = testWorlds({ document: { garden: { heights: { elm: 1 } } } })
    worlds.default.write(() => worlds.default.table(plants).deleteAll(''))
    worlds.default.advance(5000)
    const world = worlds.create()
    expect(Array.from(world.table(plants).entries(), ([key]) => key)).toEqual(['elm', 'oak'])
    expect(world.clock.now()).toBe(start)
    note(world, 'x')
    expect(worlds.default.table(notes).size).toBe(0)
    expect(world.ids.state).not.toEqual(worlds.default.ids.state)
  })

  test('an unused world shares all its content with the default one', () => {
    const worlds = testWorlds({ document: { garden: { heights: { elm: 1 } } } })
    const beginning = worlds.default.snapshot().store
    const [world, other] = [worlds.create(), worlds.create()]
    expect(world.snapshot().store).toBe(beginning)
    const { world: _, ...state } = exportWorld(worlds.default)
    expect(exportWorld(world)).toMatchObject(state)
    expect(world.snapshot().store).toBe(beginning)
    note(world, 'x')
    expect(other.snapshot().store).toBe(beginning)
    world.reset()
    expect(world.snapshot().store.tables).toBe(beginning.tables)
  })

  // choice/process#world-beginning
  test('a seeded process creates the same worlds each time, ids included', () => {
    const make = () => {
      const worlds = testWorlds()
      const made = [
        worlds.create(),
        worlds.create({ id: 'w' }),
        worlds.create({ document: { garden: { heights: { elm: 1 } } } }),
        worlds.create({ options: { garden: { depth: 1 } } }),
        worlds.create({ seed: 's' }),
      ]
      return made.map((world) => [world.id, text(world)])
    }
    const [first, second] = [make(), make()]
    expect(first).toEqual(second)
    expect(new Set(first.map(String)).size).toBe(5)
  })

  test('an unseeded process does not', () => {
    const state = () => testWorlds({ seed: undefined }).create().ids.state
    expect(state()).not.toEqual(state())
  })

  // choice/process#world-ids
  test('ids of worlds are checked and unique', () => {
    const worlds = testWorlds()
    worlds.create({ id: 'a.b_c-1' })
    const taken = new Refusal('conflict', 'there is a world "a.b_c-1" already')
    expect(() => worlds.create({ id: 'a.b_c-1' })).toThrow(taken)
    for (const id of ['', '.', 'a/b', 'ä', '-a', 'a'.repeat(101)]) {
      expect(() => worlds.create({ id })).toThrow(
        `"${id}" is not a world id: letters, digits, ".", "_" and "-" only`,
      )
    }
    expect(worlds.list().length).toBe(2)
  })
})

describe('behaviour/program#fresh-world: the start of a new world', () => {
  // choice/process#world-beginning
  test('another seed creates the start state again', () => {
    const worlds = testWorlds()
    const [a, b] = [worlds.create({ id: 'a', seed: 's' }), worlds.create({ id: 'b', seed: 's' })]
    expect(text(a)).toBe(text(b))
    expect(a.table(plants).get('oak')).not.toEqual(worlds.default.table(plants).get('oak'))
  })

  test("a clock can be given; a frozen one starts at the default world's instant otherwise", () => {
    const worlds = testWorlds({ clock: { mode: 'frozen' } })
    const began = worlds.default.clock.now()
    worlds.default.advance(1000)
    expect(worlds.create({ seed: 's' }).clock.now()).toBe(began)
    expect(worlds.create().clock.now()).toBe(began)
    expect(worlds.create({ clock: { mode: 'frozen', at: 5 } }).clock.now()).toBe(5)
  })

  // choice/process#options-order
  test('options shape its start state and take precedence over those of the process and of the fixtures', () => {
    const worlds = testWorlds({
      options: { garden: { soil: 'sand', depth: 1 } },
      document: { options: { garden: { depth: 2 } } },
    })
    expect(heightOf(worlds.default)).toBe(2)
    const world = worlds.create({ options: { garden: { depth: 9 } } })
    expect(heightOf(world)).toBe(9)
    expect(world.options(gardenOptions)).toEqual({ soil: 'sand', depth: 9 })
  })

  test('fixtures of the world replace those of the process', () => {
    const worlds = testWorlds({ document: { garden: { heights: { elm: 1 } } } })
    const world = worlds.create({ document: { garden: { heights: { fir: 2 } } } })
    expect([heightOf(world, 'elm'), heightOf(world, 'fir')]).toEqual([undefined, 2])
  })

  // choice/process#world-from
  test('a copy of another world leaves that world unchanged', () => {
    const worlds = testWorlds()
    note(worlds.default, 'x')
    worlds.default.advance(1000)
    const fork = worlds.create({ from: 'default' })
    expect(text(fork)).toBe(text(worlds.default))
    note(fork, 'y')
    expect(worlds.default.table(notes).get('n')).toEqual({ text: 'x' })
    fork.reset()
    expect(fork.table(notes).get('n')).toEqual({ text: 'x' })
  })

  test('a stored snapshot takes options, fixtures and clock on top', () => {
    const worlds = testWorlds()
    note(worlds.default, 'x')
    const { id } = worlds.snapshots.take(worlds.default)
    note(worlds.default, 'y')
    const fork = worlds.create({
      from: id,
      options: { garden: { soil: 'sand' } },
      document: { garden: { heights: { elm: 1 } } },
      clock: { mode: 'frozen', at: 77 },
    })
    expect(fork.table(notes).get('n')).toEqual({ text: 'x' })
    expect(fork.options(gardenOptions)).toEqual({ soil: 'sand', depth: 3 })
    expect([heightOf(fork, 'elm'), fork.clock.now()]).toEqual([1, 77])
  })

  test('an unknown source is refused, and no world is created', () => {
    const worlds = testWorlds()
    const absent = new Refusal('absent', 'there is no snapshot or world "x"')
    expect(() => worlds.create({ id: 'w', from: 'x' })).toThrow(absent)
    expect(() =>
      worlds.create({ id: 'w', document: { garden: { heights: { weed: 1 } } } }),
    ).toThrow('weeds are not planted')
    expect(worlds.find('w')).toBeUndefined()
  })
})

describe('behaviour/program#control-plane: ends of worlds and snapshots', () => {
  // choice/process#snapshots
  test('a deleted world disappears with its snapshots and wakes its waiters; the default one stays', () => {
    const worlds = testWorlds()
    const world = worlds.create({ id: 'w' })
    const kept = worlds.snapshots.take(world)
    const other = worlds.snapshots.take(worlds.default)
    let woken = 0
    world.store.watchers.watchPrefix('garden.notes', '', () => {
      woken += 1
    })
    worlds.delete('w')
    expect([worlds.find('w'), woken]).toEqual([undefined, 1])
    expect(() => worlds.snapshots.get(kept.id)).toThrow(
      new Refusal('absent', `there is no snapshot "${kept.id}"`),
    )
    expect(worlds.snapshots.get(other.id)).toBe(other)
    expect(() => worlds.delete('w')).toThrow(new Refusal('absent', 'there is no world "w"'))
    expect(() => worlds.delete('default')).toThrow(
      new Refusal('conflict', 'the default world cannot be deleted'),
    )
  })

  test('snapshots are listed by world, oldest first, until they are deleted', () => {
    const worlds = testWorlds()
    const first = worlds.snapshots.take(worlds.default)
    worlds.default.advance(1000)
    const second = worlds.snapshots.take(worlds.default)
    worlds.snapshots.take(worlds.create({ id: 'w' }))
    expect(worlds.snapshots.of('default')).toEqual([first, second])
    expect([first.takenAt, second.takenAt]).toEqual([start, start + 1000])
    worlds.snapshots.drop(first.id)
    expect(worlds.snapshots.of('default')).toEqual([second])
    expect(() => worlds.snapshots.drop(first.id)).toThrow(Refusal)
  })
})

describe('behaviour/program#fresh-world: import', () => {
  /** Imports a document into a world whose time and ids have moved on. */
  function imported(document: Parameters<Worlds['import']>[1]) {
    const worlds = testWorlds()
    note(worlds.default, 'old')
    worlds.default.advance(5000)
    worlds.import(worlds.default, document)
    return worlds.default
  }

  // choice/process#import
  test('replaces everything; omitted parts are as in a fresh world, but time and ids continue', () => {
    const world = imported({ garden: { heights: { elm: 4 } } })
    expect(world.table(notes).size).toBe(0)
    expect([heightOf(world), heightOf(world, 'elm')]).toEqual([3, 4])
    expect(world.clock.state).toEqual({ mode: 'frozen', at: start + 5000 })
    expect(world.ids.state).toEqual(testWorlds().default.ids.state)
  })

  test('takes time and ids from the document', () => {
    const world = imported({ world: { clock: { mode: 'real', offset: 7 }, ids: [1, 2, 3, 4] } })
    expect(world.clock.state).toEqual({ mode: 'real', offset: 7 })
    expect(world.ids.state).toEqual([1, 2, 3, 4])
  })

  test('of the same part produces the same bytes in a seeded world', () => {
    const once = () => text(imported({ garden: { heights: { elm: 4 } } }))
    expect(once()).toBe(once())
  })

  test('a refused import changes nothing', () => {
    const worlds = testWorlds()
    note(worlds.default, 'x')
    const before = text(worlds.default)
    expect(() => worlds.import(worlds.default, { garden: { heights: { weed: 1 } } })).toThrow(
      'weeds are not planted',
    )
    expect(text(worlds.default)).toBe(before)
  })

  // choice/process#import
  test('does not change the state to which a reset returns', () => {
    const world = imported({ garden: { heights: { elm: 4 } } })
    world.reset()
    expect([heightOf(world), heightOf(world, 'elm')]).toEqual([3, undefined])
  })
})
