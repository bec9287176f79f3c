import type { Message } from '../kernel/message.ts'
import {
  defineMessages,
  type MessageTable,
  type RefusalDetails,
  refusals,
} from '../kernel/refusal.ts'

/**
 * Details that the secrets API needs to render a refusal, in addition to its kind
 * (behaviour/secrets#notation).
 * - `multierror`: the text is formatted as an item of the list that the reference makes of errors
 * raised by a handler (`W`).
 * - `unenveloped`: the body is `{"errors": []}`; the message is only for the journal (`E[]`).
 * - `internal`: 500 in every dialect, for errors without a matching kind in the specification.
 * - `internalInReference`: a caller's mistake that the reference, and thus the vendor dialect,
 * reports as an internal error (`R5`).
 * - `invalidInReference`: 400 in the reference, and thus in the vendor dialect, whatever the kind.
 */
export interface SecretsRefusalDetail extends RefusalDetails {
  readonly multierror?: boolean
  readonly unenveloped?: boolean
  readonly internal?: boolean
  readonly internalInReference?: boolean
  readonly invalidInReference?: boolean
}

/** Details of an error that the reference raises for a caller's mistake (`R5` in the list of `W`). */
export const raised = { multierror: true, internalInReference: true } as const

/**
 * Declares the messages of errors that the reference raises for a caller's mistake, by their rules.
 */
export function raisedRefusals<const T extends Readonly<Record<string, string>>>(texts: T) {
  return refusals('invalid', texts, raised)
}

/** Messages common to several subjects; each subject's table begins with them. */
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

/** Formats errors as the list of `W` and of nested errors (behaviour/secrets#notation). */
export function errorList(errors: readonly Message[]): Message {
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`
  return message('error-list', {
    count,
    errors: errors.map((error) => message('error-item', { error })),
  })
}
