import type { SecretsDialect } from '../dialect/dialect.ts'
import { JsonText, type Outcome } from './outcome.ts'
import { envelopeKeys } from './schemas.ts'

type Envelope = Extract<Outcome, { kind: 'envelope' }>
type Spread = Extract<Outcome, { kind: 'spread' }>
type Wrapped = Extract<Outcome, { kind: 'wrapped' }>

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
    const { status, body, referenceBody = body } = outcome
    const sent = dialect.referenceBodies ? referenceBody : body
    return { status, text: sent === null ? undefined : json(sent) }
  }
  if (outcome.kind === 'spread') {
    if (!dialect.referenceBodies) return { status: 200, text: json(outcome.body) }
    return { status: 200, text: envelope(inReference(outcome), requestId(), dialect) }
  }
  if (outcome.kind === 'wrapped') return renderWrapped(outcome, requestId, dialect)
  if (outcome.kind === 'envelope') {
    const id = outcome.wrap === undefined ? requestId() : ''
    return { status: outcome.status ?? 200, text: envelope(outcome, id, dialect) }
  }
  if (outcome.warnings === undefined || outcome.warnings.length === 0) {
    return { status: outcome.later && dialect.referenceStatuses ? 202 : 204, text: undefined }
  }
  const withWarnings: Envelope = { kind: 'envelope', warnings: outcome.warnings }
  return { status: 200, text: envelope(withWarnings, requestId(), dialect) }
}

/** The envelope that the reference makes of what is bare here. */
function inReference({ referenceData, warnings = [], repeat = false }: Spread): Envelope {
  return { kind: 'envelope', data: referenceData, warnings, repeat }
}

/**
 * Wraps a reply, or lets it go as it is when it is no success or has no body. What is wrapped is the
 * envelope itself: the keys of `data` are repeated for direct replies only, as in the reference.
 */
function renderWrapped(
  { reply, wrap }: Wrapped,
  requestId: () => string,
  dialect: SecretsDialect,
): Rendered {
  const spread = reply.kind === 'spread' && dialect.referenceBodies ? inReference(reply) : reply
  const plain: Outcome = spread.kind === 'envelope' ? { ...spread, repeat: false } : spread
  const rendered = renderOutcome(plain, requestId, dialect)
  if (rendered.status !== 200 || rendered.text === undefined) return rendered
  return {
    status: 200,
    text: envelope({ kind: 'envelope', wrap: wrap(rendered.text) }, '', dialect),
  }
}

function envelope(outcome: Envelope, requestId: string, dialect: SecretsDialect): string {
  const { lease, auth = null, warnings = [], wrap } = outcome
  const data = outcome.dataIn?.(dialect) ?? outcome.data ?? null
  const texts = warnings.map((warning) => dialect.tell(warning))
  const head = `{"request_id":"${requestId}","lease_id":${JSON.stringify(lease?.id ?? '')},"renewable":${lease?.renewable ?? false},"lease_duration":${lease?.duration ?? 0}`
  const tail = `,"data":${data === null ? 'null' : json(data)},"wrap_info":${wrap === undefined ? 'null' : JSON.stringify(wrap)},"warnings":${texts.length === 0 ? 'null' : JSON.stringify(texts)},"auth":${auth === null ? 'null' : JSON.stringify(auth)}`
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
