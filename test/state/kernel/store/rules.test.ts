import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { defineRule } from '../../../../state/kernel/store/rules.ts'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import type { ServiceDefinition } from '../../../../state/kernel/worlds/service.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import {
  fish,
  garden,
  notes,
  plants,
  pond,
  start,
  testWorld,
  testWorlds,
} from '../../../support/kernel.ts'

/**
 * Returns test services with two rules: a note counts the plants, and a fish repeats the note.
 * `held` lists the calls of both rules.
 */
function ruled() {
  const held: string[] = []
  const census = defineRule({
    name: 'garden.census',
    tables: [plants],
    apply(world: World, changes) {
      held.push(`census ${changes.map(({ key }) => key).join()}`)
      if (changes.some(({ after }) => after?.height === 13)) throw new Error('no plant has 13')
      world.table(notes).put('census', { text: `${world.table(plants).size} plants` })
    },
  })
  const echo = defineRule({
    name: 'garden.echo',
    tables: [notes, plants],
    apply(world: World, changes) {
      held.push(`echo ${changes.map(({ key }) => key).join()}`)
      world.table(fish).put('echo', { name: world.table(notes).get('census')?.text ?? '' })
    },
  })
  const services: ServiceDefinition[] = [{ ...garden, rules: [census, echo] }, pond]
  return { held, settings: { services } }
}

const plant = (world: World, id: string, height = 1) =>
  world.table(plants).put(id, { id, height, state: 'growing' })

const counted = (world: World) => [
  world.table(notes).get('census')?.text,
  world.table(fish).get('echo')?.name,
]

describe('behaviour/program#store: a rule that must hold after each commit', () => {
  test('runs once per transaction, after its work and before the commit, in order', () => {
    const { held, settings } = ruled()
    const world = testWorld(settings)
    held.length = 0
    const { sequence } = world.store
    world.write(() => {
      plant(world, 'elm')
      world.write(() => plant(world, 'ash'))
      plant(world, 'elm', 2)
      expect(held).toEqual([])
    })
    expect(held).toEqual(['census elm,ash,elm', 'echo elm,ash,elm,census'])
    expect(counted(world)).toEqual(['3 plants', '3 plants'])
    expect(world.store.sequence).toBe(sequence + 1)
  })

  test('runs for requests and due jobs, and only for writes to its tables', () => {
    const { held, settings } = ruled()
    const world = testWorld(settings)
    held.length = 0
    world.request(() => world.table(fish).put('carp', { name: 'carp' }))
    world.write(() => world.agenda.schedule({ at: start + 5, job: 'garden.grow', id: 'oak' }))
    world.request(() => plant(world, 'elm'))
    expect(held).toEqual(['census elm', 'echo elm,census'])
    world.advance(5)
    expect(held.slice(2)).toEqual(['census oak', 'echo oak,census'])
  })

  test('sees only committed changes: parts that were rolled back are not changes', () => {
    const { held, settings } = ruled()
    const world = testWorld(settings)
    held.length = 0
    world.write(() => {
      plant(world, 'elm')
      expect(() =>
        world.write(() => {
          plant(world, 'ash')
          throw new Error('undone')
        }),
      ).toThrow('undone')
    })
    expect(held[0]).toBe('census elm')
    held.length = 0
    expect(() =>
      world.write(() => {
        plant(world, 'fir')
        throw new Error('undone')
      }),
    ).toThrow('undone')
    expect(world.dryRun(() => plant(world, 'fir'))).toBeUndefined()
    expect(held).toEqual([])
  })

  test('a failing rule rolls back the transaction and its ids', () => {
    const { settings } = ruled()
    const world = testWorld(settings)
    const before = exportWorld(world)
    const grow = () => {
      plant(world, world.ids.uuid())
      plant(world, 'elm', 13)
    }
    expect(() => world.request(grow)).toThrow('no plant has 13')
    expect(exportWorld(world)).toEqual(before)
    expect(() =>
      world.request(() => {
        plant(world, 'elm', 13)
        throw new Refusal('invalid', 'kept').commitWrites()
      }),
    ).toThrow('no plant has 13')
    expect(exportWorld(world)).toEqual(before)
  })

  test('holds after a refusal with commitWrites, and after writes by commitNow', () => {
    const { held, settings } = ruled()
    const world = testWorld(settings)
    held.length = 0
    expect(() =>
      world.request(() => {
        world.commitNow(() => plant(world, 'ash'))
        expect(counted(world)).toEqual(['2 plants', '2 plants'])
        plant(world, 'elm')
        throw new Refusal('invalid', 'kept').commitWrites()
      }),
    ).toThrow('kept')
    expect(counted(world)).toEqual(['3 plants', '3 plants'])
    expect(held).toEqual(['census ash', 'echo ash,census', 'census elm', 'echo elm,census'])
  })

  test('holds in a fresh world and after fixtures in short form', () => {
    const { settings } = ruled()
    expect(counted(testWorld(settings))).toEqual(['1 plants', '1 plants'])
    const document = { garden: { heights: { elm: 4 } } }
    expect(counted(testWorld({ ...settings, document }))).toEqual(['2 plants', '2 plants'])
  })

  test('does not change an imported state', () => {
    const { settings } = ruled()
    const world = testWorld(settings)
    world.write(() => plant(world, 'elm'))
    const document = exportWorld(world)
    expect(exportWorld(testWorld({ ...settings, document }))).toEqual(document)
    const odd = { tables: { notes: { census: { text: 'many' } } } }
    expect(counted(testWorld({ ...settings, document: { ...document, garden: odd } }))[0]).toBe(
      'many',
    )
  })

  test('keeps its writes through reset, snapshot, restore and fork', () => {
    const { held, settings } = ruled()
    const worlds = testWorlds(settings)
    const world = worlds.default
    world.write(() => plant(world, 'elm'))
    const fork = worlds.create({ from: 'default' })
    const snapshot = world.snapshot()
    held.length = 0
    world.reset()
    expect(counted(world)).toEqual(['1 plants', '1 plants'])
    world.restore(snapshot)
    expect([counted(world), counted(fork)]).toEqual([
      ['2 plants', '2 plants'],
      ['2 plants', '2 plants'],
    ])
    expect(held).toEqual([])
    fork.write(() => plant(fork, 'ash'))
    expect([counted(fork)[0], counted(world)[0]]).toEqual(['3 plants', '2 plants'])
  })

  test('wakes the watchers of rows that it writes', () => {
    const { settings } = ruled()
    const world = testWorld(settings)
    let woken = 0
    world
      .observe(() => world.table(fish).get('echo'))
      .observation.watch(() => {
        woken += 1
      })
    world.write(() => plant(world, 'elm'))
    expect(woken).toBe(1)
  })
})
