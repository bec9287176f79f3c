import type { Refusal, RefusalKind } from '../../state/kernel/refusal.ts'
import type { platformMessages } from '../../state/platform/messages.ts'
import type { AttributeViolation, ViolationsDetail } from '../../state/platform/violations.ts'
import type { PlatformDialect } from './dialect.ts'

/** A JSON:API error object (behaviour/platform#errors). */
interface ErrorObject {
  /** HTTP status as text. */
  readonly status: string
  readonly title: string
  readonly detail?: string
  readonly source?: { readonly pointer: string }
}

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
  412: 'precondition failed',
  413: 'payload too large',
  415: 'invalid content type',
  422: 'unprocessable entity',
  429: 'Too many requests',
  500: 'internal server error',
  503: 'service unavailable',
  504: 'gateway timeout',
}

/** Returns an error response with one object that has the standard title of its status. */
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

/**
 * HTTP statuses by rule, for rules whose status differs from the status of their kind of refusal.
 */
const ruleStatuses: { readonly [Rule in keyof typeof platformMessages]?: number } = {
  'member-already': 400,
  'no-member': 400,
  'not-in-organization': 400,
  'user-unknown': 400,
  'test-number-missing': 400,
  'sms-disabled': 400,
  'mail-rejected': 401,
  'address-expired': 403,
  'default-project-stays': 403,
  'force-delete-denied': 403,
  'force-execute-denied': 403,
  'owner-stays-member': 403,
  'project-in-use': 403,
  'public-module-versions': 403,
  'public-provider-versions': 403,
  'namespace-filter-missing': 403,
  'namespace-unauthorized': 403,
  'workspaces-unmovable': 403,
  'filter-incomplete': 400,
  'filter-required': 400,
  'state-transition-not-allowed': 400,
  'state-pending': 400,
  'agent-works': 412,
  'state-serial-old': 412,
  'filter-missing': 400,
  'trigger-type-wrong': 400,
  'verification-failed': 400,
  'include-unknown': 400,
  'search-empty': 400,
  'upload-too-large': 413,
  'content-type-unknown': 415,
  'rate-exceeded': 429,
  'mail-timed-out': 504,
}

const statusOfRule: ReadonlyMap<string, number> = new Map(Object.entries(ruleStatuses))

/** Statuses whose error objects have a detail in addition to the title. */
const statusesWithDetail: ReadonlySet<number> = new Set([400, 415, 422, 429])

/** Rules whose error objects have a detail although their status is not in `statusesWithDetail`. */
const rulesWithDetail: ReadonlySet<string> = new Set([
  'version-current',
  'state-serial-old',
  'force-delete-denied',
  'namespace-unauthorized',
  'owner-stays-member',
  'project-in-use',
  'workspaces-unmovable',
])

/** Rules about locks and states: their error objects have a detail and a title of their own. */
const conflictRules: ReadonlySet<string> = new Set([
  'workspace-locked',
  'workspace-locked-by',
  'workspace-managing',
  'workspace-processing',
  'already-locked',
  'state-needs-lock',
  'state-lock-of-other',
  'state-lineage-differs',
  'state-md5-differs',
  'state-pending',
  'state-pending-retry',
  'already-unlocked',
])

/** Titles of error objects by rule, for rules that do not use the title of their status. */
const ruleTitles: ReadonlyMap<string, string> = new Map([
  ['configuration-processing', 'invalid run parameters'],
  ['token-description-taken', 'invalid attributes'],
])

/** Renders a refusal from the domain as a JSON:API error response. */
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
  if (conflictRules.has(rule)) {
    const detail = dialect.renderMessage(message)
    return { status, errors: [{ status: String(status), title: 'conflict', detail }] }
  }
  const hasDetail =
    kind === 'upstream' || statusesWithDetail.has(status) || rulesWithDetail.has(rule)
  const ruleTitle = ruleTitles.get(rule)
  if (ruleTitle !== undefined) {
    const detail = dialect.renderMessage(message)
    return { status, errors: [{ status: String(status), title: ruleTitle, detail }] }
  }
  const reply = errorReply(status, hasDetail ? dialect.renderMessage(message) : undefined)
  return status === 429 ? { ...reply, headers: { 'retry-after': '1' } } : reply
}

/**
 * Rules whose messages name an attribute by its whole path, such as `Vcs repo identifier`. Other
 * messages name only the last part of the path.
 */
const rulesAboutPaths: ReadonlySet<string> = new Set([
  'not-with-triggers',
  'needs-mode',
  'repository-blank',
  'repository-invalid',
])

/** Renders the violation of a rule by an attribute, with a pointer to the attribute. */
function attributeError(violation: AttributeViolation, dialect: PlatformDialect): ErrorObject {
  const names = violation.attribute.split('/').map((name) => dialect.toWire('attribute', name))
  const subject = rulesAboutPaths.has(violation.rule) ? names.join('-') : (names.at(-1) ?? '')
  return {
    status: '422',
    title: 'invalid attribute',
    detail: `${attributeInSentence(subject)} ${dialect.renderMessage(violation)}`,
    source: { pointer: `/data/attributes/${names.join('/')}` },
  }
}

/** Returns an attribute's name as it appears in a sentence, such as `Idp cert`. */
function attributeInSentence(attribute: string): string {
  const words = attribute.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
