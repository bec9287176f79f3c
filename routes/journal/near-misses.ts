import { stringifyJson } from '../../state/kernel/deep-json.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import type { Difference, Matcher } from './matcher.ts'

/** A request that almost matches a matcher. */
export interface NearMiss {
  readonly request: string
  /** Number of differences. */
  readonly distance: number
  readonly differences: readonly Difference[]
}

/** Maximum number of near misses of one matcher. */
const maxNearMisses = 3

/**
 * Returns the requests that do not match but are nearest to a matcher, nearest first, at most
 * `maxNearMisses`. Of equally near requests, the latest comes first.
 */
export function nearMissesOf(
  records: Iterable<RequestRecord>,
  matcher: Matcher,
): readonly NearMiss[] {
  let nearest: readonly { readonly record: RequestRecord; readonly distance: number }[] = []
  for (const record of records) {
    const distance = matcher.distance(record)
    if (distance === 0) continue
    const worseIndex = nearest.findIndex((other) => other.distance >= distance)
    const at = worseIndex < 0 ? nearest.length : worseIndex
    if (at < maxNearMisses)
      nearest = nearest.toSpliced(at, 0, { record, distance }).slice(0, maxNearMisses)
  }
  return nearest.map(({ record }) => {
    const differences = matcher.differences(record)
    return { request: record.id, distance: differences.length, differences }
  })
}

/**
 * Formats near misses for the end of an error message; an empty string if there are no near misses.
 */
export function formatNearMisses(misses: readonly NearMiss[]): string {
  const lines = misses.map(({ request, differences }) => {
    const differenceTexts = differences.map(
      ({ at, expected, actual }) =>
        `${at} is ${stringifyJson(actual)}, not ${stringifyJson(expected)}`,
    )
    return `${request}: ${differenceTexts.join('; ')}`
  })
  return lines.length === 0 ? '' : `; the nearest requests are ${lines.join(' | ')}`
}
