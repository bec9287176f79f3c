import type { Refusal, RefusalKind } from '../../../state/kernel/refusal.ts'
import { errorList, type SecretsRefusalDetail } from '../../../state/secrets/common-messages.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'

/** Status of each kind of refusal (behaviour/secrets#api-errors). */
const statusByKind: Record<RefusalKind, number> = {
  invalid: 400,
  denied: 403,
  absent: 404,
  conflict: 400,
  unsupported: 405,
  unavailable: 503,
  upstream: 502,
  precondition: 412,
}

/**
 * Details of a refusal by the HTTP layer. The table of messages declares the status together with
 * the message.
 */
interface RouteRefusalDetail extends SecretsRefusalDetail {
  readonly status?: number
}

export interface ErrorReply {
  readonly status: number
  readonly body: object
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** Returns an error reply without messages. */
export function emptyErrorReply(status: number): ErrorReply {
  return { status, body: { errors: [] } }
}

/** Returns an error reply with one message. */
export function errorReply(status: number, text: string): ErrorReply {
  return { status, body: { errors: [text] } }
}

/**
 * Renders a refusal as an error reply of the API (behaviour/secrets#api-errors). The status can
 * depend on the dialect (behaviour/secrets#callers-faults).
 *
 * @param needsNoToken whether the path needs no client token; on such paths, errors are never
 *   wrapped in a multierror
 * @param input fields of the request
 */
export function renderRefusal(
  refusal: Refusal,
  dialect: SecretsDialect,
  needsNoToken = false,
  input: Readonly<Record<string, unknown>> = {},
): ErrorReply {
  const detail: RouteRefusalDetail = refusal.detail
  const status = detail.status ?? statusOf(refusal.kind, detail, dialect)
  if (detail.oauth !== undefined) return oauthReply(status, refusal.message, detail, input)
  if (detail.unenveloped) return emptyErrorReply(status)
  const isMultierror = detail.multierror === true && !needsNoToken
  return errorReply(
    status,
    dialect.render(isMultierror ? errorList([refusal.reason]) : refusal.reason),
  )
}

/**
 * Returns an OAuth error reply (RFC 6749, 5.2, and RFC 6750, 3). The errors `invalid_client` and
 * `invalid_token` have the status 401 and a challenge header.
 */
function oauthReply(
  status: number,
  error_description: string,
  { oauth: error, state }: SecretsRefusalDetail,
  input: Readonly<Record<string, unknown>>,
): ErrorReply {
  const sent = typeof input['state'] === 'string' ? input['state'] : ''
  const stateMember = state !== undefined && { state: state === 'sent' ? sent : '' }
  const body = { error, error_description, ...stateMember }
  if (error === 'invalid_client') {
    return { status: 401, body, headers: { 'www-authenticate': 'Basic' } }
  }
  if (error !== 'invalid_token') return { status, body }
  const challenge = `Bearer error="${error}",error_description="${error_description}"`
  return { status: 401, body, headers: { 'www-authenticate': challenge } }
}

function statusOf(kind: RefusalKind, detail: SecretsRefusalDetail, dialect: SecretsDialect) {
  if (detail.internal) return 500
  if (dialect.usesReferenceStatuses && detail.internalInReference) return 500
  return dialect.usesReferenceStatuses && detail.invalidInReference ? 400 : statusByKind[kind]
}
