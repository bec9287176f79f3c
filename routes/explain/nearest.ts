import type { StoredOf } from '../../state/kernel/shape/values.ts'
import { editDistance } from '../http/declare/similarity.ts'
import type { ExplainedRequest, OperationAddress } from '../http/journal-hooks/api-explanations.ts'
import { segmentsOf } from '../journal/diagnosis.ts'
import type { nearestShape } from './explain-shapes.ts'

/** An operation that the caller probably meant. */
export type NearestOperation = StoredOf<typeof nearestShape>[number]

const maxNearest = 3

/**
 * Returns the operations nearest to a request, at most three (behaviour/program#explanations).
 * Reports call this function for each unmatched request of a full journal. Therefore, only the
 * returned operations are formatted, and the distance between two words is computed once.
 */
export function nearestTo(
  { method, path }: Pick<ExplainedRequest, 'method' | 'path'>,
  addresses: readonly OperationAddress[],
): NearestOperation[] {
  const sentSegments = path.split('/')
  const distances = new WordDistances()
  const nearest: { address: OperationAddress; distance: number }[] = []
  for (const address of addresses) {
    const distance = distanceOf(address, method, sentSegments, distances)
    const insertAt = nearest.findIndex((other) => distance < other.distance)
    if (insertAt >= 0) nearest.splice(insertAt, 0, { address, distance })
    else if (nearest.length < maxNearest) nearest.push({ address, distance })
    if (nearest.length > maxNearest) nearest.pop()
  }
  return nearest.map(({ address }) => ({
    ...address,
    differences: describeDifferences(address, method, sentSegments),
  }))
}

/**
 * The difference between an address and a path at one position. `word` is the word in the address.
 * The kind `behind` stands for the `count` last segments of a path that is longer than the address.
 */
type Difference =
  | { readonly kind: 'other'; readonly word: string; readonly actual: string }
  | { readonly kind: 'missing'; readonly word: string }
  | { readonly kind: 'behind'; readonly actual: string; readonly count: number }

function* differencesOf(
  expected: readonly string[],
  sentSegments: readonly string[],
): Generator<Difference> {
  for (let at = 0; at < Math.max(expected.length, sentSegments.length); at += 1) {
    const [word, actual] = [expected[at], sentSegments[at]]
    if (word?.startsWith('*') && actual !== undefined && actual !== '') return
    if (word === actual || (word?.startsWith(':') && actual !== undefined && actual !== ''))
      continue
    if (word === undefined) {
      yield { kind: 'behind', actual: actual ?? '', count: sentSegments.length - at }
      return
    }
    yield actual === undefined ? { kind: 'missing', word } : { kind: 'other', word, actual }
  }
}

/**
 * Returns the distance between the path of a request and an address. A wrong method counts less
 * than a wrong word in the path.
 */
function distanceOf(
  address: OperationAddress,
  method: string,
  sentSegments: readonly string[],
  distances: WordDistances,
): number {
  let distance = address.method === method ? 0 : 0.4
  for (const difference of differencesOf(segmentsOf(address), sentSegments)) {
    if (difference.kind === 'missing') distance += 1
    else if (difference.kind === 'behind') distance += 1 + difference.count / 4
    else distance += distances.of(difference.word, difference.actual) + 0.5
  }
  return distance
}

function describeDifferences(
  address: OperationAddress,
  method: string,
  sentSegments: readonly string[],
) {
  const differences = [...differencesOf(segmentsOf(address), sentSegments)].map((difference) => {
    if (difference.kind === 'missing') return `"${difference.word}" is missing`
    if (difference.kind === 'other') return `"${difference.word}" instead of "${difference.actual}"`
    return `${address.path} has no further segments: "${difference.actual}" is superfluous`
  })
  if (address.method !== method) differences.push(`${address.method} instead of ${method}`)
  return differences
}

/**
 * Cache of edit distances between words. Each distance is divided by the length of the longer word,
 * so it is 0 for equal words and at most 1.
 */
class WordDistances {
  readonly #known = new Map<string, Map<string, number>>()

  of(word: string, actual: string): number {
    const others = this.#known.get(actual) ?? new Map<string, number>()
    this.#known.set(actual, others)
    const known = others.get(word)
    if (known !== undefined) return known
    const distance = editDistance(word, actual) / Math.max(word.length, actual.length, 1)
    others.set(word, distance)
    return distance
  }
}
