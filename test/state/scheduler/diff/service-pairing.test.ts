import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Pair } from '../../../../state/scheduler/diff/pairing.ts'
import { bySimilarity } from '../../../../state/scheduler/diff/service-pairing.ts'

interface Named {
  readonly Name: string
  readonly PortLabel: string
}

const services = fc.array(
  fc.record({ Name: fc.constantFrom('a', 'b', 'c'), PortLabel: fc.constantFrom('x', 'y', 'z') }),
  { maxLength: 7 },
)

/** Implements the rule literally: every old service is compared with all unpaired new ones. */
function pairsByScore(old: readonly Named[], next: readonly Named[]): Pair[] {
  const taken = new Set<number>()
  const pairs = old.map((service, position): Pair => {
    const scores = next.map((other, at) => {
      if (taken.has(at)) return 0
      const label = service.PortLabel === other.PortLabel ? 2 : 0
      const name = service.Name === other.Name ? 3 : 0
      return label + name + (at === position ? 1 : 0)
    })
    const most = Math.max(0, ...scores)
    if (most <= 2) return [service, undefined]
    taken.add(scores.indexOf(most))
    return [service, next[scores.indexOf(most)]]
  })
  const added = next.filter((_, at) => !taken.has(at))
  return [...pairs, ...added.map((service): Pair => [undefined, service])]
}

test('services pair as by comparing all with all (behaviour/scheduler#diff, Service)', () => {
  fc.assert(
    fc.property(services, services, (old, next) => {
      const pairs = bySimilarity(old, next)
      const expected = pairsByScore(old, next)
      expect(pairs).toHaveLength(expected.length)
      for (const [at, [before, after]] of pairs.entries()) {
        expect(before).toBe(expected[at]?.[0])
        expect(after).toBe(expected[at]?.[1])
      }
    }),
    { numRuns: 1000 },
  )
})
