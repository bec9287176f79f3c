import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages, raised } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

/** Messages of the method AppRole (behaviour/secrets#approle). */
export const {
  table: approleTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  ...loginMessages,
  'approle-name-too-long': {
    kind: 'invalid',
    text: 'role_name is longer than maximum of 4096 bytes',
  },
  'approle-local-fixed': {
    kind: 'invalid',
    text: 'local_secret_ids can only be modified during role creation',
  },
  'approle-role-id-empty': {
    kind: 'invalid',
    text: 'invalid role_id supplied, or failed to generate a role_id',
  },
  'approle-negative': { kind: 'invalid', text: '{name} cannot be negative' },
  'approle-period-above-max': {
    kind: 'invalid',
    text: 'period of "{period}" is greater than the backend\'s maximum lease TTL of "{max}"',
  },
  'approle-networks-unreadable': {
    kind: 'invalid',
    text: 'failed to validate CIDR blocks: invalid CIDR address: {text}',
    detail: raised,
  },
  'approle-property-networks-unreadable': {
    kind: 'invalid',
    text: 'failed to validate CIDR blocks: invalid CIDR address: {text}',
  },
  'approle-token-networks-unreadable': {
    kind: 'invalid',
    text: 'failed to parse token_bound_cidrs: {why}',
  },
  'approle-unconstrained': {
    kind: 'invalid',
    text: 'at least one constraint should be enabled on the role',
    detail: raised,
  },
  'approle-role-id-taken': { kind: 'invalid', text: 'role_id already in use', detail: raised },
  'approle-property-missing': { kind: 'invalid', text: 'missing {name}' },
  'approle-ttl-above-max': {
    kind: 'invalid',
    text: 'token_ttl should not be greater than token_max_ttl',
  },
  'approle-max-below-ttl': {
    kind: 'invalid',
    text: 'token_max_ttl should be greater than or equal to token_ttl',
  },
  'approle-role-absent': { kind: 'invalid', text: 'role "{role}" does not exist' },
  'approle-role-not-found': { kind: 'absent', text: 'role "{role}" does not exist' },
  'approle-role-not-there': {
    kind: 'absent',
    text: 'role "{role}" does not exist',
    detail: raised,
  },
  'approle-secret-ids-off': { kind: 'invalid', text: 'bind_secret_id is not set on the role' },
  'approle-uses-above-role': {
    kind: 'invalid',
    text: "num_uses cannot be higher than the role's secret_id_num_uses",
  },
  'approle-id-ttl-above-role': {
    kind: 'invalid',
    text: "ttl cannot be longer than the role's secret_id_ttl",
  },
  'approle-metadata-unreadable': {
    kind: 'invalid',
    text: 'failed to parse metadata: failed to parse the input: invalid <key,value> format',
  },
  'approle-networks-outside': {
    kind: 'invalid',
    text: 'failed to verify subset relationship between CIDR blocks on the role {role} and CIDR blocks on the secret ID {own}: %!w(<nil>)',
    detail: raised,
  },
  'approle-secret-id-taken': {
    kind: 'invalid',
    text: 'failed to store secret_id: SecretID is already registered',
    detail: raised,
  },
  'approle-accessor-absent': {
    kind: 'absent',
    text: 'failed to find accessor entry for secret_id_accessor: {accessor}',
    detail: raised,
  },
  'approle-role-id-missing': {
    kind: 'invalid',
    text: 'missing role_id',
    detail: { internalInReference: true },
  },
  'approle-credentials-wrong': { kind: 'invalid', text: 'invalid role or secret ID' },
  'approle-secret-id-network': {
    kind: 'invalid',
    text: 'source address {address} unauthorized through CIDR restrictions on the secret ID',
  },
  'approle-counted-id-network': {
    kind: 'invalid',
    text: 'source address {address} unauthorized by CIDR restrictions on the secret ID: %!w(<nil>)',
  },
  'approle-role-network': {
    kind: 'invalid',
    text: 'source address {address} unauthorized by CIDR restrictions on the role: %!w(<nil>)',
  },
  'approle-max-ttl-truncated': {
    text: "token_max_ttl is greater than the backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
  },
  'approle-type-adjusted': { text: 'default-{type} has no useful meaning; adjusting to {type}' },
  'approle-old-networks': {
    text: 'The "bound_cidr_list" field is deprecated and will be removed. Please use "secret_id_bound_cidrs" instead.',
  },
})
