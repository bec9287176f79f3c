import { defineMessages, messageTexts, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...refusals('invalid', {
    'policy-not-assignable': 'cannot assign policy "{name}"',
    'policies-beyond-parent': 'child policies must be subset of parent',
    'policies-beyond-role':
      "token policies ({policies}) must be subset of the role's allowed policies ({allowed}) or glob policies ({globs})",
    'policy-disallowed-by-role': 'token policy "{name}" is disallowed by this role',
    'batch-token-not-renewable': 'batch tokens cannot be renewed',
    'token-without-lease': 'invalid lease ID',
    'token-role-gone': 'original token role "{role}" could not be found, not renewing',
    'token-role-unknown': 'unknown role {roleName}',
    'uses-negative': 'number of uses cannot be negative',
    'root-outlives-root': 'expiring root tokens cannot create non-expiring root tokens',
    'batch-token-has-no-children': 'batch tokens cannot create more tokens',
    'restricted-token-has-no-children': 'restricted use token cannot generate child tokens',
    'foreign-token-needs-sudo':
      'root or sudo privileges required to directly generate a token in a child namespace',
    'foreign-root': 'root tokens may not be created from a parent namespace',
    'token-parent-gone': 'parent token lookup failed: no parent found',
    'batch-token-duration': '"{field}" value could not be parsed',
    'token-type-unknown': "invalid 'token_type' value",
    'batch-token-setting': 'batch tokens cannot have "{contradiction}" set',
    'token-id-needs-sudo': 'root or sudo privileges required to specify token id',
    'token-id-in-namespace': 'token IDs can only be manually specified in the root namespace',
    'token-id-prefix': "custom token ID cannot have the '{prefix}' prefix",
    'token-id-period': "custom token ID cannot have a '.' in the value",
    'entity-alias-without-role': "'entity_alias' is only allowed in combination with token role",
    'entity-alias-unknown': "invalid 'entity_alias' value",
    'root-by-root-only': 'root tokens may not be created without parent token being root',
    'batch-root': 'batch tokens cannot be root tokens',
    'orphan-needs-sudo': 'root or sudo privileges required to create orphan token',
    'explicit-max-ttl-negative': 'explicit_max_ttl must be positive',
    'period-negative': 'period must be positive',
    'period-needs-sudo': 'root or sudo privileges required to create periodic token',
    'ttl-negative': 'ttl must be positive',
    'lease-negative': 'lease must be positive',
    'role-token-type-unknown': 'invalid \'token_type\' value "{type}"',
    'role-suffix-invalid':
      'given role path suffix contains invalid characters; must match \\w[\\w-.]+\\w',
    'role-suffix-climbs': 'error registering path suffix: path cannot contain parent references',
    'role-fields-wrong': 'error parsing role fields: {why}',
    'role-addresses-wrong': 'error parsing bound_cidrs: {why}',
    'batch-role-contradicts': "'token_type' cannot be 'batch' when role is set to generate {what}",
  }),
  'entity-alias-disabled': { kind: 'denied', text: 'entity from given entity alias is disabled' },
  ...messageTexts({
    'role-batch-periodic':
      "'token_type' cannot be 'batch' or 'default_batch' when set to generate periodic tokens",
    'role-batch-limited':
      "'token_type' cannot be 'batch' or 'default_batch' when set to generate tokens with limited use count",
    'role-uses-negative': "'token_num_uses' cannot be negative",
    'address-unreadable':
      'error parsing address "{text}": Unable to convert "{text}" to an IPv4 or IPv6 address, or a UNIX Socket',
    'role-setting-twice':
      "Both '{name}' and deprecated '{old}' value supplied, ignoring the deprecated value",
    'token-id-chosen':
      'Supplying a custom ID for the token uses the weaker SHA1 hashing instead of the more secure SHA2-256 HMAC for token obfuscation. SHA1 hashed tokens on the wire leads to less secure lookups.',
    'policy-unknown': 'Policy "{policy}" does not exist',
    'lesser-of-role-and-request':
      '{what} specified both during creation call and in role; using the lesser value of {least} seconds',
    'role-max-ttl-above-mount':
      'Given explicit max TTL of {ttl} is greater than system/mount allowed value of {max} seconds; until this is fixed attempting to create tokens against this role will result in an error',
    'period-capped':
      'period of "{period}" exceeded the effective max_ttl of "{max}"; period value is capped accordingly',
    'ttl-capped':
      'TTL of "{ttl}" exceeded the effective max_ttl of "{max}"; TTL value is capped accordingly',
  }),
})
