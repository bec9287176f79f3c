import { Refusal, type RefusalKind } from '../../state/kernel/refusal.ts'
import { errorList, type SecretsRefusalDetail } from '../../state/secrets/common-texts.ts'
import { errorList as plainList } from '../../state/secrets/refusals.ts'
import type { SecretsDialect } from './dialect.ts'

/** Statuses of the specification's table (1-secrets.md, Errors). */
const statuses: Record<RefusalKind, number> = {
  invalid: 400,
  denied: 403,
  absent: 404,
  conflict: 400,
  unsupported: 405,
  unavailable: 503,
  upstream: 502,
  precondition: 412,
}

/** A refusal for reasons that only HTTP knows, such as a content type. */
export class HttpRefusal extends Refusal {
  readonly status: number

  constructor(status: number, message: string) {
    super('invalid', message)
    this.status = status
  }
}

/** What details may be besides while not every refusal is named. */
interface RoutesDetail extends SecretsRefusalDetail {
  readonly messages?: readonly string[]
}

/** A failure as it goes out. */
export interface ErrorReply {
  readonly status: number
  readonly body: { readonly errors: readonly string[] }
}

/** `E[]` with a status. */
export function silentError(status: number): ErrorReply {
  return { status, body: { errors: [] } }
}

/** `E"text"` with a status. */
export function textError(status: number, text: string): ErrorReply {
  return { status, body: { errors: [text] } }
}

/** A domain refusal in the API's own shape (1-secrets-decisions.md section 0: E, W and R5). */
export function renderRefusal(refusal: Refusal, dialect: SecretsDialect): ErrorReply {
  const detail: RoutesDetail = refusal.detail
  const status =
    refusal instanceof HttpRefusal ? refusal.status : statusOf(refusal.kind, detail, dialect)
  if (detail.bare) return silentError(status)
  if (detail.raised && detail.messages !== undefined) {
    return textError(status, plainList(detail.messages.map((message) => dialect.text(message))))
  }
  return textError(status, dialect.tell(detail.raised ? errorList([refusal.said]) : refusal.said))
}

function statusOf(
  kind: RefusalKind,
  detail: SecretsRefusalDetail,
  dialect: SecretsDialect,
): number {
  if (detail.internal) return 500
  if (dialect.referenceStatuses && detail.internalInReference) return 500
  return dialect.referenceStatuses && detail.invalidInReference ? 400 : statuses[kind]
}
