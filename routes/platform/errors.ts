import type { Refusal, RefusalKind } from '../../state/kernel/refusal.ts'
import type { platformMessages } from '../../state/platform/messages.ts'
import type { AttributeViolation, ViolationsDetail } from '../../state/platform/violations.ts'
import type { PlatformDialect } from './dialect.ts'

/** One JSON:API error object (behaviour/platform#errors). */
interface ErrorObject {
  /** The HTTP status as text. */
  readonly status: string
  readonly title: string
  readonly detail?: string
  readonly source?: { readonly pointer: string }
}

/** A failure as it goes out. */
export interface ErrorReply {
  readonly status: number
  readonly errors: readonly ErrorObject[]
  readonly headers?: Readonly<Record<string, string>>
}

const titles: Readonly<Record<number, string>> = {
  400: 'bad request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not found',
  409: 'transition not allowed',
  413: 'payload too large',
  415: 'invalid content type',
  422: 'unprocessable entity',
  429: 'Too many requests',
  500: 'internal server error',
  504: 'gateway timeout',
}

/** One object with the usual title of a status. */
export function errorReply(status: number, detail?: string): ErrorReply {
  const object = { status: String(status), title: titles[status] ?? 'error' }
  return { status, errors: [detail === undefined ? object : { ...object, detail }] }
}

const kindStatuses: Readonly<Record<RefusalKind, number>> = {
  invalid: 422,
  denied: 401,
  absent: 404,
  conflict: 409,
  unsupported: 404,
  unavailable: 503,
  upstream: 500,
  precondition: 409,
}

/** The statuses of rules whose kind does not tell. */
const ruleStatuses: { readonly [Rule in keyof typeof platformMessages]?: number } = {
  'member-already': 400,
  'no-member': 400,
  'user-unknown': 400,
  'test-number-missing': 400,
  'sms-disabled': 400,
  'mail-rejected': 401,
  'address-expired': 403,
  'default-project-stays': 403,
  'include-unknown': 400,
  'upload-too-large': 413,
  'content-type-unknown': 415,
  'rate-exceeded': 429,
  'mail-timed-out': 504,
}

const statusOfRule: ReadonlyMap<string, number> = new Map(Object.entries(ruleStatuses))

/** The statuses whose objects say more than the title. */
const statusesWithDetail: ReadonlySet<number> = new Set([400, 415, 422, 429])

/** Rules of other statuses whose objects do. */
const rulesWithDetail: ReadonlySet<string> = new Set([
  'version-current',
  'workspace-locked',
  'workspace-locked-by',
])

/** A domain refusal in the API's own shape. */
export function renderRefusal(refusal: Refusal, dialect: PlatformDialect): ErrorReply {
  const { kind, rule, reason: message } = refusal
  const { attributes }: ViolationsDetail = refusal.detail
  if (attributes !== undefined) {
    return {
      status: 422,
      errors: attributes.map((violation) => attributeError(violation, dialect)),
    }
  }
  const status = statusOfRule.get(rule) ?? kindStatuses[kind]
  const hasDetail =
    kind === 'upstream' || statusesWithDetail.has(status) || rulesWithDetail.has(rule)
  const reply = errorReply(status, hasDetail ? dialect.renderMessage(message) : undefined)
  return status === 429 ? { ...reply, headers: { 'retry-after': '1' } } : reply
}

/** One broken rule of an attribute (E422a). */
function attributeError(violation: AttributeViolation, dialect: PlatformDialect): ErrorObject {
  const names = violation.attribute.split('/').map((name) => dialect.toWire('attribute', name))
  return {
    status: '422',
    title: 'invalid attribute',
    detail: `${attributeInSentence(names.at(-1) ?? '')} ${dialect.renderMessage(violation)}`,
    source: { pointer: `/data/attributes/${names.join('/')}` },
  }
}

/** An attribute's name in a sentence: `Idp cert`. */
function attributeInSentence(attribute: string): string {
  const words = attribute.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
