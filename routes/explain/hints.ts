import type { Exchange } from '../http/journal-hooks/request-recording.ts'
import { redactUrl } from '../http/redact-url.ts'
import { misdirectionOf } from '../journal/diagnosis.ts'
import { pathOf } from '../journal/record-values.ts'

/** Says what to do to whoever asked the wrong API, or in the other dialect's words. */
export const hintHeader = 'x-mock-hint'

/** Statuses with which APIs answer what they do not have, or show to nobody they do not know. */
const hintedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 405])

/** The hints of a process, of which the log has each kind once (behaviour/program#journal). */
export class Hints {
  readonly #logged = new Set<string>()

  /**
   * Adds a hint to a refusal of what another API would have answered, or the other dialect; the
   * refusal stays what it is.
   */
  add({ record, request, reply }: Exchange): void {
    if (
      request.operation !== undefined ||
      record.isFaulted ||
      !hintedStatuses.has(reply.statusCode)
    )
      return
    const diagnosis = misdirectionOf(record)
    if (diagnosis?.isMisdirected !== true) return
    const hint = `${diagnosis.change}.`
    // Headers carry Latin-1 alone.
    reply.header(hintHeader, hint.replaceAll(/[^\x20-\x7e]/g, '?'))
    const { rule, change } = diagnosis
    const kind = `${record.api.name} ${rule} ${rule === 'wrong-api' ? change : ''}`
    if (this.#logged.has(kind)) return
    this.#logged.add(kind)
    const path = pathOf(record)
    const line = `${diagnosis.because}. ${hint}`.replaceAll(path, redactUrl(path))
    request.log.warn({ api: record.api.name, rule }, line)
  }
}
