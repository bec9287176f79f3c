import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import { outcomeOf } from '../journal/outcome.ts'
import { pathOf, sentToken } from '../journal/record-values.ts'

/** The ways in which a client takes a fault. */
export const reactions = ['retried', 'gaveUp', 'carriedOn'] as const

/** What a client did after a fault (behaviour/program#reports). */
export interface ClientReaction {
  readonly next: (typeof reactions)[number]
  /** So often it sent the same request again, until it was served. */
  readonly retries: number
  /** Real milliseconds from the end of the one to the beginning of the other; null without a retry. */
  readonly afterMs: number | null
}

/**
 * Finds what a client did next.
 *
 * @param later the requests behind that one, in order
 */
export function reactionTo(record: RequestRecord, later: readonly RequestRecord[]): ClientReaction {
  const token = sentToken(record)
  const path = pathOf(record)
  const sameCaller = later.filter((each) => sentToken(each) === token)
  const repeats = sameCaller.filter(
    (each) => each.method === record.method && pathOf(each) === path,
  )
  const [first] = repeats
  if (first === undefined) {
    return { next: sameCaller.length > 0 ? 'carriedOn' : 'gaveUp', retries: 0, afterMs: null }
  }
  const served = repeats.findIndex((each) => outcomeOf(each) === 'served')
  const pause = first.startedAt - (record.startedAt + record.duration)
  return {
    next: 'retried',
    retries: served < 0 ? repeats.length : served + 1,
    // One that is sent before the other has ended comes at once.
    afterMs: Math.round(Math.max(0, pause) * 1000) / 1000,
  }
}
