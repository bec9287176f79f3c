import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

export const { table, refuse } = defineMessages({
  ...commonMessages,
  ...refusals('invalid', {
    'quota-limit-invalid': "'{name}' is invalid",
    'quota-mount-unknown': 'invalid mount path {path}',
    'quota-mount-without-roles':
      'Mount path {path} is not a valid auth method and therefore unsuitable for use with role-based quotas',
    'quota-method-without-roles': 'Mount path {path} does not support use with role-based quotas',
    'quota-path-and-role':
      'Quotas cannot contain both a path suffix and a role. If a role is provided, path must be a valid auth mount with a concept of roles',
    'quota-similar': 'quota rule with similar properties exists under the name {name}',
  }),
  ...refusals('absent', { 'lease-counts-enterprise-only': 'enterprise-only feature' }),
  'lease-count-exceeded': {
    kind: 'invalid',
    text: 'request path {path}: lease count quota exceeded',
    detail: { status: 429 },
  },
})
