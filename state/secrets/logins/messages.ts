import { defineMessages, type MessageTable, refusals } from '../../kernel/refusal.ts'
import { callerErrorRefusals, commonMessages } from '../common-messages.ts'

/**
 * Messages common to all login methods; each method's table includes them
 * (behaviour/secrets#login-token).
 */
export const loginMessages = {
  ...refusals('invalid', {
    'login-root': 'auth methods cannot create root tokens',
    'login-policy': 'cannot assign policy "response-wrapping"',
    'role-ttl-above-max': "'token_ttl' cannot be greater than 'token_max_ttl'",
    'role-setting-negative': "'{name}' cannot be negative",
    'login-token-type-unknown': "invalid 'token_type' value {text}",
    'login-address-unreadable':
      'error parsing address "{text}": Unable to convert "{text}" to an IPv4 or IPv6 address, or a UNIX Socket',
    'batch-role-periodic':
      "'token_type' cannot be 'batch' or 'default_batch' when set to generate periodic tokens",
    'batch-role-limited':
      "'token_type' cannot be 'batch' or 'default_batch' when set to generate tokens with limited use count",
  }),
  ...callerErrorRefusals({
    'login-role-gone': 'failed to renew entry: role "{role}" does not exist during renewal',
    'orch-login-role-gone': 'failed to renew entry: role {role} does not exist during renewal',
    'login-policies-changed': 'failed to renew entry: policies have changed, not renewing',
  }),
  'login-alias-nameless': {
    kind: 'invalid',
    text: 'missing name in alias',
    detail: { internalInReference: true },
  },
  'login-name-undetermined': {
    kind: 'invalid',
    text: 'failed to determine alias name from login request',
    detail: { internalInReference: true },
  },
} as const satisfies MessageTable

export const { refuse } = defineMessages({ ...commonMessages, ...loginMessages })
