import type { Message } from '../../../state/kernel/message.ts'
import type { AuthBlock } from '../../../state/secrets/tokens/tokens.ts'
import type { WrapInfo } from '../../../state/secrets/wrapping/wrapping.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { refuse } from '../messages.ts'
import { envelopeKeys } from './schemas.ts'

/** JSON that is text already: stored secrets go out without being parsed again. */
export class JsonText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** A lease of an envelope. Durations in seconds. */
interface EnvelopeLease {
  readonly id: string
  readonly renewable: boolean
  readonly duration: number
}

/** The outcome of an operation; `renderOutcome` makes the reply of it. */
export type SecretsOutcome =
  /**
   * 204, or 200 with the warnings when there are any. The reference answers 202 where it leaves the
   * work for `later`.
   */
  | { readonly kind: 'empty'; readonly warnings?: readonly Message[]; readonly isDeferred?: true }
  /**
   * An envelope. `repeat` writes the keys of `data` at top level too, where the URL itself is below
   * `/v1/sys/` (behaviour/secrets#body-kinds).
   */
  | {
      readonly kind: 'envelope'
      readonly data?: object | JsonText | null
      /** In place of `data` where the dialects differ in more than texts. */
      readonly renderData?: (dialect: SecretsDialect) => object
      readonly auth?: AuthBlock
      readonly lease?: EnvelopeLease
      readonly warnings?: readonly Message[]
      readonly repeatsKeys?: boolean
      /** The wrapping that stands for the reply; there is no request id then. */
      readonly wrap?: WrapInfo | undefined
      /** What a wrapping token tells of what is behind it, where that is no token. */
      readonly wrappedAccessor?: string
      /**
       * 202 says that the work goes on. Failures that carry data have `errors: []` besides
       * (behaviour/secrets#body-kinds).
       */
      readonly status?: number
    }
  /**
   * 200 with the bare body; in dialects that keep the reference's bodies an envelope (behaviour/secrets#conventions, Body
   * kinds, SPEC>REF). There the data may be others than those of the body, and there may be warnings.
   */
  | {
      readonly kind: 'spread'
      readonly body: object
      readonly referenceData: object
      readonly warnings?: readonly Message[]
      /** As for envelopes; the bare body is what it is. */
      readonly repeatsKeys?: boolean
    }
  /**
   * A reply that goes behind a wrapping token when it turns out a success with a body
   * (behaviour/secrets#wrapping). `wrap` does it.
   */
  | {
      readonly kind: 'wrapped'
      readonly reply: Exclude<SecretsOutcome, { kind: 'wrapped' }>
      readonly wrap: (text: string) => WrapInfo
    }
  /** The body as it is, with its status; another in dialects that keep the reference's bodies. */
  | {
      readonly kind: 'bare'
      readonly status: number
      readonly body: object | JsonText | null
      readonly referenceBody?: object
    }

/** 204. */
export const empty: SecretsOutcome = { kind: 'empty' }

/** 204; 202 where the dialect keeps the reference's statuses. */
export const accepted: SecretsOutcome = { kind: 'empty', isDeferred: true }

/** 204, or 200 with warnings. */
export function emptyWithWarnings(warnings: readonly Message[]): SecretsOutcome {
  return { kind: 'empty', warnings }
}

/** 200 with `data`. */
export function data(payload: object | JsonText | null): SecretsOutcome {
  return { kind: 'envelope', data: payload }
}

/** 200 with `data` in the names of the dialect. */
export function dialectData(renderData: (dialect: SecretsDialect) => object): SecretsOutcome {
  return { kind: 'envelope', renderData }
}

/** 200 with `data.keys`; without any the list is `absent` (behaviour/secrets#api-lists). */
export function keys(names: readonly string[], more: object = {}): SecretsOutcome {
  if (names.length === 0) throw refuse('nothing-here')
  return { kind: 'envelope', data: { keys: names, ...more } }
}

/** 200 with the bare body, which may have more in it in the reference. */
export function bare(body: object, referenceBody: object = body): SecretsOutcome {
  return { kind: 'bare', status: 200, body, referenceBody }
}

/**
 * 200 for the endpoints that the specification has bare and the reference in an envelope: reading
 * and generating with password policies, the backup of a rekey. Neutral sends `body` as it is; vendor
 * sends `ENV{data: referenceData}` (behaviour/secrets#body-kinds). `spreadOf` of schemas.ts is the schema of both.
 */
export function dialectBody(body: object, referenceData: object = body): SecretsOutcome {
  return { kind: 'spread', body, referenceData }
}

type Envelope = Extract<SecretsOutcome, { kind: 'envelope' }>
type Spread = Extract<SecretsOutcome, { kind: 'spread' }>
type Wrapped = Extract<SecretsOutcome, { kind: 'wrapped' }>

/** An outcome as bytes to be: a status and the text of the body, if there is one. */
export interface Rendered {
  readonly status: number
  readonly text: string | undefined
}

/**
 * The reply that an outcome makes (behaviour/secrets#envelope). Written as text: payloads
 * that are text already are not parsed for it.
 */
export function renderOutcome(
  outcome: SecretsOutcome,
  requestId: () => string,
  dialect: SecretsDialect,
): Rendered {
  if (outcome.kind === 'bare') {
    const { status, body, referenceBody = body } = outcome
    const chosenBody = dialect.referenceBodies ? referenceBody : body
    return { status, text: chosenBody === null ? undefined : serialize(chosenBody) }
  }
  if (outcome.kind === 'spread') {
    if (!dialect.referenceBodies) return { status: 200, text: serialize(outcome.body) }
    return { status: 200, text: envelope(toReferenceEnvelope(outcome), requestId(), dialect) }
  }
  if (outcome.kind === 'wrapped') return renderWrapped(outcome, requestId, dialect)
  if (outcome.kind === 'envelope') {
    const id = outcome.wrap === undefined ? requestId() : ''
    return { status: outcome.status ?? 200, text: envelope(outcome, id, dialect) }
  }
  if (outcome.warnings === undefined || outcome.warnings.length === 0) {
    return { status: outcome.isDeferred && dialect.referenceStatuses ? 202 : 204, text: undefined }
  }
  const withWarnings: Envelope = { kind: 'envelope', warnings: outcome.warnings }
  return { status: 200, text: envelope(withWarnings, requestId(), dialect) }
}

/** The envelope that the reference makes of what is bare here. */
function toReferenceEnvelope({
  referenceData,
  warnings = [],
  repeatsKeys: repeat = false,
}: Spread): Envelope {
  return { kind: 'envelope', data: referenceData, warnings, repeatsKeys: repeat }
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
  const converted =
    reply.kind === 'spread' && dialect.referenceBodies ? toReferenceEnvelope(reply) : reply
  const withoutRepeat: SecretsOutcome =
    converted.kind === 'envelope' ? { ...converted, repeatsKeys: false } : converted
  const rendered = renderOutcome(withoutRepeat, requestId, dialect)
  if (rendered.status !== 200 || rendered.text === undefined) return rendered
  return {
    status: 200,
    text: envelope({ kind: 'envelope', wrap: wrap(rendered.text) }, '', dialect),
  }
}

function envelope(outcome: Envelope, requestId: string, dialect: SecretsDialect): string {
  const { lease, warnings = [] } = outcome
  const data = outcome.renderData?.(dialect) ?? outcome.data ?? null
  // Joined rather than added up: a text of many pieces is put together twice on its way out.
  return [
    '{"request_id":"',
    requestId,
    lease === undefined ? emptyLease : serializeLease(lease),
    data === null ? 'null' : serialize(data),
    serializeTrailer(
      outcome,
      warnings.length === 0 ? [] : warnings.map((each) => dialect.render(each)),
    ),
    outcome.repeatsKeys === true && data !== null ? serializeRepeatedKeys(data) : '',
    '}',
  ].join('')
}

function serializeLease({ id, renewable, duration }: NonNullable<Envelope['lease']>): string {
  return `","lease_id":${JSON.stringify(id)},"renewable":${renewable},"lease_duration":${duration},"data":`
}

const emptyLease = serializeLease({ id: '', renewable: false, duration: 0 })

/** The members behind `data`; most replies have nothing in them. */
function serializeTrailer(
  { auth, wrap, status = 200 }: Envelope,
  warnings: readonly string[],
): string {
  const hasEmptyTrailer = wrap === undefined && !auth && warnings.length === 0
  const errors = status >= 400 ? ',"errors":[]' : ''
  return (hasEmptyTrailer ? emptyTrailer : serializeTrailerMembers(wrap, warnings, auth)) + errors
}

function serializeTrailerMembers(
  wrap: Envelope['wrap'],
  warnings: readonly string[],
  auth: Envelope['auth'],
): string {
  return `,"wrap_info":${JSON.stringify(wrap ?? null)},"warnings":${warnings.length === 0 ? 'null' : JSON.stringify(warnings)},"auth":${JSON.stringify(auth ?? null)}`
}

const emptyTrailer = serializeTrailerMembers(undefined, [], undefined)

const envelopeKeySet: ReadonlySet<string> = new Set(envelopeKeys)

/**
 * The keys of `data` once more, for the endpoints that write them at top level too; not those that
 * the envelope has itself.
 */
function serializeRepeatedKeys(data: object): string {
  return Object.entries(data)
    .filter(([key]) => !envelopeKeySet.has(key))
    .map(([key, value]) => `,${JSON.stringify(key)}:${JSON.stringify(value)}`)
    .join('')
}

function serialize(value: object | JsonText): string {
  return value instanceof JsonText ? value.text : JSON.stringify(value)
}
