import type { RequestRecord } from '../journal-hooks/request-record.ts'

/** Members of a request's record in which `runChecks` stores the checks that were made. */
type CheckRecord = Pick<RequestRecord, 'checksMade' | 'hasPassedChecks'>

/** One check of a request before its handler runs (behaviour/program#explanations). */
export interface Check<Request> {
  /** Stable name of the check in explanations. */
  readonly name: string
  /** Rules of the refusals that this check throws. */
  readonly rules: readonly string[]
  /**
   * Returns true if the check applies to a request. Without this function, the check applies to all
   * requests.
   */
  readonly applies?: (request: Request) => boolean
  readonly run: (request: Request) => void
}

/**
 * Runs the checks of a request in order. Records which checks were made and, at the end, that all
 * of them passed. The first check that throws ends the request, so the last recorded check is the
 * one that refused the request.
 *
 * @param checks at most 30, because the record stores them as bits of a number
 * @param record undefined if the request is not recorded
 */
export function runChecks<Request>(
  checks: readonly Check<Request>[],
  request: Request,
  record: CheckRecord | undefined,
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

/**
 * Runs a check that an operation makes after `runChecks`. Records that the check was made. If the
 * check throws, `hasPassedChecks` stays false.
 *
 * @param position position of the check among the checks that explanations list
 * @param record undefined if the request is not recorded
 */
export function runOperationCheck<T>(
  position: number,
  record: CheckRecord | undefined,
  run: () => T,
): T {
  if (record === undefined) return run()
  record.checksMade |= 1 << position
  record.hasPassedChecks = false
  const result = run()
  record.hasPassedChecks = true
  return result
}
