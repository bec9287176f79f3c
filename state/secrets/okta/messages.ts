import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

/** Messages of the login method okta (behaviour/secrets#okta). */
export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  ...refusals('invalid', {
    'okta-not-configured': 'Okta auth method not configured',
    'okta-organization-missing': 'org_name is missing',
    'okta-refused':
      'Okta auth failed: the API returned an error: Authentication failed (code=E0000004)',
    'okta-token-refused':
      'Okta auth failed: the API returned an error: Invalid token provided (code=E0000011)',
    'okta-unreachable': 'Okta auth failed: dial tcp: {why}',
    'okta-status-refused': 'okta authentication failed',
    'okta-push-denied': 'multi-factor authentication denied',
    'okta-passcode-missing': "'totp' passcode parameter is required to perform MFA",
  }),
  'okta-groups-none': {
    text: 'no Okta groups found; only policies from locally-defined groups available',
  },
  'okta-mfa-bypassed': {
    text: 'Okta MFA bypass is configured. In addition to ignoring Okta MFA requests, certain other account statuses will not be seen, such as PASSWORD_EXPIRED. Authentication will succeed in these cases.',
  },
})
