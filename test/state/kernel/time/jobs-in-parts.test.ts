import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { InParts } from '../../../../state/kernel/parts.ts'
import { transactPart } from '../../../../state/kernel/store/draft.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { garden, notes, plants, start, testStore, testWorld } from '../../../support/kernel.ts'
import { countTurns, slowClock } from '../../../support/turns.ts'

/** Writes 20 notes with ids, with a pause after each, and a plant at last. */
function* writeNotes(world: World): InParts<void> {
  for (let at = 0; at < 20; at += 1) {
    world.table(notes).put(String(at), { text: world.ids.uuid() })
    yield
  }
  const height = world.table(notes).size
  world.table(plants).put('note', { id: world.ids.uuid(), height, state: 'growing' })
}

/** Returns a world with a job in parts that is due now. */
function worldInParts(settings: Partial<ConstructorParameters<typeof World>[0]> = {}) {
  const started = { count: 0 }
  const parted = {
    ...garden,
    jobs: {
      ...garden.jobs,
      'garden.parts': (world: World) => {
        started.count += 1
        return writeNotes(world)
      },
      *'garden.broken'(world: World) {
        yield* writeNotes(world)
        throw new Error('broken at last')
      },
    },
  }
  const world = testWorld({ services: [parted], ...settings })
  onTestFinished(() => world.close())
  const schedule = (job = 'garden.parts') =>
    world.write(() => world.agenda.schedule({ at: world.clock.now(), job, id: 'a' }))
  return { world, started, schedule }
}

const contentOf = (world: World) => ({
  notes: [...world.table(notes).entries()],
  plants: [...world.table(plants).entries()],
  index: world.store.index('garden'),
  sequence: world.store.sequence,
  jobs: [...world.agenda.all()],
  ids: world.ids.state,
})

/** Returns the content of the world after the job ran without a pause. */
function withoutPause() {
  const { world, schedule } = worldInParts()
  schedule()
  world.runDueJobs()
  return contentOf(world)
}

describe('behaviour/program#bounds: a job in parts is one transaction', () => {
  test('until it has finished, readers see the world as it was before', async () => {
    const whole = withoutPause()
    const { world, schedule, started } = worldInParts()
    schedule()
    const before = contentOf(world)
    slowClock(6)
    let pauses = 0
    while (!world.runDueJobs(1)) {
      pauses += 1
      expect(contentOf(world)).toEqual(before)
      expect(world.snapshot().store.tables.get(notes.id)).toBeUndefined()
    }
    expect(pauses).toBeGreaterThan(5)
    expect(started.count).toBe(1)
    expect(contentOf(world)).toEqual(whole)
  })

  test('requests wait for it in order, and others have a turn in between', async () => {
    const { world, schedule } = worldInParts()
    schedule()
    slowClock(6)
    const order: string[] = []
    const readTwice = () =>
      Promise.all(
        [1, 2].map(async (at) => {
          const size = await world.request(() => world.table(notes).size)
          order.push(`${at}: ${size}`)
        }),
      )
    const turns = await countTurns(readTwice)
    expect(order).toEqual(['1: 20', '2: 20'])
    expect(turns).toBeGreaterThan(5)
  })

  test('a commit in between restarts it; after three restarts it runs without a pause', () => {
    const { world, schedule, started } = worldInParts()
    schedule()
    slowClock(6)
    for (let restarts = 0; restarts < 3; restarts += 1) {
      expect(world.runDueJobs(1)).toBe(false)
      world.write(() => world.table(notes).put(`other ${restarts}`, { text: 'other' }))
    }
    expect(world.runDueJobs(1)).toBe(true)
    expect(started.count).toBe(4)
    expect(world.table(notes).size).toBe(23)
    expect(world.table(plants).get('note')?.height).toBe(23)
  })

  test('a restore restarts it', () => {
    const { world, schedule, started } = worldInParts()
    schedule()
    const snapshot = world.snapshot()
    slowClock(6)
    expect(world.runDueJobs(1)).toBe(false)
    world.restore(snapshot)
    while (!world.runDueJobs(1));
    expect(started.count).toBe(2)
    expect(world.table(notes).size).toBe(20)
  })

  test('an exception in any part leaves nothing behind', () => {
    const errors: unknown[] = []
    const { world, schedule } = worldInParts({ onError: (error) => errors.push(error) })
    schedule('garden.broken')
    const { ids } = contentOf(world)
    slowClock(6)
    while (!world.runDueJobs(1));
    expect(errors).toEqual([new Error('broken at last')])
    expect(contentOf(world)).toMatchObject({ notes: [], jobs: [], ids })
  })

  test('the clock of the world stands still while a job in parts runs', async () => {
    const { world, schedule } = worldInParts()
    schedule()
    slowClock(6)
    const { fired } = await world.advanceInTurns(1000, { limit: 10 })
    expect(fired).toEqual([{ at: start, kind: 'garden.parts', id: 'a' }])
    expect(world.table(notes).size).toBe(20)
    expect(world.clock.now()).toBe(start + 1000)
  })

  test('a store has the same content and feed after a transaction with and without pauses', () => {
    const write = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      text: fc.option(fc.constantFrom('x', 'y')),
      pauses: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(write, { maxLength: 12 }), (writes) => {
        const [paused, whole] = [testStore(), testStore()]
        for (const store of [paused, whole]) {
          store.transact(() => store.table(notes).put('a', { text: 'first' }))
          store.feed.retain()
        }
        const apply = (store: typeof whole, { key, text }: (typeof writes)[number]) => {
          if (text === null) store.table(notes).delete(key)
          else store.table(notes).put(key, { text })
        }
        whole.transact(() => {
          for (const each of writes) apply(whole, each)
        })
        const rest = [...writes]
        const part = () => {
          for (let each = rest.shift(); each !== undefined; each = rest.shift()) {
            apply(paused, each)
            if (each.pauses) return true
          }
          return false
        }
        let draft = transactPart(paused, part)
        while (draft !== undefined) {
          expect([...paused.table(notes).entries()]).toEqual([['a', { text: 'first' }]])
          draft = transactPart(paused, part, draft)
        }
        expect([...paused.table(notes).entries()]).toEqual([...whole.table(notes).entries()])
        const changes = (store: typeof whole) =>
          store.feed.since(1)?.map((commit) => commit.changes.map(({ key, after }) => [key, after]))
        expect(changes(paused)).toEqual(changes(whole))
        expect(paused.index('garden')).toBe(whole.index('garden'))
      }),
      { numRuns: 30 },
    )
  })
})
