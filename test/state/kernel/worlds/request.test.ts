import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { defineTable } from '../../../../state/kernel/store/table.ts'
import { defer, mapResult } from '../../../../state/kernel/worlds/deferred.ts'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import type { World } from '../../../../state/kernel/worlds/world.ts'
import { notes, plants, start, testWorld } from '../../../support/kernel.ts'

const shelves = defineTable<{ readonly place: string }>()({
  service: 'garden',
  name: 'shelves',
  secrets: 'none',
  schema: { type: 'object' },
  indexes: { byPlace: ({ place }, key) => `${place}/${key}` },
})

/** Returns everything that a request may have changed. */
const traceOf = (world: World) => ({
  document: JSON.stringify(exportWorld(world)),
  shelves: [...world.table(shelves).index('byPlace').entries()],
  sequence: world.store.sequence,
  commits: world.store.commits,
})

type Step =
  | { readonly put: string; readonly key: string }
  | { readonly remove: string }
  | { readonly draw: number }
  | { readonly schedule: number }
  | { readonly nested: readonly Step[]; readonly fails: boolean }

const key = fc.constantFrom('a', 'b', 'c')
const { steps } = fc.letrec<{ steps: Step[]; step: Step }>((tie) => ({
  step: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({ put: fc.constantFrom('oak', 'elm'), key }),
    fc.record({ remove: key }),
    fc.record({ draw: fc.nat(3) }),
    fc.record({ schedule: fc.nat(1e6) }),
    fc.record({ nested: tie('steps'), fails: fc.boolean() }),
  ),
  steps: fc.array(tie('step'), { maxLength: 5 }),
}))

function take(world: World, steps: readonly Step[]): void {
  for (const step of steps) {
    if ('put' in step) {
      world.table(shelves).put(step.key, { place: step.put })
      world.table(notes).put(step.key, { text: step.put })
    } else if ('remove' in step) world.table(shelves).delete(step.remove)
    else if ('draw' in step) world.ids.hex(step.draw)
    else if ('schedule' in step) {
      const at = start + 1e9 + step.schedule
      world.agenda.schedule({ at, job: 'garden.note', id: String(step.schedule) })
    } else {
      try {
        world.write(() => {
          take(world, step.nested)
          if (step.fails) throw new Error('inner')
        })
      } catch {
        // The error is ignored, as by an operation that recovers from a failed write.
      }
    }
  }
}

const refusal = () => new Refusal('conflict', 'no')

describe('behaviour/program#worlds: requests are atomic', () => {
  test('a refused request leaves nothing behind: no row, no index entry, no drawn number', () => {
    fc.assert(
      fc.property(steps, steps, fc.boolean(), (before, during, expected) => {
        const world = testWorld()
        world.table(shelves)
        world.request(() => take(world, before))
        const trace = traceOf(world)
        const thrown = expected ? refusal() : new Error('unexpected')
        const refused = () =>
          world.request(() => {
            take(world, during)
            throw thrown
          })
        expect(refused).toThrow(thrown)
        expect(traceOf(world)).toEqual(trace)
      }),
    )
  })

  test('a refusal with commitWrites leaves the same rows as a request that is not refused', () => {
    fc.assert(
      fc.property(steps, (during) => {
        const [refused, answered] = [testWorld(), testWorld()]
        for (const world of [refused, answered]) world.table(shelves)
        const refuse = () =>
          refused.request(() =>
            refused.write(() => {
              take(refused, during)
              throw refusal().commitWrites()
            }),
          )
        expect(refuse).toThrow('no')
        answered.request(() => take(answered, during))
        expect(traceOf(refused)).toEqual(traceOf(answered))
      }),
    )
  })

  test('all writes of a request share an index, which is known before the commit', () => {
    const world = testWorld()
    const before = world.store.index('garden')
    const indexes = world.request(() => {
      world.write(() => world.table(notes).put('a', { text: '1' }))
      world.write(() => world.table(notes).put('b', { text: '2' }))
      return [world.store.writtenIndex('garden'), world.store.writtenIndex('pond')]
    })
    expect(indexes).toEqual([before + 1, world.store.index('pond')])
    expect(world.store.index('garden')).toBe(before + 1)
  })

  test('due jobs run first, and their effects stay if the request is refused', () => {
    const world = testWorld()
    world.write(() => world.agenda.schedule({ at: start - 1, job: 'garden.note', id: 'due' }))
    const seen: unknown[] = []
    const refused = () =>
      world.request(() => {
        seen.push(world.table(notes).get('due'))
        throw refusal()
      })
    expect(refused).toThrow('no')
    expect(seen).toEqual([{ text: `due ${start - 1}, done ${start}` }])
    expect(world.table(notes).has('due')).toBe(true)
  })

  test('writes of commitNow stay, and must come first', () => {
    const world = testWorld()
    const put = (name: string) => world.table(notes).put(name, { text: name })
    const refused = () =>
      world.request(() => {
        world.commitNow(() => put('use of a token'))
        put('what was asked')
        throw refusal()
      })
    expect(refused).toThrow('no')
    expect([...world.table(notes).rows()]).toEqual([{ text: 'use of a token' }])
    const late = () =>
      world.request(() => {
        put('first')
        world.commitNow(() => put('late'))
      })
    expect(late).toThrow('something is written already')
    expect(world.table(notes).size).toBe(1)
  })

  test('a dry run returns the result and leaves nothing behind', () => {
    const world = testWorld()
    const trace = traceOf(world)
    const drawn = world.dryRun(() => {
      world.write(() => world.table(notes).put('a', { text: 'x' }))
      return [world.ids.uuid(), world.table(notes).size]
    })
    expect(traceOf(world)).toEqual(trace)
    expect([world.ids.uuid(), 1]).toEqual(drawn)
    expect(() =>
      world.dryRun(() => {
        throw refusal()
      }),
    ).toThrow('no')
  })
})

describe('behaviour/program#worlds: requests that do something outside their world', () => {
  const put = (world: World, name: string) => world.table(notes).put(name, { text: name })

  test('commit before it, and continue with its result, in steps that are atomic each', async () => {
    const world = testWorld()
    const seen: unknown[] = []
    const answer = world.request(() => {
      put(world, 'first')
      return defer(
        async () => {
          seen.push(world.store.isInTransaction, world.table(notes).has('first'))
          return 'mail'
        },
        (mail) => {
          seen.push(mail, world.store.isInTransaction)
          put(world, 'second')
          return defer(
            async () => 7,
            (number) => `${mail} ${number}`,
          )
        },
      )
    })
    expect(await answer).toBe('mail 7')
    expect(seen).toEqual([false, true, 'mail', true])
    expect(Array.from(world.table(notes).rows(), ({ text }) => text)).toEqual(['first', 'second'])
  })

  test('a refusal afterwards rolls back only its own step', async () => {
    const world = testWorld()
    const before = world.ids.state
    const answer = world.request(() => {
      put(world, 'first')
      return defer(
        async () => {},
        () => {
          world.ids.uuid()
          put(world, 'second')
          throw refusal()
        },
      )
    })
    await expect(answer).rejects.toThrow('no')
    expect(Array.from(world.table(notes).rows(), ({ text }) => text)).toEqual(['first'])
    expect(world.ids.state).toEqual(before)
  })

  test('a failure outside becomes the reply', async () => {
    const world = testWorld()
    const failing = async (): Promise<number> => {
      throw refusal()
    }
    await expect(world.request(() => defer(failing, () => 'never'))).rejects.toThrow('no')
  })

  test('jobs that are due by then run before the next step', async () => {
    const world = testWorld()
    world.write(() => world.agenda.schedule({ at: start + 5, job: 'garden.grow', id: 'oak' }))
    const height = world.table(plants).get('oak')?.height ?? 0
    const answer = world.request(() =>
      defer(
        async () => world.clock.moveTo(start + 10),
        () => world.table(plants).get('oak')?.height,
      ),
    )
    expect(await answer).toBe(height + 1)
  })

  test('a result can be mapped whether it is deferred or not', async () => {
    const world = testWorld()
    const double = (n: number) => 2 * n
    expect(world.request(() => mapResult(4, double))).toBe(8)
    const later = () =>
      defer(
        async () => 1,
        (one) =>
          defer(
            async () => one + 1,
            (two) => two + 1,
          ),
      )
    expect(await world.request(() => mapResult(later(), double))).toBe(6)
  })
})
