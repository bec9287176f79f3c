import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { outcomeOf } from '../journal/outcome.ts'
import { pathOf, sentToken } from '../journal/record-values.ts'

/**
 * Reactions of a client to a fault: repeating the request, sending no further request, or sending
 * only other requests.
 */
export const reactions = ['retried', 'gaveUp', 'carriedOn'] as const

/** The reaction of a client to a fault (behaviour/program#reports). */
export interface ClientReaction {
  readonly next: (typeof reactions)[number]
  /**
   * Number of repetitions: later requests with the method, path and token of the failed request.
   * Counting ends with the first repetition that was served.
   */
  readonly retries: number
  /**
   * Time from the end of the failed request to the start of the retry, in milliseconds of real
   * time; null without a retry.
   */
  readonly afterMs: number | null
}

/**
 * Derives the reaction of a client to a fault from its later requests: the requests with the token
 * of the failed request.
 *
 * @param later requests after the failed request, in order
 */
export function reactionTo(record: RequestRecord, later: readonly RequestRecord[]): ClientReaction {
  const token = sentToken(record)
  const path = pathOf(record)
  const requestsOfSameCaller = later.filter((each) => sentToken(each) === token)
  const repeats = requestsOfSameCaller.filter(
    (each) => each.method === record.method && pathOf(each) === path,
  )
  const [first] = repeats
  if (first === undefined) {
    return {
      next: requestsOfSameCaller.length > 0 ? 'carriedOn' : 'gaveUp',
      retries: 0,
      afterMs: null,
    }
  }
  const served = repeats.findIndex((each) => outcomeOf(each) === 'served')
  const pause = first.startedAt - (record.startedAt + record.duration)
  return {
    next: 'retried',
    retries: served < 0 ? repeats.length : served + 1,
    // A retry that overlaps its predecessor counts as 0 ms.
    afterMs: Math.round(Math.max(0, pause) * 1000) / 1000,
  }
}
