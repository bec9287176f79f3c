import type { Message } from '../kernel/message.ts'
import {
  defineMessages,
  type MessageTable,
  type RefusalDetails,
  refusals,
} from '../kernel/refusal.ts'

/**
 * Details that the secrets API needs to render a refusal, in addition to its kind
 * (behaviour/secrets#refusals).
 * - `multierror`: the text is formatted as an item of a list of errors, as the reference formats
 *   errors that a handler raises.
 * - `unenveloped`: the body is `{"errors": []}`; only the journal shows the message.
 * - `internal`: the status is 500 in every dialect, because the specification has no kind for the
 *   error.
 * - `internalInReference`: a caller's mistake that the reference, and thus the vendor dialect,
 *   reports as an internal error (behaviour/secrets#callers-faults).
 * - `invalidInReference`: the status is 400 in the reference, and thus in the vendor dialect,
 *   regardless of the kind.
 * - `oauth`: the error code of a body in the form of OAuth, `{error, error_description}`.
 * - `state`: set if the body in the form of OAuth also has the member `state`. The member has the
 *   value in the request (`sent`) or is empty (`empty`).
 */
export interface SecretsRefusalDetail extends RefusalDetails {
  readonly multierror?: boolean
  readonly unenveloped?: boolean
  readonly internal?: boolean
  readonly internalInReference?: boolean
  readonly invalidInReference?: boolean
  readonly oauth?: string
  readonly state?: 'sent' | 'empty'
}

/** Details of refusals for mistakes of the caller that the reference reports as internal errors. */
export const callerErrorDetail = { multierror: true, internalInReference: true } as const

/**
 * Declares refusals, by rule, for mistakes of the caller. The reference reports these mistakes as
 * internal errors.
 */
export function callerErrorRefusals<const T extends Readonly<Record<string, string>>>(texts: T) {
  return refusals('invalid', texts, callerErrorDetail)
}

/** Messages that several folders of the API share; the message table of each folder includes them. */
export const commonMessages = {
  'nothing-here': {
    kind: 'absent',
    text: 'there is nothing at this path',
    detail: { unenveloped: true },
  },
  'token-refused': { kind: 'denied', text: 'permission denied' },
  'acl-denied': { kind: 'denied', text: 'permission denied', detail: { multierror: true } },
  'unsupported-path': { kind: 'absent', text: 'unsupported path', detail: { multierror: true } },
  'unsupported-operation': {
    kind: 'unsupported',
    text: 'unsupported operation',
    detail: { multierror: true },
  },
  sealed: { kind: 'unavailable', text: 'Service is sealed' },
  ...refusals('invalid', {
    'disabled-on-secondary': 'path disabled in replication DR secondary mode',
    'missing-path': 'missing path',
    'missing-token-id': 'missing token ID',
    'token-not-found': 'token not found',
    'lease-not-renewable': 'lease is not renewable',
    'token-id-taken': 'cannot create a token with a duplicate ID',
    'share-repeated': 'given key has already been provided during this generation operation',
  }),
  'missing-accessor': { kind: 'invalid', text: 'missing accessor', detail: { multierror: true } },
  'invalid-accessor': { kind: 'invalid', text: 'invalid accessor', detail: { multierror: true } },
  'error-list': { text: '{count} occurred:\n{errors}\n' },
  'error-item': { text: '\t* {error}\n' },
} as const satisfies MessageTable

const { message } = defineMessages(commonMessages)

/**
 * Formats errors as one message: the number of errors, followed by one line for each error
 * (behaviour/secrets#refusals).
 */
export function errorList(errors: readonly Message[]): Message {
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  return message('error-list', {
    count,
    errors: errors.map((error) => message('error-item', { error })),
  })
}
