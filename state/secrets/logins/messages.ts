import { defineMessages, type MessageTable } from '../../kernel/refusal.ts'
import { commonMessages, raised } from '../common-messages.ts'

/**
 * Messages common to all login methods; each method's table includes them
 * (behaviour/secrets#login-token).
 */
export const loginMessages = {
  'login-root': { kind: 'invalid', text: 'auth methods cannot create root tokens' },
  'login-policy': { kind: 'invalid', text: 'cannot assign policy "response-wrapping"' },
  'role-ttl-above-max': {
    kind: 'invalid',
    text: "'token_ttl' cannot be greater than 'token_max_ttl'",
  },
  'role-setting-negative': { kind: 'invalid', text: "'{name}' cannot be negative" },
  'login-token-type-unknown': { kind: 'invalid', text: "invalid 'token_type' value {text}" },
  'login-address-unreadable': {
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
  'login-role-gone': {
    kind: 'invalid',
    text: 'failed to renew entry: role "{role}" does not exist during renewal',
    detail: raised,
  },
  'orch-login-role-gone': {
    kind: 'invalid',
    text: 'failed to renew entry: role {role} does not exist during renewal',
    detail: raised,
  },
  'login-policies-changed': {
    kind: 'invalid',
    text: 'failed to renew entry: policies have changed, not renewing',
    detail: raised,
  },
} as const satisfies MessageTable

export const { message, refuse } = defineMessages({ ...commonMessages, ...loginMessages })
