import { defineMessages, messageTexts, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

export const { table, message, refuse } = defineMessages({
  ...commonMessages,
  ...loginMessages,
  ...refusals('invalid', {
    'jwt-key-sources':
      "exactly one of 'jwt_validation_pubkeys', 'jwks_url' or 'oidc_discovery_url' must be set",
    'jwt-client-half': "both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC",
    'jwt-client-without-url': "'oidc_discovery_url' must be set for OIDC",
    'jwt-key-unreadable': 'error parsing public key: data does not contain any valid public keys',
    'jwt-algorithm-unknown': 'invalid jwt_supported_algs: unsupported signing algorithm {name}',
    'jwt-key-set-failed': 'error checking jwks URL',
    'jwt-discovery-failed': 'error checking oidc discovery URL',
    'jwt-response-types': "invalid response_types {types}. 'code' and 'id_token' are allowed",
    'jwt-response-query': 'query response_mode may not be used with an id_token response_type',
    'jwt-response-mode': 'invalid response_mode: {mode}',
    'jwt-role-type-unknown': "invalid 'role_type': {type}",
    'jwt-period-above-max':
      "'period' of '\"{period}\"' is greater than the backend's maximum lease TTL of '\"{max}\"'",
    'jwt-bound-type-unknown': "invalid 'bound_claims_type': {type}",
    'jwt-bound-claim-not-text': 'claim is not a string: {value}',
    'jwt-bound-claim-not-list': 'claim is not a string or list: {value}',
    'jwt-metadata-reserved': 'metadata key {key} is reserved and may not be a mapping destination',
    'jwt-metadata-twice': 'multiple keys are mapped to metadata key {key}',
    'jwt-user-claim-missing': 'a user claim must be defined on the role',
    'jwt-redirects-missing':
      "'allowed_redirect_uris' must be set if 'role_type' is 'oidc' or unspecified.",
    'jwt-unconstrained': 'must have at least one bound constraint when creating/updating a role',
    'jwt-ttl-above-max': 'ttl should not be greater than max ttl',
    'jwt-not-configured': 'could not load configuration',
    'jwt-role-missing': 'missing role',
    'jwt-role-absent': 'role {role} could not be found',
    'jwt-role-oidc': 'role with oidc role_type is not allowed',
    'jwt-token-missing': 'missing token',
    'jwt-unverified': 'error validating token: error verifying token signature: {why}',
    'jwt-invalid': 'error validating token: {why}',
    'jwt-audience-unbound': 'audience claim found in JWT but no audiences bound to the role',
    'jwt-user-absent': 'claim {claim} not found in token',
    'jwt-user-not-text': 'claim {claim} could not be converted to string',
    'jwt-mapped-not-text': "error converting claim '{claim}' to string",
    'jwt-groups-absent': 'failed to fetch groups: {claim} claim not found in token',
    'jwt-groups-not-list': '{claim} claim could not be converted to string list',
    'jwt-group-not-text': 'value {value} in groups claim could not be parsed as string',
    'jwt-claims-refused': 'error validating claims: {why}',
    'jwt-oidc-off': 'OIDC login is not configured for this mount',
    'jwt-redirect-missing': 'missing redirect_uri',
    'jwt-state-unknown': 'Service login failed. Expired or missing OAuth state.',
    'jwt-code-missing': 'Service login failed. No code or id_token received.',
    'jwt-client-nonce-wrong': 'invalid client_nonce',
    'jwt-exchange-failed': 'Service login failed. Error exchanging oidc code: {why}.',
  }),
  ...messageTexts({
    'jwt-max-ttl-truncated':
      "token max ttl is greater than the system or backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
    'jwt-verbose-logging':
      'verbose_oidc_logging has been enabled for this role. This is not recommended in production since sensitive information may be present in OIDC responses.',
    'jwt-no-key': 'no known key successfully validated the token signature',
    'jwt-fetch-failed': 'fetching keys {url}: {why}',
    'jwt-fetch-not-allowed': 'not allowed',
    'jwt-bound-claim-absent': 'claim {claim} is missing',
    'jwt-bound-claim-unmatched': 'claim {claim} does not match any associated bound claim values',
    'jwt-received-claim-kind': 'received claim is not a string, bool, int or list: {value}',
    'jwt-bound-claim-kind': 'bound claim is not a string, bool, int or list: {value}',
  }),
})
