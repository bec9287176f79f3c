import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  'oidc-issuer-explicit': {
    text: 'If "issuer" is set explicitly, all tokens must be validated against that address, including those issued by secondary clusters. Setting issuer to "" will restore the default behavior of using the cluster\'s api_addr as the issuer.',
  },
  'oidc-scopes-conflict': {
    text: 'Found scope templates with conflicting top-level keys: conflict {claim} in scopes {scope}, {other}. This may result in an error if the scopes are requested in an OIDC Authentication Request.',
  },
  ...refusals('invalid', {
    'oidc-issuer-invalid':
      'invalid issuer, which must include only a scheme, host, and optional port (e.g. https://example.com:8200)',
    'oidc-algorithm-unknown': 'unknown signing algorithm {algorithm}',
    'oidc-rotation-period-short': 'rotation_period must be at least one minute',
    'oidc-verification-ttl-long': 'verification_ttl cannot be longer than 10x rotation_period',
    'oidc-key-shorter-than-roles':
      'unable to update key {name} because it is currently referenced by one or more roles with a token ttl greater than {ttl} seconds',
    'oidc-key-shorter-than-clients':
      'unable to update key {name} because it is currently referenced by one or more clients with an id_token_ttl greater than {ttl} seconds',
    'oidc-default-key-stays': 'deletion of key "default" not allowed',
    'oidc-key-of-roles':
      'unable to delete key {name} because it is currently referenced by these roles: {names}',
    'oidc-key-of-clients':
      'unable to delete key {name} because it is currently referenced by these clients: {names}',
    'oidc-key-to-rotate-unknown': 'no named key found at {name}',
    'oidc-role-key-missing': 'the key parameter is required',
    'oidc-role-key-unknown': 'cannot find key {name}',
    'oidc-template-unreadable': 'error parsing template: {why}',
    'oidc-template-no-json': 'error parsing template JSON: {why}',
    'oidc-template-claim': 'top level key {claim} not allowed. Restricted keys: {claims}',
    'oidc-role-ttl-long':
      "a role's token ttl cannot be longer than the verification_ttl of the key it references",
    'oidc-role-unknown': 'role {name} not found',
    'oidc-key-unknown': 'key {name} not found',
    'oidc-role-not-allowed':
      'the key {key} does not list the client ID of the role {role} as an allowed client ID',
    'oidc-assignment-stays': '{action} of assignment "allow_all" not allowed',
    'oidc-assignment-of-clients':
      'unable to delete assignment {name} because it is currently referenced by these clients: {names}',
    'oidc-assignment-unknown': 'assignment {name} does not exist',
    'oidc-client-key-stays': 'key modification is not allowed',
    'oidc-client-key-unknown': 'key {name} does not exist',
    'oidc-client-ttl-long':
      "a client's id_token_ttl cannot be greater than the verification_ttl of the key it references",
    'oidc-client-type-stays': 'client_type modification is not allowed',
    'fixture-client-id-taken': 'another client has the id {id}',
    'oidc-client-type-unknown': 'invalid client_type {type}',
    'oidc-scope-reserved': 'the "openid" scope name is reserved',
    'oidc-scope-of-providers':
      'unable to delete scope {name} because it is currently referenced by these providers: {names}',
    'oidc-scope-unknown': 'scope {name} does not exist',
    'oidc-default-provider-stays': 'deletion of OIDC provider "default" not allowed',
    'oidc-entity-missing': "no entity associated with the request's token",
  }),
})
