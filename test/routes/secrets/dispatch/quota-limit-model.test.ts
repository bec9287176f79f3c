import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createQuotaLimit } from '../../../../routes/secrets/dispatch/quota-limit.ts'
import { Refusal } from '../../../../state/kernel/refusal.ts'
import { writeRateLimit } from '../../../../state/secrets/quotas/quotas.ts'
import { freshWorld } from '../../../state/secrets/fresh-world.ts'

/** Settings of a quota: requests per interval, and intervals in seconds. */
interface Quota {
  readonly rate: number
  readonly interval: number
  readonly block_interval: number
}

/** The requests of one address under one quota. Instants in milliseconds since the start. */
class Model {
  readonly #quota: Quota
  readonly #served: number[] = []
  #first: number | undefined
  #blockedUntil = 0

  constructor(quota: Quota) {
    this.#quota = quota
  }

  /** Returns whether a request at an instant is served: intervals begin with the first request. */
  request(at: number): boolean {
    const { rate, interval, block_interval } = this.#quota
    this.#first ??= at
    const first = this.#first
    const intervalOf = (instant: number) => Math.floor((instant - first) / (interval * 1000))
    const inInterval = this.#served.filter((each) => intervalOf(each) === intervalOf(at)).length
    if (at < this.#blockedUntil) return false
    if (inInterval < rate) {
      this.#served.push(at)
      return true
    }
    this.#blockedUntil = at + block_interval * 1000
    return false
  }
}

const peers = ['10.0.0.1', '10.0.0.2']
const quota = fc.record({
  rate: fc.integer({ min: 1, max: 3 }),
  interval: fc.integer({ min: 1, max: 3 }),
  block_interval: fc.constantFrom(0, 0, 2, 5),
})

type Step =
  | { readonly kind: 'request'; readonly peer: string }
  | { readonly kind: 'advance'; readonly by: number }
  | { readonly kind: 'change'; readonly quota: Quota }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('request'), peer: fc.constantFrom(...peers) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('advance'),
      by: fc.constantFrom(1, 300, 999, 1000, 2500, 7000),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change'), quota }) },
)

describe('any history of requests under a rate limit (behaviour/secrets#quotas)', () => {
  test('the windows of each address follow the clock, and a changed quota resets them', () => {
    fc.assert(
      fc.property(quota, fc.array(step, { maxLength: 40 }), (initial, steps) => {
        const world = freshWorld()
        const limit = createQuotaLimit()
        const served = (peer: string) => {
          const request = { world, path: 'secret/data/a', peer, namespaceHeader: '' }
          try {
            limit({ ...request, http: { body: undefined }, quotaHeaders: undefined })
            return true
          } catch (error) {
            if (error instanceof Refusal) return false
            throw error
          }
        }
        let now = 0
        let models = new Map<string, Model>()
        const apply = (changed: Quota) => {
          writeRateLimit(world, { name: 'q', path: '', role: '', ...changed })
          models = new Map(peers.map((peer) => [peer, new Model(changed)]))
        }
        apply(initial)
        for (const each of steps) {
          if (each.kind === 'change') apply(each.quota)
          else if (each.kind === 'advance') {
            now += each.by
            world.advance(each.by)
          } else expect(served(each.peer)).toBe(models.get(each.peer)?.request(now))
        }
      }),
      { numRuns: 100 },
    )
  })
})
