import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Message } from '../../../state/kernel/message.ts'
import type { Ids } from '../../../state/kernel/worlds/ids.ts'
import type { AuthBlock } from '../../../state/secrets/tokens/tokens.ts'
import type { WrapInfo } from '../../../state/secrets/wrapping/wrapping.ts'
import type { RequestRecord } from '../../http/journal-hooks/request-record.ts'
import { JsonText } from '../../http/json-text.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { refuse } from '../messages.ts'
import type { EnvelopeLease } from './lease.ts'
import { envelopeKeys } from './schemas.ts'

/** Function that opens the stream of a reply body that grows while its connection is open. */
type OpenStream = (response: ServerResponse, record: RequestRecord) => Readable

/** The outcome of an operation, which `renderOutcome` renders as a reply. */
export type SecretsOutcome =
  /**
   * A reply without a body (204), or 200 with warnings. If `isDeferred` is true, the reference
   * replies with 202, because its work continues after the reply.
   */
  | { readonly kind: 'empty'; readonly warnings?: readonly Message[]; readonly isDeferred?: true }
  /**
   * An envelope. If `repeatsKeys` is true and the URL is below `/v1/sys/`, the keys of `data` are
   * also at the top level (behaviour/secrets#body-kinds).
   */
  | {
      readonly kind: 'envelope'
      readonly data?: object | JsonText | null
      /**
       * Returns the value that replaces `data`. Needed if the dialects differ in more than
       * messages.
       */
      readonly renderData?: (dialect: SecretsDialect) => object
      readonly auth?: AuthBlock
      readonly lease?: EnvelopeLease
      readonly warnings?: readonly Message[]
      readonly repeatsKeys?: boolean
      /**
       * Description of the wrapping token that replaces the reply. A reply that contains this
       * description has no request id.
       */
      readonly wrap?: (Omit<WrapInfo, 'wrapped_accessor'> & Partial<WrapInfo>) | undefined
      /** Accessor that a wrapping token shows for its content if the content is not a token. */
      readonly wrappedAccessor?: string
      /**
       * Status of the reply. 202 means that work continues after the reply. A failure with data
       * also contains `errors: []` (behaviour/secrets#body-kinds).
       */
      readonly status?: number
      /** Status in dialects that use the statuses of the reference, if it differs from `status`. */
      readonly referenceStatus?: number
    }
  /**
   * A reply with status 200 and a bare body or, in dialects that use the bodies of the reference,
   * an envelope (behaviour/secrets#body-kinds). The data of the envelope may differ from the bare
   * body.
   */
  | {
      readonly kind: 'spread'
      readonly body: object
      readonly referenceData: object
      readonly warnings?: readonly Message[]
      /**
       * True to repeat the keys of `data` at the top level of the envelope. The bare body does not
       * change.
       */
      readonly repeatsKeys?: boolean
    }
  /**
   * A reply that is replaced with a wrapping token if it has the status 200 and a text body
   * (behaviour/secrets#wrapping).
   */
  | {
      readonly kind: 'wrapped'
      readonly reply: Exclude<SecretsOutcome, { kind: 'wrapped' }>
      readonly wrap: (text: string) => WrapInfo
    }
  /**
   * A bare body with its status. Dialects that use the bodies of the reference send
   * `referenceBody`.
   */
  | {
      readonly kind: 'bare'
      readonly status: number
      readonly body: object | JsonText | null
      readonly referenceBody?: object
      /** Headers of this reply, which take precedence over the headers that every reply has. */
      readonly headers?: Readonly<Record<string, string>>
    }
  /** A text that is not JSON, with its content type. */
  | {
      readonly kind: 'text'
      readonly status: number
      readonly contentType: string
      readonly text: string
    }
  /**
   * A body that is not text, such as DER, with its content type. With status 204, there is no body.
   */
  | {
      readonly kind: 'bytes'
      readonly status: number
      readonly contentType: string
      readonly bytes: Uint8Array | undefined
    }
  /** A body that grows while its connection is open. */
  | {
      readonly kind: 'stream'
      readonly status: number
      readonly contentType: string
      readonly open: OpenStream
    }

/** Status 204 without a body. */
export const emptyOutcome: SecretsOutcome = { kind: 'empty' }

/** Status 204 or, in dialects that use the statuses of the reference, 202. */
export const acceptedOutcome: SecretsOutcome = { kind: 'empty', isDeferred: true }

/** Returns 200 with the warnings, or 204 if there are no warnings. */
export function emptyWithWarnings(warnings: readonly Message[]): SecretsOutcome {
  return { kind: 'empty', warnings }
}

/** Returns 200 with one warning. The reference sends this reply in place of a 204. */
export function outcomeWithWarning(warning: Message): SecretsOutcome {
  return { kind: 'envelope', warnings: [warning] }
}

/** Returns a 200 whose envelope contains the payload as `data`. */
export function dataOutcome(payload: object | JsonText | null): SecretsOutcome {
  return { kind: 'envelope', data: payload }
}

/** Returns a 200 whose `data` depend on the dialect. */
export function dialectDataOutcome(
  renderData: (dialect: SecretsDialect) => object,
): SecretsOutcome {
  return { kind: 'envelope', renderData }
}

/**
 * Returns a 200 whose `data` contain the names as `keys`, and the members of `more`. Throws an
 * `absent` refusal for an empty list (behaviour/secrets#api-lists).
 */
export function keysOutcome(names: readonly string[], more: object = {}): SecretsOutcome {
  if (names.length === 0) throw refuse('nothing-here')
  return { kind: 'envelope', data: { keys: names, ...more } }
}

/**
 * Returns 200 with a bare body. Dialects that use the bodies of the reference send `referenceBody`.
 */
export function bareOutcome(body: object, referenceBody: object = body): SecretsOutcome {
  return { kind: 'bare', status: 200, body, referenceBody }
}

/**
 * Returns 200 for an endpoint that is bare in the specification and has an envelope in the
 * reference, such as reading a password policy. The neutral dialect sends `body`; the vendor
 * dialect sends an envelope whose data are `referenceData` (behaviour/secrets#body-kinds).
 * `dialectBodySchema` returns the schema of such replies.
 */
export function spreadOutcome(body: object, referenceData: object = body): SecretsOutcome {
  return { kind: 'spread', body, referenceData }
}

type Envelope = Extract<SecretsOutcome, { kind: 'envelope' }>
type Spread = Extract<SecretsOutcome, { kind: 'spread' }>
type Wrapped = Extract<SecretsOutcome, { kind: 'wrapped' }>

/** A rendered outcome. At most one of `text`, `bytes` and `open` is present. */
export interface RenderedOutcome {
  readonly status: number
  readonly text: string | undefined
  readonly bytes?: Uint8Array | undefined
  /** Function that opens a body that grows while its connection is open. */
  readonly open?: OpenStream | undefined
  /** Content type of a body that is not JSON. */
  readonly contentType?: string
  /** Headers of this reply, which take precedence over the headers that every reply has. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/**
 * Renders the reply of an outcome (behaviour/secrets#envelope). Payloads that are already text are
 * not parsed again. For a `wrapped` outcome, this function creates the wrapping token.
 *
 * @param ids generator of the request id; only replies with an envelope have one
 */
export function renderOutcome(
  outcome: SecretsOutcome,
  ids: Pick<Ids, 'uuid'>,
  dialect: SecretsDialect,
): RenderedOutcome {
  if (outcome.kind === 'bare') {
    const { status, body, referenceBody = body, headers } = outcome
    const chosenBody = dialect.usesReferenceBodies ? referenceBody : body
    return { status, text: chosenBody === null ? undefined : serialize(chosenBody), headers }
  }
  if (outcome.kind === 'text') return outcome
  if (outcome.kind === 'bytes' || outcome.kind === 'stream') return { ...outcome, text: undefined }
  if (outcome.kind === 'spread') {
    if (!dialect.usesReferenceBodies) return { status: 200, text: serialize(outcome.body) }
    return {
      status: 200,
      text: serializeEnvelope(toReferenceEnvelope(outcome), ids.uuid(), dialect),
    }
  }
  if (outcome.kind === 'wrapped') return renderWrapped(outcome, ids, dialect)
  if (outcome.kind === 'envelope') {
    const id = outcome.wrap === undefined ? ids.uuid() : ''
    const { status = 200, referenceStatus = status } = outcome
    return {
      status: dialect.usesReferenceStatuses ? referenceStatus : status,
      text: serializeEnvelope(outcome, id, dialect),
    }
  }
  if (outcome.warnings === undefined || outcome.warnings.length === 0) {
    return {
      status: outcome.isDeferred && dialect.usesReferenceStatuses ? 202 : 204,
      text: undefined,
    }
  }
  const envelopeWithWarnings: Envelope = { kind: 'envelope', warnings: outcome.warnings }
  return { status: 200, text: serializeEnvelope(envelopeWithWarnings, ids.uuid(), dialect) }
}

/**
 * Returns the envelope that the reference sends for a reply whose body is bare in the neutral
 * dialect.
 */
function toReferenceEnvelope({
  referenceData,
  warnings = [],
  repeatsKeys: repeat = false,
}: Spread): Envelope {
  return { kind: 'envelope', data: referenceData, warnings, repeatsKeys: repeat }
}

/**
 * Renders a reply. If the reply has the status 200 and a text body, replaces it with a new wrapping
 * token. As in the reference, the keys of `data` are not repeated, even if the reply is not
 * replaced.
 */
function renderWrapped({ reply, wrap }: Wrapped, ids: Pick<Ids, 'uuid'>, dialect: SecretsDialect) {
  const converted =
    reply.kind === 'spread' && dialect.usesReferenceBodies ? toReferenceEnvelope(reply) : reply
  const outcomeWithoutRepeat: SecretsOutcome =
    converted.kind === 'envelope' ? { ...converted, repeatsKeys: false } : converted
  const rendered = renderOutcome(outcomeWithoutRepeat, ids, dialect)
  if (rendered.status !== 200 || rendered.text === undefined) return rendered
  return {
    status: 200,
    text: serializeEnvelope({ kind: 'envelope', wrap: wrap(rendered.text) }, '', dialect),
  }
}

function serializeEnvelope(outcome: Envelope, requestId: string, dialect: SecretsDialect): string {
  const { lease, warnings = [] } = outcome
  const data = outcome.renderData?.(dialect) ?? outcome.data ?? null
  // Joining strings is faster than concatenating them, because a concatenated string is copied
  // again when it is sent.
  return [
    '{"request_id":"',
    requestId,
    lease === undefined ? emptyLease : serializeLease(lease),
    data === null ? 'null' : serialize(data),
    serializeTrailer(
      dialect.usesReferenceBodies ? withoutEmptyAccessor(outcome) : outcome,
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

/**
 * Returns the outcome without the member `wrapped_accessor` of `wrap` if this member is empty;
 * otherwise returns the outcome unchanged.
 */
function withoutEmptyAccessor(outcome: Envelope): Envelope {
  if (outcome.wrap?.wrapped_accessor !== '') return outcome
  const { wrapped_accessor: _, ...wrap } = outcome.wrap
  return { ...outcome, wrap }
}

/**
 * Serializes the members of an envelope that follow `data`. Most of them are null. For failures,
 * adds an empty list `errors`.
 */
function serializeTrailer({ auth, wrap, status = 200 }: Envelope, warnings: readonly string[]) {
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
 * Serializes the members of `data` for endpoints that repeat them at the top level. Members whose
 * names the envelope itself uses are left out.
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
