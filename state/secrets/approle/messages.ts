import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { callerErrorDetail, callerErrorRefusals, commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  ...refusals('invalid', {
    'approle-name-too-long': 'role_name is longer than maximum of 4096 bytes',
    'approle-local-fixed': 'local_secret_ids can only be modified during role creation',
    'approle-role-id-empty': 'invalid role_id supplied, or failed to generate a role_id',
    'approle-negative': '{name} cannot be negative',
    'approle-period-above-max':
      'period of "{period}" is greater than the backend\'s maximum lease TTL of "{max}"',
    'approle-property-networks-unreadable':
      'failed to validate CIDR blocks: invalid CIDR address: {text}',
    'approle-token-networks-unreadable': 'failed to parse token_bound_cidrs: {why}',
    'approle-property-missing': 'missing {name}',
    'approle-ttl-above-max': 'token_ttl should not be greater than token_max_ttl',
    'approle-max-below-ttl': 'token_max_ttl should be greater than or equal to token_ttl',
    'approle-role-absent': 'role "{role}" does not exist',
    'approle-secret-ids-off': 'bind_secret_id is not set on the role',
    'approle-uses-above-role': "num_uses cannot be higher than the role's secret_id_num_uses",
    'approle-id-ttl-above-role': "ttl cannot be longer than the role's secret_id_ttl",
    'approle-metadata-unreadable':
      'failed to parse metadata: failed to parse the input: invalid <key,value> format',
    'approle-credentials-wrong': 'invalid role or secret ID',
    'approle-secret-id-network':
      'source address {address} unauthorized through CIDR restrictions on the secret ID',
    'approle-counted-id-network':
      'source address {address} unauthorized by CIDR restrictions on the secret ID: %!w(<nil>)',
    'approle-role-network':
      'source address {address} unauthorized by CIDR restrictions on the role: %!w(<nil>)',
  }),
  ...callerErrorRefusals({
    'approle-networks-unreadable': 'failed to validate CIDR blocks: invalid CIDR address: {text}',
    'approle-secret-id-token-networks-unreadable':
      'failed to validate token CIDR blocks: invalid CIDR address: {text}',
    'approle-unconstrained': 'at least one constraint should be enabled on the role',
    'approle-role-id-taken': 'role_id already in use',
    'approle-networks-outside':
      'failed to verify subset relationship between CIDR blocks on the role {role} and CIDR blocks on the secret ID {own}: %!w(<nil>)',
    'approle-secret-id-taken': 'failed to store secret_id: SecretID is already registered',
  }),
  'approle-accessor-of-other-role': { kind: 'denied', text: 'invalid secret id accessor' },
  'approle-role-not-found': { kind: 'absent', text: 'role "{role}" does not exist' },
  ...refusals(
    'absent',
    {
      'approle-role-not-there': 'role "{role}" does not exist',
      'approle-accessor-absent': 'failed to find accessor entry for secret_id_accessor: {accessor}',
    },
    callerErrorDetail,
  ),
  'approle-role-id-missing': {
    kind: 'invalid',
    text: 'missing role_id',
    detail: { internalInReference: true },
  },
  'approle-max-ttl-truncated': {
    text: "token_max_ttl is greater than the backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
  },
  'approle-type-adjusted': { text: 'default-{type} has no useful meaning; adjusting to {type}' },
  'approle-old-networks': {
    text: 'The "bound_cidr_list" field is deprecated and will be removed. Please use "secret_id_bound_cidrs" instead.',
  },
})
