import type { RequestRecord } from '../journal-hooks/request-record.ts'

/** One step on the way of a request to its handler (behaviour/program#explanations). */
export interface Check<Request> {
  /** Stable name of the step in explanations. */
  readonly name: string
  /** Rules of the refusals that this check throws. */
  readonly rules: readonly string[]
  /** Whether the check is made for a request; always if left out. */
  readonly applies?: (request: Request) => boolean
  readonly run: (request: Request) => void
}

/**
 * Runs the checks of a request in order and records which were made. The first one that throws ends
 * the request, so the last recorded check is the one that refused it.
 *
 * @param checks at most 30, since the record keeps them as bits of a number
 * @param record undefined when nothing is recorded of the request
 */
export function runChecks<Request>(
  checks: readonly Check<Request>[],
  request: Request,
  record: Pick<RequestRecord, 'checksMade' | 'hasPassedChecks'> | undefined,
): void {
  let bit = 1
  for (const { applies, run } of checks) {
    if (applies === undefined || applies(request)) {
      if (record !== undefined) record.checksMade |= bit
      run(request)
    }
    bit <<= 1
  }
  if (record !== undefined) record.hasPassedChecks = true
}
