import { Refusal, wordings } from '../../kernel/refusal.ts'
import { commonTexts } from '../common-texts.ts'

const notAuthenticated = {
  kind: 'denied',
  text: 'Cloud authentication failed',
  detail: { invalidInReference: true },
} as const

/** Checks of login step (3): callers get one text for all of them. */
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
 * The checks of a login in all: for what the caller is 403, in the reference 400; for what it asks for
 * 400 (behaviour/secrets#cloud-login).
 */
const loginChecks = {
  ...authenticationChecks,
  'login-principal-type': {
    kind: 'denied',
    text: 'Wrong principal type',
    detail: { invalidInReference: true },
  },
  'login-tenancy': {
    kind: 'denied',
    text: 'Invalid Tenancy',
    detail: { invalidInReference: true },
  },
  'login-no-memberships': {
    kind: 'denied',
    text: 'No membership CIDs found',
    detail: { invalidInReference: true },
  },
  'login-membership': {
    kind: 'denied',
    text: 'Entity not a part of any of the Role CIDs',
    detail: { invalidInReference: true },
  },
  'login-role': { kind: 'invalid', text: 'Role is not found' },
  'login-request-target-missing': {
    kind: 'invalid',
    text: 'no (request-target) specified in header',
  },
  'login-request-target': {
    kind: 'invalid',
    text: 'incorrect (request-target) specified in header',
  },
  'login-config': { kind: 'invalid', text: 'Home Tenancy is invalid' },
  'login-root': { kind: 'invalid', text: 'auth methods cannot create root tokens' },
  'login-policy': { kind: 'invalid', text: 'cannot assign policy "response-wrapping"' },
} as const

/** Texts of the cloud method (behaviour/secrets#cloud). */
export const {
  table: cloudTexts,
  say,
  refuse,
} = wordings({
  ...commonTexts,
  ...loginChecks,
  'cloud-not-configured': {
    kind: 'absent',
    text: 'the method is not configured',
    detail: { bare: true },
  },
  'tenancy-missing': { kind: 'invalid', text: 'Missing homeTenancyId' },
  'key-not-rsa': { kind: 'invalid', text: 'this is no RSA key in PEM form' },
  'login-body-of-both': { kind: 'invalid', text: 'either a user or an instance logs in, not both' },
  'user-absent': { kind: 'absent', text: 'there is no user "{id}"' },
  'instance-absent': { kind: 'absent', text: 'there is no instance "{id}"' },
  'private-key-not-held': {
    kind: 'conflict',
    text: 'only public keys of the {whose} are held here: sign with its private key yourself, or give it as PEM',
  },
  'too-many-cids': {
    kind: 'invalid',
    text: 'Number of CIDs for this role exceeds the limit',
  },
  'role-ttl-above-max': {
    kind: 'invalid',
    text: "'token_ttl' cannot be greater than 'token_max_ttl'",
  },
  'role-setting-negative': { kind: 'invalid', text: "'{name}' cannot be negative" },
  'cloud-token-type-unknown': { kind: 'invalid', text: "invalid 'token_type' value {text}" },
  'cloud-address-unreadable': {
    kind: 'invalid',
    text: 'error parsing address "{text}": Unable to convert "{text}" to an IPv4 or IPv6 address, or a UNIX Socket',
  },
  'batch-role-periodic': {
    kind: 'invalid',
    text: "'token_type' cannot be 'batch' or 'default_batch' when set to generate periodic tokens",
  },
  'batch-role-limited': {
    kind: 'invalid',
    text: "'token_type' cannot be 'batch' or 'default_batch' when set to generate tokens with limited use count",
  },
})

/**
 * A login that does not pass a check. The text tells the caller little, so what was found goes along
 * for logs and the journal.
 *
 * @param why for people
 */
export function loginRefused(check: keyof typeof loginChecks, why: string): Refusal {
  const { kind, ...wording } = loginChecks[check]
  const detail = 'detail' in wording ? wording.detail : {}
  return new Refusal(kind, say(check), { ...detail, why })
}
