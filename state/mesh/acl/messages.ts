import { defineMessages, refusals } from '../../kernel/refusal.ts'

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
  ...refusals('denied', {
    'token-unknown': 'ACL not found',
    'right-missing-bare': 'Permission denied',
    'only-controller': 'Permission denied: only writeable by controller',
    'bootstrap-wanted':
      'ACL system must be bootstrapped before making any requests that require authorization: ACL not found',
    'right-missing': `Permission denied: token with AccessorID '{accessor}' ${missingRightMessage}`,
    'right-missing-without-token': `Permission denied: anonymous token ${missingRightMessage}. The anonymous token is used implicitly when a request does not specify a token.`,
  }),
  'on-object': { text: ' on "{name}"' },
  'bootstrap-over': {
    kind: 'denied',
    text: 'Permission denied: ACL bootstrap no longer allowed (reset index: {index})',
  },

  'object-absent': {
    kind: 'absent',
    text: 'Requested {noun} {problem}: ACL not found',
  },
  ...refusals('denied', {
    'token-absent-for-read': 'token {problem}: ACL not found',
    'own-token-absent': 'token does not exist: ACL not found',
    'own-token-expired': 'token has expired: ACL not found',
  }),
  'absent-in-namespace': { text: 'not found in namespace {namespace}' },
  'absent-in-community': { text: 'does not exist' },
  'nothing-to-delete': { kind: 'absent', text: 'Cannot find {noun} to delete' },
  'id-missing': { kind: 'invalid', text: 'Missing {noun} ID' },
  'name-missing': { kind: 'invalid', text: 'Missing {noun} Name' },
  'id-of-new': { kind: 'invalid', text: 'Cannot specify the ID when creating a new {noun}' },
  'ids-differ': { kind: 'invalid', text: '{Noun} ID in URL and payload do not match' },

  ...refusals('conflict', {
    'lookup-id-no-uuid': 'failed acl {kind} lookup: index error: UUID must be 36 characters',
    'filters-many': 'can only filter by one of policy, role, serviceName, or methodName at a time',
    'login-empty': 'Invalid Login request: Missing auth parameters',
    'policy-id-no-uuid': 'Policy ID invalid UUID',
    'role-id-no-uuid': 'Role ID invalid UUID',
    'accessor-no-uuid': 'AccessorID is not a valid UUID',
    'accessor-no-uuid-for-deletion': 'Accessor ID is missing or an invalid UUID',
    'bootstrap-secret-no-uuid': 'uuid string is wrong length',

    'link-id-no-uuid':
      'Error looking up {kind} for ID: "{id}": failed acl {kind} lookup: index error: UUID must be 36 characters',
    'role-policy-unknown': 'Failed to apply role upsert request: No such policy with ID: {id}',
    'link-name-unknown': 'No such ACL {kind} with name "{name}"',
    'link-id-unknown': 'No such ACL {kind} with ID "{id}"',

    'policy-unknown': 'cannot find policy {id}',
    'policy-name-missing': 'Invalid Policy: no Name is set',
    'policy-name-odd':
      "Invalid Policy: invalid Name. Only alphanumeric characters, a single '/', '-' and '_' are allowed",
    'policy-name-long':
      'Invalid Policy: invalid Name. Length must be greater than 0 and less than 128',
    'policy-name-reserved':
      "Invalid Policy: invalid Name. Names cannot be prefixed with '/' or 'builtin/'",
    'policy-name-in-use': 'Invalid Policy: A Policy with Name "{name}" already exists',
    'policy-name-of-another': 'Invalid Policy: A policy with name "{name}" already exists',
    'builtin-deletion': 'Delete operation not permitted on the builtin {name} policy',
    'builtin-datacenters': 'Changing the Datacenters of the builtin {name} policy is not permitted',
    'builtin-rules': 'Changing the Rules for the builtin {name} policy is not permitted',

    'role-unknown': 'cannot find role {id}',
    'role-name-missing': 'Invalid Role: no Name is set',
    'role-name-odd': `Invalid Role: ${invalidNameMessage}`,
    'role-name-in-use': 'Invalid Role: A Role with Name "{name}" already exists',
    'role-name-of-another': 'Invalid Role: A role with name "{name}" already exists',
  }),

  ...refusals('invalid', {
    'accessor-missing': 'Missing token AccessorID',
    'accessors-differ': 'Token Accessor ID in URL and payload do not match',
  }),
  ...refusals('conflict', {
    'token-absent': 'Cannot find token "{id}"',
    'secret-changed': "Changing a token's SecretID is not permitted",
    'mode-changed': 'Cannot toggle local mode of {id}',
    'expiry-changed': 'Cannot change expiration time of {id}',
    'anonymous-deletion': 'Delete operation not permitted on the anonymous token',
    'own-deletion': "Deletion of the request's authorization token is not permitted",
    'token-id-no-uuid': 'Invalid Token: {what} is not a valid UUID',
    'token-id-in-use': 'Invalid Token: {what} is already in use',
    'token-id-reserved': 'Invalid Token: UUIDs with the prefix "{prefix}" are reserved',
    'ttl-negative': "Token Expiration TTL '{ttl}' should be > 0",
    'ttl-and-time': 'Token Expiration TTL and Expiration Time cannot both be set',
    'expiry-past': 'ExpirationTime cannot be before CreateTime',

    'expiry-too-near': 'ExpirationTime cannot be less than {least} in the future (was {given})',

    'service-identity-nameless':
      'Service identity is missing the service name field on this {noun}',
    'service-identity-odd': `Service identity {quoted} ${invalidIdentityMessage}`,
    'service-identity-local':
      'Service identity {quoted} cannot specify a list of datacenters on a local token',
    'node-identity-nameless': 'Node identity is missing the node name field on this {noun}',
    'node-identity-placeless': 'Node identity is missing the datacenter field on this {noun}',
    'node-identity-odd': `Node identity ${invalidIdentityMessage}`,
    'template-unnamed': 'templated policy is missing the template name field on this {noun}',
    'template-unknown-on-token': 'no such ACL templated policy with Name "{name}"',
    'template-unknown-on-role':
      'templated policy with an invalid templated name: {name} for this role',
    'template-variables-invalid': 'validation error for templated policy {quoted}: {problem}',
  }),

  'template-variables-missing': {
    text: '1 error occurred:\n\t* Invalid type. Expected: object, given: null\n\n',
  },
  'template-name-missing': { text: '1 error occurred:\n\t* name is required\n\n' },
  'template-name-odd': { text: `{kind} identity {quoted} ${invalidIdentityMessage}` },
  ...refusals('invalid', {
    'template-unsaid': 'Missing templated policy Name',
    'template-unknown': 'Invalid templated policy Name: {name}',
    'template-unknown-for-preview': 'templated policy "{name}" does not exist',
    'preview-variables-invalid': 'validation error for templated policy: {quoted}: {problem}',
  }),

  'login-unreadable': { kind: 'invalid', text: 'Failed to decode request body: {problem}' },
  'auth-method-unknown': {
    kind: 'denied',
    text: 'ACL not found: auth method {quoted} not found',
  },

  ...refusals('conflict', {
    'method-unnamed': 'Invalid Auth Method: no Name is set',
    'method-name-odd': `Invalid Auth Method: ${invalidNameMessage}`,
    'method-type-changed': 'the Type field of an Auth Method is immutable',
    'method-type-unknown': 'Invalid Auth Method: Type should be one of: [aws-iam jwt kubernetes]',
    'method-ttl-long': 'MaxTokenTTL {ttl} cannot be more than {limit}',
    'method-ttl-short': 'MaxTokenTTL {ttl} cannot be less than {limit}',
    'method-locality': "Invalid Auth Method: TokenLocality should be one of 'local' or 'global'",
    'method-invalid': 'Invalid Auth Method: {problem}',

    'rule-id-invalid': 'failed acl binding rule lookup: index error: UUID must be 36 characters',
    'rule-id-no-uuid': 'Binding Rule ID invalid UUID',
    'rule-unknown': 'cannot find binding rule {id}',
    'rule-method-changed': 'the AuthMethod field of an Binding Rule is immutable',
    'rule-methodless': 'Invalid Binding Rule: no AuthMethod is set',
    'rule-method-unknown': 'cannot find auth method with name {quoted}',
    'rule-selector-invalid': 'invalid Binding Rule: Selector is invalid: {problem}',
    'rule-typeless': 'Invalid Binding Rule: no BindType is set',
    'rule-nameless': 'Invalid Binding Rule: no BindName is set',
    'rule-variables':
      'invalid Binding Rule: BindVars cannot be set when bind type is not templated-policy.',
    'rule-binding-invalid': 'Invalid Binding Rule: invalid BindName or BindVars: {problem}',

    'login-claims-invalid': 'error validating claims: {problem}',
    'login-timeless': 'no issue time, notbefore, or expiration time encoded in token',
    'login-jwt-missing': 'missing jwt',
    'login-jwt-malformed': 'error parsing token: {problem}',
    'login-signature': 'no known key successfully validated the token signature',
    'login-key-set-signature':
      'error verifying token: failed to verify signature: failed to verify id token signature',
    'login-aws': 'aws-iam logins are not implemented by this server',
    'login-kubernetes-malformed': 'failed to parse and validate JWT: {problem}',
    'login-kubernetes-unknown': 'lookup failed: service account jwt not valid',
    'login-binding-failed': '{problem}',
  }),
  'logout-tokenless': { kind: 'unsupported', text: 'Supplied token does not exist' },
  'logout-without-login': {
    kind: 'denied',
    text: "Permission denied: token wasn't created via login",
  },
  ...refusals('invalid', {
    'method-name-missing': 'Missing auth method name',
    'method-names-differ': 'AuthMethod Name in URL and payload do not match',
    'rule-id-missing': 'Missing binding rule ID',
    'rule-ids-differ': 'BindingRule ID in URL and payload do not match',
    'decision-resource': 'Invalid ACL resource requested: {quoted}',
    'decision-access': 'Invalid access level for {resource} resource: {access}',
    'decisions-no-list':
      'json: cannot unmarshal {found} into Go value of type []structs.ACLAuthorizationRequest',
    'decisions-many': 'Refusing to process more than 64 authorizations at once',
  }),

  'global-management': {
    text: 'A built-in policy that grants read and write access to all Mesh features',
  },
  'global-read-only': {
    text: 'A built-in policy that grants read-only access to all Mesh features',
  },
  ...refusals('conflict', {
    'rules-unreadable': 'Failed to parse ACL rules: {problem}',
    'rule-value-unknown': 'Invalid {rule} policy: {found}',
    'rule-out-of-place': 'Invalid {rule} policy: not allowed in namespace "{namespace}"',
  }),
})
