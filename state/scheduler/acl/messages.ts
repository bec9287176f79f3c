import type { Message } from '../../kernel/message.ts'
import { defineMessages, Refusal } from '../../kernel/refusal.ts'

/**
 * Messages about tokens, policies and their rules (behaviour/scheduler#conventions and
 * behaviour/scheduler#beyond).
 */
export const {
  table: aclMessages,
  message,
  refuse,
} = defineMessages({
  'bootstrap-done': {
    kind: 'invalid',
    text: 'ACL bootstrap already done (reset index: {index})',
  },
  'bootstrap-unreadable': { kind: 'invalid', text: 'failed to decode request body: {why}' },
  'bootstrap-token-invalid': { kind: 'invalid', text: 'invalid acl token' },

  'token-lookup-failed': { kind: 'conflict', text: 'acl token lookup failed: {why}' },
  'token-lookup-on-write-failed': {
    kind: 'conflict',
    text: 'token lookup failed: acl token lookup failed: {why}',
  },
  'token-lookup-on-delete-failed': {
    kind: 'invalid',
    text: 'token lookup failed: acl token lookup failed: {why}',
  },
  'token-secret-missing': {
    kind: 'conflict',
    text: 'acl token lookup failed: missing secret id',
  },
  'token-not-found': { kind: 'absent', text: 'ACL token not found' },
  'token-accessor-mismatch': {
    kind: 'invalid',
    text: 'ACL token accessor does not match request path',
  },
  'token-unknown': { kind: 'invalid', text: 'cannot find token {accessor}' },
  'token-nonexistent': { kind: 'invalid', text: 'Cannot delete nonexistent tokens: {accessor}' },
  'token-role-unknown': { kind: 'invalid', text: 'cannot find role {role}' },
  'token-duration-invalid': { kind: 'invalid', text: '{why}' },
  'token-time-invalid': {
    kind: 'invalid',
    text: 'parsing time {time} as "2006-01-02T15:04:05Z07:00": cannot parse {time} as "2006"',
  },
  'token-invalid': { kind: 'invalid', text: 'token 0 invalid: {errors}' },
  'token-name-long': { text: 'token name too long' },
  'token-client-powerless': { text: 'client token missing policies or roles' },
  'token-management-policies': {
    text: 'management token cannot be associated with policies or roles',
  },
  'token-type-unknown': { text: 'token type must be client or management' },
  'token-ttl-negative': { text: "token expiration TTL '{ttl}' should not be negative" },
  'token-expired-at-birth': { text: 'expiration time cannot be before create time' },
  'token-life-long': {
    text: 'expiration time cannot be more than 24h0m0s in the future (was {life})',
  },
  'token-life-short': {
    text: 'expiration time cannot be less than 1m0s in the future (was {life})',
  },
  'token-global-changed': { text: 'cannot toggle global mode' },
  'token-ttl-changed': { text: 'cannot update expiration TTL' },
  'token-time-changed': { text: 'cannot update expiration time' },

  'role-not-found': { kind: 'absent', text: 'ACL role not found' },
  'deleted-role-not-found': { kind: 'conflict', text: 'ACL role not found' },
  'role-id-mismatch': { kind: 'invalid', text: 'ACL role ID does not match request path' },
  'role-id-missing': { kind: 'invalid', text: 'missing ACL role ID' },
  'role-name-missing': { kind: 'invalid', text: 'missing ACL role name' },
  'role-path-invalid': { kind: 'invalid', text: 'invalid URI' },
  'role-invalid': { kind: 'invalid', text: 'role 0 invalid: {errors}' },
  'role-policies-missing': { text: 'at least one policy should be specified' },
  'role-again': { kind: 'invalid', text: 'role with name {name} already exists' },
  'role-unknown': { kind: 'invalid', text: 'cannot find role {role}' },
  'role-policy-unknown': { kind: 'invalid', text: 'cannot find policy {name}' },
  'role-name-taken': { kind: 'conflict', text: 'ACL role with name {name} already exists' },

  'policy-not-found': { kind: 'absent', text: 'ACL policy not found' },
  'policy-name-mismatch': {
    kind: 'invalid',
    text: 'ACL policy name does not match request path',
  },
  'policy-invalid': { kind: 'invalid', text: 'policy 0 invalid: {errors}' },
  'policy-name-invalid': { text: "invalid name '{name}'" },
  'policy-description-long': { text: 'description longer than {most}' },
  'policy-namespace-missing': { text: 'namespace must be set to set job ID' },
  'policy-job-missing': { text: 'job ID must be set to set group' },
  'policy-group-missing': { text: 'group must be set to set task' },
  'policy-rules-invalid': { text: 'failed to parse rules: {why}' },

  'rules-unreadable': { text: 'Failed to parse ACL Policy: {why}' },
  'rules-empty': { text: 'Invalid policy: {rules}' },
  'rules-keys': { text: 'Invalid or duplicate policy keys: {keys}' },
  'rule-name': { text: 'Invalid {kind} name: {rule}' },
  'rule-policy': { text: 'Invalid {kind} policy: {rule}' },
  'rule-capability': { text: "Invalid {kind} capability '{capability}': {rule}" },
  'pool-name': { text: "Invalid node pool name '{name}'" },
  'pool-policy': { text: "Invalid node pool policy '{policy}' for '{name}'" },
  'pool-capability': { text: "Invalid node pool capability '{capability}' for '{name}'" },
  'variables-empty': {
    text: 'Invalid variable policy: no variable paths in namespace {namespace}',
  },
  'variables-path-missing': {
    text: 'Invalid missing variable path in namespace {namespace}',
  },
  'variables-path-rooted': {
    text: "Invalid variable path {path} in namespace {namespace}: cannot start with a leading '/'`",
  },
  'variables-capability': {
    text: "Invalid variable capability '{capability}' in namespace {namespace}",
  },
})

/** Error for invalid rules; the policy that contains them wraps its message. */
export class RulesError extends Refusal {
  constructor(message: Message) {
    super('invalid', message)
    this.name = 'RulesError'
  }
}
