import type { Exchange } from '../http/journal-hooks/request-recording.ts'
import { redactUrl } from '../http/redact-url.ts'
import { misdirectionDiagnosis, sharedPathDiagnosis } from '../journal/diagnosis.ts'
import { pathOf } from '../journal/record-values.ts'

/** Response header with a hint for callers of the wrong API or in the wrong dialect. */
const hintHeader = 'x-mock-hint'

/**
 * Statuses that APIs return for unknown paths, or to hide paths from callers whom they do not know.
 */
const hintedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 405])

/**
 * Writer of hints for callers of the wrong API or in the wrong dialect. The log of the process
 * shows each kind of hint once (behaviour/program#journal).
 */
export class Hints {
  readonly #logged = new Set<string>()

  /**
   * Adds a header with a hint to the refusal of a request that another API or the other dialect
   * would have served. Logs the first hint of each kind, unless the path also belongs to the API
   * that refused the request. Status and body of the refusal do not change.
   *
   * @param isShared true on a port that several APIs share, where one API may receive requests for
   *   a path that also belongs to another API
   */
  add({ record, request, reply }: Exchange, isShared = false): void {
    if (record.isFaulted || !hintedStatuses.has(reply.statusCode)) return
    const hasOperation = request.operation !== undefined
    if (hasOperation && !isShared) return
    const diagnosis = hasOperation ? sharedPathDiagnosis(record) : misdirectionDiagnosis(record)
    if (diagnosis?.isMisdirected !== true) return
    const hint = `${diagnosis.change}.`
    // Headers can contain only Latin-1 characters.
    reply.header(hintHeader, hint.replaceAll(/[^\x20-\x7e]/g, '?'))
    const { rule, change } = diagnosis
    const kind = `${record.api.name} ${rule} ${rule === 'wrong-api' ? change : ''}`
    // If both APIs have the path, the caller may have meant the API that refused the request.
    if (hasOperation || this.#logged.has(kind)) return
    this.#logged.add(kind)
    const path = pathOf(record)
    const line = `${diagnosis.because}. ${hint}`.replaceAll(path, redactUrl(path))
    request.log.warn({ api: record.api.name, rule }, line)
  }
}
