import { defineMessages } from '../../kernel/refusal.ts'

const invalidNameMessage = "invalid Name. Only alphanumeric characters, '-' and '_' are allowed"
const invalidIdentityMessage =
  "has an invalid name. Only lowercase alphanumeric characters, '-' and '_' are allowed"
const missingRightMessage = "lacks permission '{right}'{object}"

/** Messages of the ACL system (behaviour/mesh#acl). */
export const {
  table: aclMessages,
  message,
  refuse,
} = defineMessages({
  'acl-disabled': { kind: 'unsupported', text: 'ACL support disabled' },
  'token-unknown': { kind: 'denied', text: 'ACL not found' },
  'bootstrap-wanted': {
    kind: 'denied',
    text: 'ACL system must be bootstrapped before making any requests that require authorization: ACL not found',
  },
  'right-missing': {
    kind: 'denied',
    text: `Permission denied: token with AccessorID '{accessor}' ${missingRightMessage}`,
  },
  'right-missing-without-token': {
    kind: 'denied',
    text: `Permission denied: anonymous token ${missingRightMessage}. The anonymous token is used implicitly when a request does not specify a token.`,
  },
  'on-object': { text: ' on "{name}"' },
  'bootstrap-over': {
    kind: 'denied',
    text: 'Permission denied: ACL bootstrap no longer allowed (reset index: {index})',
  },

  'object-absent': {
    kind: 'absent',
    text: 'Requested {noun} not found in namespace {namespace}: ACL not found',
  },
  'token-absent-for-read': {
    kind: 'denied',
    text: 'token not found in namespace {namespace}: ACL not found',
  },
  'own-token-absent': { kind: 'denied', text: 'token does not exist: ACL not found' },
  'own-token-expired': { kind: 'denied', text: 'token has expired: ACL not found' },
  'nothing-to-delete': { kind: 'absent', text: 'Cannot find {noun} to delete' },
  'id-missing': { kind: 'invalid', text: 'Missing {noun} ID' },
  'name-missing': { kind: 'invalid', text: 'Missing {noun} Name' },
  'id-of-new': { kind: 'invalid', text: 'Cannot specify the ID when creating a new {noun}' },
  'ids-differ': { kind: 'invalid', text: '{Noun} ID in URL and payload do not match' },

  'lookup-id-no-uuid': {
    kind: 'conflict',
    text: 'failed acl {kind} lookup: index error: UUID must be 36 characters',
  },
  'policy-id-no-uuid': { kind: 'conflict', text: 'Policy ID invalid UUID' },
  'role-id-no-uuid': { kind: 'conflict', text: 'Role ID invalid UUID' },
  'accessor-no-uuid': { kind: 'conflict', text: 'AccessorID is not a valid UUID' },
  'accessor-no-uuid-for-deletion': {
    kind: 'conflict',
    text: 'Accessor ID is missing or an invalid UUID',
  },
  'bootstrap-secret-no-uuid': { kind: 'conflict', text: 'uuid string is wrong length' },

  'link-id-no-uuid': {
    kind: 'conflict',
    text: 'Error looking up {kind} for ID: "{id}": failed acl {kind} lookup: index error: UUID must be 36 characters',
  },
  'role-policy-unknown': {
    kind: 'conflict',
    text: 'Failed to apply role upsert request: No such policy with ID: {id}',
  },
  'link-name-unknown': { kind: 'conflict', text: 'No such ACL {kind} with name "{name}"' },
  'link-id-unknown': { kind: 'conflict', text: 'No such ACL {kind} with ID "{id}"' },

  'policy-unknown': { kind: 'conflict', text: 'cannot find policy {id}' },
  'policy-name-missing': { kind: 'conflict', text: 'Invalid Policy: no Name is set' },
  'policy-name-odd': {
    kind: 'conflict',
    text: "Invalid Policy: invalid Name. Only alphanumeric characters, a single '/', '-' and '_' are allowed",
  },
  'policy-name-reserved': {
    kind: 'conflict',
    text: "Invalid Policy: invalid Name. Names cannot be prefixed with '/' or 'builtin/'",
  },
  'policy-name-in-use': {
    kind: 'conflict',
    text: 'Invalid Policy: A Policy with Name "{name}" already exists',
  },
  'policy-name-of-another': {
    kind: 'conflict',
    text: 'Invalid Policy: A policy with name "{name}" already exists',
  },
  'builtin-deletion': {
    kind: 'conflict',
    text: 'Delete operation not permitted on the builtin {name} policy',
  },
  'builtin-datacenters': {
    kind: 'conflict',
    text: 'Changing the Datacenters of the builtin {name} policy is not permitted',
  },
  'builtin-rules': {
    kind: 'conflict',
    text: 'Changing the Rules for the builtin {name} policy is not permitted',
  },

  'role-unknown': { kind: 'conflict', text: 'cannot find role {id}' },
  'role-name-missing': { kind: 'conflict', text: 'Invalid Role: no Name is set' },
  'role-name-odd': { kind: 'conflict', text: `Invalid Role: ${invalidNameMessage}` },
  'role-name-in-use': {
    kind: 'conflict',
    text: 'Invalid Role: A Role with Name "{name}" already exists',
  },
  'role-name-of-another': {
    kind: 'conflict',
    text: 'Invalid Role: A role with name "{name}" already exists',
  },

  'accessor-missing': { kind: 'invalid', text: 'Missing token AccessorID' },
  'accessors-differ': {
    kind: 'invalid',
    text: 'Token Accessor ID in URL and payload do not match',
  },
  'token-absent': { kind: 'conflict', text: 'Cannot find token "{id}"' },
  'secret-changed': { kind: 'conflict', text: "Changing a token's SecretID is not permitted" },
  'mode-changed': { kind: 'conflict', text: 'Cannot toggle local mode of {id}' },
  'expiry-changed': { kind: 'conflict', text: 'Cannot change expiration time of {id}' },
  'anonymous-deletion': {
    kind: 'conflict',
    text: 'Delete operation not permitted on the anonymous token',
  },
  'own-deletion': {
    kind: 'conflict',
    text: "Deletion of the request's authorization token is not permitted",
  },
  'token-id-no-uuid': { kind: 'conflict', text: 'Invalid Token: {what} is not a valid UUID' },
  'token-id-in-use': { kind: 'conflict', text: 'Invalid Token: {what} is already in use' },
  'token-id-reserved': {
    kind: 'conflict',
    text: 'Invalid Token: UUIDs with the prefix "{prefix}" are reserved',
  },
  'ttl-negative': {
    kind: 'conflict',
    text: "Token Expiration TTL '{ttl}' should be > 0",
  },
  'ttl-and-time': {
    kind: 'conflict',
    text: 'Token Expiration TTL and Expiration Time cannot both be set',
  },
  'expiry-past': { kind: 'conflict', text: 'ExpirationTime cannot be before CreateTime' },

  'expiry-too-near': {
    kind: 'conflict',
    text: 'ExpirationTime cannot be less than {least} in the future (was {given})',
  },

  'service-identity-nameless': {
    kind: 'conflict',
    text: 'Service identity is missing the service name field on this {noun}',
  },
  'service-identity-odd': {
    kind: 'conflict',
    text: `Service identity {quoted} ${invalidIdentityMessage}`,
  },
  'service-identity-local': {
    kind: 'conflict',
    text: 'Service identity {quoted} cannot specify a list of datacenters on a local token',
  },
  'node-identity-nameless': {
    kind: 'conflict',
    text: 'Node identity is missing the node name field on this {noun}',
  },
  'node-identity-placeless': {
    kind: 'conflict',
    text: 'Node identity is missing the datacenter field on this {noun}',
  },
  'node-identity-odd': { kind: 'conflict', text: `Node identity ${invalidIdentityMessage}` },

  'login-unreadable': { kind: 'invalid', text: 'Failed to decode request body: {problem}' },
  'auth-method-unknown': {
    kind: 'denied',
    text: 'ACL not found: auth method {quoted} not found',
  },

  'global-management': {
    text: 'A built-in policy that grants read and write access to all Mesh features',
  },
  'global-read-only': {
    text: 'A built-in policy that grants read-only access to all Mesh features',
  },
  'rules-unreadable': { kind: 'conflict', text: 'Failed to parse ACL rules: {problem}' },
  'rule-value-unknown': { kind: 'conflict', text: 'Invalid {rule} policy: {found}' },
  'rule-out-of-place': {
    kind: 'conflict',
    text: 'Invalid {rule} policy: not allowed in namespace "{namespace}"',
  },
})
