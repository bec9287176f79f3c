import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { InParts } from '../../../../state/kernel/parts.ts'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { notes, testWorld } from '../../../support/kernel.ts'
import { countTurns, slowClock } from '../../../support/turns.ts'

function quietWorld(): World {
  const world = testWorld({ seed: 'parts' })
  onTestFinished(() => world.close())
  return world
}

/** Returns a request that draws an id in each part, and writes all of them. */
function drawing(world: World, parts: number, log: string[] = []) {
  return (): readonly string[] => {
    log.push('begins')
    const before = world.ids.hex(4)
    const ids = Array.from({ length: parts }, () => world.part(() => world.ids.hex(4)))
    const all = [before, ...ids, world.ids.hex(4)]
    world.table(notes).put('ids', { text: all.join() })
    return all
  }
}

describe('behaviour/program#bounds: long requests in parts', () => {
  test('a short request is answered at once', () => {
    const world = quietWorld()
    expect(world.request(drawing(world, 3))).toHaveLength(5)
  })

  test('a long request gives others a turn, and draws the same ids as without interruption', async () => {
    const uninterrupted = quietWorld()
    const expected = uninterrupted.write(drawing(uninterrupted, 20))
    slowClock(15)
    const world = quietWorld()
    const log: string[] = []
    const turns = await countTurns(async () => {
      expect(await world.request(drawing(world, 20, log))).toEqual(expected)
    })
    expect(world.table(notes).get('ids')?.text).toBe(expected.join())
    expect(world.ids.state).toEqual(uninterrupted.ids.state)
    expect(log.length).toBeGreaterThan(5)
    expect(turns).toBeGreaterThan(5)
  })

  test('work outside the thread runs once, and its failure ends the request', async () => {
    const world = quietWorld()
    const later = vi.fn(async () => 'prime')
    const work = () => world.part(() => 'at once', later)
    expect(await world.request(work)).toBe('prime')
    expect(later).toHaveBeenCalledTimes(1)
    // Outside a request nobody can wait.
    expect(world.write(work)).toBe('at once')
    const failed = vi.fn()
    const trace = { committed: () => {}, failed }
    const failing = () =>
      world.part(
        () => 0,
        () => Promise.reject(new Error('no thread')),
      )
    await expect(world.request(failing, trace)).rejects.toThrow('no thread')
    expect(failed).toHaveBeenCalledTimes(1)
  })

  test('requests of the world wait in order, and see its writes', async () => {
    const world = quietWorld()
    const order: string[] = []
    const slow = world.request(() => {
      const text = world.part(
        () => '',
        async () => 'slow',
      )
      world.table(notes).put('a', { text })
      order.push('slow')
    })
    const next = world.request(() => {
      order.push(`reads ${world.table(notes).get('a')?.text}`)
      throw new Refusal('invalid', 'refused')
    })
    const last = world.request(() => order.push('last'))
    expect(order).toEqual([])
    await expect(next).rejects.toThrow('refused')
    await Promise.all([slow, last])
    expect(order).toEqual(['slow', 'reads slow', 'last'])
    expect(world.request(() => 'at once')).toBe('at once')
  })

  test('a commit of the request is made once', async () => {
    const world = quietWorld()
    const uses = () => Number(world.table(notes).get('uses')?.text ?? 0)
    await world.request(() => {
      world.commitNow(() => world.table(notes).put('uses', { text: String(uses() + 1) }))
      world.part(
        () => 0,
        async () => 0,
      )
    })
    expect(uses()).toBe(1)
  })

  test('a change by others restarts earlier parts; after several restarts the request runs without a pause', async () => {
    const world = quietWorld()
    let changes = 0
    const text = await world.request(() =>
      world.part(
        () => `now ${changes}`,
        async () => {
          changes += 1
          world.write(() => world.table(notes).put('others', { text: String(changes) }))
          return `later ${changes}`
        },
      ),
    )
    expect(text).toBe('now 3')
  })

  describe('parts that write', () => {
    function* writeNotes(world: World): InParts<string> {
      for (let at = 0; at < 20; at += 1) {
        world.table(notes).put(String(at), { text: world.ids.hex(4) })
        yield
      }
      return `${world.table(notes).size} notes`
    }

    /** Runs a request, and returns what others see of its notes in each turn. */
    async function seenWhile<T>(world: World, work: () => T) {
      const seen: number[] = []
      const look = () => {
        seen.push(world.table(notes).size)
        timer = setImmediate(look)
      }
      let timer = setImmediate(look)
      const result = await world.request(work)
      clearImmediate(timer)
      return { result, seen }
    }

    const rowsOf = (world: World) => [...world.table(notes).entries()]

    test('are one commit, with the same rows and ids as without a pause', async () => {
      const whole = quietWorld()
      const firstId = whole.ids.hex(4)
      whole.inParts(() => writeNotes(whole), 'kept')
      slowClock(15)
      const world = quietWorld()
      const { commits } = world.store
      const { result, seen } = await seenWhile(world, () => {
        const first = world.part(() => world.ids.hex(4))
        const text = world.inParts(() => writeNotes(world), 'kept')
        // The writes would be lost if this part interrupted the request.
        return world.part(() => `${first} ${text}`)
      })
      expect(result).toBe(`${firstId} 20 notes`)
      expect(seen.length).toBeGreaterThan(5)
      expect(new Set(seen.slice(0, -1))).toEqual(new Set([0]))
      expect(world.store.commits).toBe(commits + 1)
      expect(rowsOf(world)).toEqual(rowsOf(whole))
      expect(world.ids.state).toEqual(whole.ids.state)
    })

    test('leave nothing behind if the writes are undone, not even ids', async () => {
      const world = quietWorld()
      const { commits } = world.store
      const idState = world.ids.state
      slowClock(15)
      const { result, seen } = await seenWhile(world, () => {
        const text = world.inParts(() => writeNotes(world), 'undone')
        return `${text} ${world.part(() => world.table(notes).size)}`
      })
      expect(result).toBe('20 notes 0')
      expect(new Set(seen)).toEqual(new Set([0]))
      expect(world.store.commits).toBe(commits)
      expect(world.ids.state).toEqual(idState)
    })

    test.each(['commit', 'restore'])('restart after a %s by others', async (change) => {
      const world = quietWorld()
      const before = world.snapshot()
      slowClock(15)
      let begins = 0
      const result = world.request(() => {
        const start = () => {
          begins += 1
          return writeNotes(world)
        }
        return world.inParts(start, 'kept')
      })
      if (change === 'restore') world.restore(before)
      else world.write(() => world.table(notes).put('other', { text: 'other' }))
      expect(await result).toBe(change === 'restore' ? '20 notes' : '21 notes')
      expect(begins).toBe(2)
    })

    test('do not pause in a request that has written before', () => {
      const world = quietWorld()
      slowClock(15)
      const text = world.request(() => {
        world.table(notes).put('first', { text: 'first' })
        return world.inParts(() => writeNotes(world), 'kept')
      })
      expect(text).toBe('21 notes')
    })

    test('change nothing if the request is refused after a pause', async () => {
      const world = quietWorld()
      slowClock(15)
      const idState = world.ids.state
      const result = world.request(() => {
        world.inParts(() => writeNotes(world), 'kept')
        throw new Refusal('invalid', 'refused at last')
      })
      await expect(result).rejects.toThrow('refused at last')
      expect(rowsOf(world)).toEqual([])
      expect(world.ids.state).toEqual(idState)
    })
  })
})
