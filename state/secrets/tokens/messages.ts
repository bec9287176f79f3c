import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/** Messages about tokens and their roles (behaviour/secrets#tokens). */
export const {
  table: tokenTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  'policy-not-assignable': { kind: 'invalid', text: 'cannot assign policy "{responseWrapping}"' },
  'policies-beyond-parent': { kind: 'invalid', text: 'child policies must be subset of parent' },
  'policies-beyond-role': {
    kind: 'invalid',
    text: "token policies ({policies}) must be subset of the role's allowed policies ({allowed}) or glob policies ({globs})",
  },
  'policy-disallowed-by-role': {
    kind: 'invalid',
    text: 'token policy "{name}" is disallowed by this role',
  },
  'batch-token-not-renewable': { kind: 'invalid', text: 'batch tokens cannot be renewed' },
  'token-without-lease': { kind: 'invalid', text: 'invalid lease ID' },
  'token-role-gone': {
    kind: 'invalid',
    text: 'original token role "{role}" could not be found, not renewing',
  },
  'token-role-unknown': { kind: 'invalid', text: 'unknown role {roleName}' },
  'uses-negative': { kind: 'invalid', text: 'number of uses cannot be negative' },
  'root-outlives-root': {
    kind: 'invalid',
    text: 'expiring root tokens cannot create non-expiring root tokens',
  },
  'batch-token-has-no-children': {
    kind: 'invalid',
    text: 'batch tokens cannot create more tokens',
  },
  'restricted-token-has-no-children': {
    kind: 'invalid',
    text: 'restricted use token cannot generate child tokens',
  },
  'foreign-token-needs-sudo': {
    kind: 'invalid',
    text: 'root or sudo privileges required to directly generate a token in a child namespace',
  },
  'foreign-root': {
    kind: 'invalid',
    text: 'root tokens may not be created from a parent namespace',
  },
  'token-parent-gone': { kind: 'invalid', text: 'parent token lookup failed: no parent found' },
  'batch-token-duration': { kind: 'invalid', text: '"{field}" value could not be parsed' },
  'token-type-unknown': { kind: 'invalid', text: "invalid 'token_type' value" },
  'batch-token-setting': {
    kind: 'invalid',
    text: 'batch tokens cannot have "{contradiction}" set',
  },
  'token-id-needs-sudo': {
    kind: 'invalid',
    text: 'root or sudo privileges required to specify token id',
  },
  'token-id-in-namespace': {
    kind: 'invalid',
    text: 'token IDs can only be manually specified in the root namespace',
  },
  'token-id-prefix': { kind: 'invalid', text: "custom token ID cannot have the '{prefix}' prefix" },
  'token-id-period': { kind: 'invalid', text: "custom token ID cannot have a '.' in the value" },
  'entity-alias-without-role': {
    kind: 'invalid',
    text: "'entity_alias' is only allowed in combination with token role",
  },
  'entity-alias-disabled': { kind: 'denied', text: 'entity from given entity alias is disabled' },
  'entity-alias-unknown': { kind: 'invalid', text: "invalid 'entity_alias' value" },
  'root-by-root-only': {
    kind: 'invalid',
    text: 'root tokens may not be created without parent token being root',
  },
  'batch-root': { kind: 'invalid', text: 'batch tokens cannot be root tokens' },
  'orphan-needs-sudo': {
    kind: 'invalid',
    text: 'root or sudo privileges required to create orphan token',
  },
  'explicit-max-ttl-negative': { kind: 'invalid', text: 'explicit_max_ttl must be positive' },
  'period-negative': { kind: 'invalid', text: 'period must be positive' },
  'period-needs-sudo': {
    kind: 'invalid',
    text: 'root or sudo privileges required to create periodic token',
  },
  'ttl-negative': { kind: 'invalid', text: 'ttl must be positive' },
  'lease-negative': { kind: 'invalid', text: 'lease must be positive' },
  'role-token-type-unknown': { kind: 'invalid', text: 'invalid \'token_type\' value "{type}"' },
  'role-suffix-invalid': {
    kind: 'invalid',
    text: 'given role path suffix contains invalid characters; must match \\w[\\w-.]+\\w',
  },
  'role-suffix-climbs': {
    kind: 'invalid',
    text: 'error registering path suffix: path cannot contain parent references',
  },
  'role-fields-wrong': { kind: 'invalid', text: 'error parsing role fields: {why}' },
  'role-addresses-wrong': { kind: 'invalid', text: 'error parsing bound_cidrs: {why}' },
  'role-uses-negative': { text: "'token_num_uses' cannot be negative" },
  'address-unreadable': {
    text: 'error parsing address "{text}": Unable to convert "{text}" to an IPv4 or IPv6 address, or a UNIX Socket',
  },
  'role-setting-twice': {
    text: "Both '{name}' and deprecated '{old}' value supplied, ignoring the deprecated value",
  },
  'batch-role-contradicts': {
    kind: 'invalid',
    text: "'token_type' cannot be 'batch' when role is set to generate {what}",
  },
  'token-id-chosen': {
    text: 'Supplying a custom ID for the token uses the weaker SHA1 hashing instead of the more secure SHA2-256 HMAC for token obfuscation. SHA1 hashed tokens on the wire leads to less secure lookups.',
  },
  'policy-unknown': { text: 'Policy "{policy}" does not exist' },
  'lesser-of-role-and-request': {
    text: '{what} specified both during creation call and in role; using the lesser value of {least} seconds',
  },
  'role-max-ttl-above-mount': {
    text: 'Given explicit max TTL of {ttl} is greater than system/mount allowed value of {max} seconds; until this is fixed attempting to create tokens against this role will result in an error',
  },
  'period-capped': {
    text: 'period of "{period}" exceeded the effective max_ttl of "{max}"; period value is capped accordingly',
  },
  'ttl-capped': {
    text: 'TTL of "{ttl}" exceeded the effective max_ttl of "{max}"; TTL value is capped accordingly',
  },
})
