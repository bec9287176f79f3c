import { defineMessages, Refusal, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

const notAuthenticated = {
  kind: 'denied',
  text: 'Cloud authentication failed',
  detail: { invalidInReference: true },
} as const

/**
 * Checks in step 3 of a login (behaviour/secrets#cloud-login). Every failed check gives the caller
 * the same message, which hides the reason.
 */
export const authenticationChecks = {
  'login-authorization-missing': notAuthenticated,
  'login-authorization-form': notAuthenticated,
  'login-authorization-parameter': notAuthenticated,
  'login-version': notAuthenticated,
  'login-algorithm': notAuthenticated,
  'login-signed-headers': notAuthenticated,
  'login-header-missing': notAuthenticated,
  'login-date-form': notAuthenticated,
  'login-date-skew': notAuthenticated,
  'login-signature-form': notAuthenticated,
  'login-signature': notAuthenticated,
  'login-key-id-form': notAuthenticated,
  'login-key-unknown': notAuthenticated,
  'login-token-claims': notAuthenticated,
  'login-token-expired': notAuthenticated,
} as const

/**
 * All checks of a login. A login that fails a check of the kind `denied` is refused with 403 (400
 * in the reference); for the kind `invalid`, the status is 400 (behaviour/secrets#cloud-login).
 */
const loginChecks = {
  ...authenticationChecks,
  ...refusals(
    'denied',
    {
      'login-principal-type': 'Wrong principal type',
      'login-tenancy': 'Invalid Tenancy',
      'login-no-memberships': 'No membership CIDs found',
      'login-membership': 'Entity not a part of any of the Role CIDs',
    },
    { invalidInReference: true },
  ),
  ...refusals('invalid', {
    'login-role': 'Role is not found',
    'login-request-target-missing': 'no (request-target) specified in header',
    'login-request-target': 'incorrect (request-target) specified in header',
    'login-config': 'Home Tenancy is invalid',
  }),
} as const

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  ...loginChecks,
  'cloud-not-configured': {
    kind: 'absent',
    text: 'the method is not configured',
    detail: { unenveloped: true },
  },
  ...refusals('invalid', {
    'tenancy-missing': 'Missing homeTenancyId',
    'key-not-rsa': 'this is not an RSA key in PEM form',
    'login-body-of-both': 'either a user or an instance logs in, not both',
  }),
  ...refusals('absent', {
    'user-absent': 'there is no user "{id}"',
    'instance-absent': 'there is no instance "{id}"',
  }),
  'private-key-not-held': {
    kind: 'conflict',
    text: 'only public keys of the {whose} are held here: sign with its private key yourself, or give it as PEM',
  },
  'too-many-cids': { kind: 'invalid', text: 'Number of CIDs for this role exceeds the limit' },
})

/**
 * Returns the refusal of a login that fails a check. The text of the refusal hides the reason from
 * the caller; `why` is the reason for logs and the journal.
 */
export function loginRefused(check: keyof typeof loginChecks, why: string): Refusal {
  const { kind, ...wording } = loginChecks[check]
  const detail = 'detail' in wording ? wording.detail : {}
  return new Refusal(kind, message(check), { ...detail, why })
}
