import type { Message } from '../../kernel/message.ts'
import { defineMessages, messageTexts, Refusal, refusals } from '../../kernel/refusal.ts'

/**
 * Messages about tokens, roles, policies and the rules of policies, and about the bootstrap of ACLs
 * (behaviour/scheduler#acl and behaviour/scheduler#auth).
 */
export const { table, message, refuse } = defineMessages({
  ...refusals('invalid', {
    'bootstrap-done': 'ACL bootstrap already done (reset index: {index})',
    'bootstrap-unreadable': 'failed to decode request body: {why}',
    'bootstrap-token-invalid': 'invalid acl token',

    'token-lookup-on-delete-failed': 'token lookup failed: acl token lookup failed: {why}',
    'token-accessor-missing': 'Missing Token Accessor',
    'token-accessor-mismatch': 'ACL token accessor does not match request path',
    'token-unknown': 'cannot find token {accessor}',
    'token-nonexistent': 'Cannot delete nonexistent tokens: {accessor}',
    'token-role-unknown': 'cannot find role {role}',
    'token-duration-invalid': '{why}',
    'token-time-invalid':
      'parsing time {time} as "2006-01-02T15:04:05Z07:00": cannot parse {time} as "2006"',
    'token-invalid': 'token 0 invalid: {errors}',

    'role-id-mismatch': 'ACL role ID does not match request path',
    'role-id-missing': 'missing ACL role ID',
    'role-name-missing': 'missing ACL role name',
    'role-path-invalid': 'invalid URI',
    'role-invalid': 'role 0 invalid: {errors}',
    'role-again': 'role with name {name} already exists',
    'role-unknown': 'cannot find role {role}',
    'role-policy-unknown': 'cannot find policy {name}',

    'policy-name-missing': 'Missing Policy Name',
    'policy-name-mismatch': 'ACL policy name does not match request path',
    'policy-invalid': 'policy 0 invalid: {errors}',
  }),
  ...refusals('conflict', {
    'token-lookup-failed': 'acl token lookup failed: {why}',
    'token-lookup-on-write-failed': 'token lookup failed: acl token lookup failed: {why}',
    'token-secret-missing': 'acl token lookup failed: missing secret id',

    'one-time-secret-missing': 'one-time token lookup failed: missing secret',
    'one-time-lookup-failed': 'one-time token lookup failed: {why}',

    'agent-token-malformed': 'failed to resolve ACL token: acl token lookup failed: {why}',
    'agent-token-expired': 'failed to resolve ACL token: ACL token expired',
    'client-token-malformed':
      'failed to parse signed token: go-jose/go-jose: compact JWS format must have three parts',
    'client-token-expired': 'ACL token expired',

    'deleted-role-not-found': 'ACL role not found',
    'role-name-taken': 'ACL role with name {name} already exists',
  }),
  ...refusals('denied', { 'agent-token-unknown': 'ACL token not found' }),
  ...refusals('absent', {
    'token-not-found': 'ACL token not found',

    'role-not-found': 'ACL role not found',

    'policy-not-found': 'ACL policy not found',
  }),
  ...messageTexts({
    'token-name-long': 'token name too long',
    'token-client-powerless': 'client token missing policies or roles',
    'token-management-policies': 'management token cannot be associated with policies or roles',
    'token-type-unknown': 'token type must be client or management',
    'token-ttl-negative': "token expiration TTL '{ttl}' should not be negative",
    'token-expired-at-birth': 'expiration time cannot be before create time',
    'token-life-long': 'expiration time cannot be more than 24h0m0s in the future (was {life})',
    'token-life-short': 'expiration time cannot be less than 1m0s in the future (was {life})',
    'token-global-changed': 'cannot toggle global mode',
    'token-ttl-changed': 'cannot update expiration TTL',
    'token-time-changed': 'cannot update expiration time',

    'role-policies-missing': 'at least one policy should be specified',

    'policy-name-invalid': "invalid name '{name}'",
    'policy-description-long': 'description longer than {most}',
    'policy-namespace-missing': 'namespace must be set to set job ID',
    'policy-job-missing': 'job ID must be set to set group',
    'policy-group-missing': 'group must be set to set task',
    'policy-rules-invalid': 'failed to parse rules: {why}',

    'rules-unreadable': 'Failed to parse ACL Policy: {why}',
    'rules-empty': 'Invalid policy: {rules}',
    'rule-name': 'Invalid {kind} name: {rule}',
    'rule-policy': 'Invalid {kind} policy: {rule}',
    'rule-capability': "Invalid {kind} capability '{capability}': {rule}",
    'pool-name': "Invalid node pool name '{name}'",
    'pool-policy': "Invalid node pool policy '{policy}' for '{name}'",
    'pool-capability': "Invalid node pool capability '{capability}' for '{name}'",
    'variables-empty': 'Invalid variable policy: no variable paths in namespace {namespace}',
    'variables-path-missing': 'Invalid missing variable path in namespace {namespace}',
    'variables-path-rooted':
      "Invalid variable path {path} in namespace {namespace}: cannot start with a leading '/'`",
    'variables-capability': "Invalid variable capability '{capability}' in namespace {namespace}",
  }),
})

/**
 * Refusal of invalid rules. `putPolicy` quotes the reason of this refusal when it refuses the
 * policy that contains the rules.
 */
export class RulesError extends Refusal {
  constructor(message: Message) {
    super('invalid', message)
    this.name = 'RulesError'
  }
}
