import type { SecretsDialect } from './dialect.ts'
import { JsonText, type Outcome } from './outcome.ts'
import { envelopeKeys } from './schemas.ts'

type Envelope = Extract<Outcome, { kind: 'envelope' }>

/** An outcome as bytes to be: a status and the text of the body, if there is one. */
export interface Rendered {
  readonly status: number
  readonly text: string | undefined
}

/**
 * The reply that an outcome makes (1-secrets-decisions.md section 0, ENV). Written as text: payloads
 * that are text already are not parsed for it.
 */
export function renderOutcome(
  outcome: Outcome,
  requestId: () => string,
  dialect: SecretsDialect,
): Rendered {
  if (outcome.kind === 'bare') {
    return { status: outcome.status, text: outcome.body === null ? undefined : json(outcome.body) }
  }
  if (outcome.kind === 'envelope') {
    return { status: outcome.status ?? 200, text: envelope(outcome, requestId(), dialect) }
  }
  if (outcome.warnings === undefined || outcome.warnings.length === 0) {
    return { status: outcome.later && dialect.referenceStatuses ? 202 : 204, text: undefined }
  }
  const withWarnings: Envelope = { kind: 'envelope', warnings: outcome.warnings }
  return { status: 200, text: envelope(withWarnings, requestId(), dialect) }
}

function envelope(outcome: Envelope, requestId: string, dialect: SecretsDialect): string {
  const { data = null, lease, auth = null, warnings = [] } = outcome
  const texts = warnings.map((warning) => dialect.text(warning))
  const head = `{"request_id":"${requestId}","lease_id":${JSON.stringify(lease?.id ?? '')},"renewable":${lease?.renewable ?? false},"lease_duration":${lease?.duration ?? 0}`
  const tail = `,"data":${data === null ? 'null' : json(data)},"wrap_info":null,"warnings":${texts.length === 0 ? 'null' : JSON.stringify(texts)},"auth":${auth === null ? 'null' : JSON.stringify(auth)}`
  const errors = outcome.status === 404 ? ',"errors":[]' : ''
  return `${head}${tail}${errors}${outcome.repeat === true && data !== null ? repeated(data) : ''}}`
}

const ownKeys: ReadonlySet<string> = new Set(envelopeKeys)

/**
 * The keys of `data` once more, for the endpoints that write them at top level too; not those that
 * the envelope has itself.
 */
function repeated(data: object): string {
  return Object.entries(data)
    .filter(([key]) => !ownKeys.has(key))
    .map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`)
    .join('')
}

function json(value: object | JsonText): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value)
}
