import { defineMessages } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'
import { loginMessages } from '../logins/messages.ts'

/** Messages of the method jwt (behaviour/secrets#jwt). */
export const {
  table: jwtTexts,
  message,
  refuse,
} = defineMessages({
  ...commonMessages,
  ...loginMessages,
  'jwt-key-sources': {
    kind: 'invalid',
    text: "exactly one of 'jwt_validation_pubkeys', 'jwks_url' or 'oidc_discovery_url' must be set",
  },
  'jwt-client-half': {
    kind: 'invalid',
    text: "both 'oidc_client_id' and 'oidc_client_secret' must be set for OIDC",
  },
  'jwt-client-without-url': { kind: 'invalid', text: "'oidc_discovery_url' must be set for OIDC" },
  'jwt-key-unreadable': {
    kind: 'invalid',
    text: 'error parsing public key: data does not contain any valid public keys',
  },
  'jwt-algorithm-unknown': {
    kind: 'invalid',
    text: 'invalid jwt_supported_algs: unsupported signing algorithm {name}',
  },
  'jwt-key-set-failed': { kind: 'invalid', text: 'error checking jwks URL' },
  'jwt-discovery-failed': { kind: 'invalid', text: 'error checking oidc discovery URL' },
  'jwt-response-types': {
    kind: 'invalid',
    text: "invalid response_types {types}. 'code' and 'id_token' are allowed",
  },
  'jwt-response-query': {
    kind: 'invalid',
    text: 'query response_mode may not be used with an id_token response_type',
  },
  'jwt-response-mode': { kind: 'invalid', text: 'invalid response_mode: {mode}' },
  'jwt-role-type-unknown': { kind: 'invalid', text: "invalid 'role_type': {type}" },
  'jwt-period-above-max': {
    kind: 'invalid',
    text: "'period' of '\"{period}\"' is greater than the backend's maximum lease TTL of '\"{max}\"'",
  },
  'jwt-bound-type-unknown': { kind: 'invalid', text: "invalid 'bound_claims_type': {type}" },
  'jwt-bound-claim-not-text': { kind: 'invalid', text: 'claim is not a string: {value}' },
  'jwt-bound-claim-not-list': { kind: 'invalid', text: 'claim is not a string or list: {value}' },
  'jwt-metadata-reserved': {
    kind: 'invalid',
    text: 'metadata key {key} is reserved and may not be a mapping destination',
  },
  'jwt-metadata-twice': { kind: 'invalid', text: 'multiple keys are mapped to metadata key {key}' },
  'jwt-user-claim-missing': { kind: 'invalid', text: 'a user claim must be defined on the role' },
  'jwt-redirects-missing': {
    kind: 'invalid',
    text: "'allowed_redirect_uris' must be set if 'role_type' is 'oidc' or unspecified.",
  },
  'jwt-unconstrained': {
    kind: 'invalid',
    text: 'must have at least one bound constraint when creating/updating a role',
  },
  'jwt-ttl-above-max': { kind: 'invalid', text: 'ttl should not be greater than max ttl' },
  'jwt-max-ttl-truncated': {
    text: "token max ttl is greater than the system or backend mount's maximum TTL value; issued tokens' max TTL value will be truncated",
  },
  'jwt-verbose-logging': {
    text: 'verbose_oidc_logging has been enabled for this role. This is not recommended in production since sensitive information may be present in OIDC responses.',
  },
  'jwt-not-configured': { kind: 'invalid', text: 'could not load configuration' },
  'jwt-role-missing': { kind: 'invalid', text: 'missing role' },
  'jwt-role-absent': { kind: 'invalid', text: 'role {role} could not be found' },
  'jwt-role-oidc': { kind: 'invalid', text: 'role with oidc role_type is not allowed' },
  'jwt-token-missing': { kind: 'invalid', text: 'missing token' },
  'jwt-unverified': {
    kind: 'invalid',
    text: 'error validating token: error verifying token signature: {why}',
  },
  'jwt-no-key': { text: 'no known key successfully validated the token signature' },
  'jwt-fetch-failed': { text: 'fetching keys {url}: {why}' },
  'jwt-fetch-not-allowed': { text: 'not allowed' },
  'jwt-invalid': { kind: 'invalid', text: 'error validating token: {why}' },
  'jwt-audience-unbound': {
    kind: 'invalid',
    text: 'audience claim found in JWT but no audiences bound to the role',
  },
  'jwt-user-absent': { kind: 'invalid', text: 'claim {claim} not found in token' },
  'jwt-user-not-text': { kind: 'invalid', text: 'claim {claim} could not be converted to string' },
  'jwt-mapped-not-text': { kind: 'invalid', text: "error converting claim '{claim}' to string" },
  'jwt-groups-absent': {
    kind: 'invalid',
    text: 'failed to fetch groups: {claim} claim not found in token',
  },
  'jwt-groups-not-list': {
    kind: 'invalid',
    text: '{claim} claim could not be converted to string list',
  },
  'jwt-group-not-text': {
    kind: 'invalid',
    text: 'value {value} in groups claim could not be parsed as string',
  },
  'jwt-claims-refused': { kind: 'invalid', text: 'error validating claims: {why}' },
  'jwt-bound-claim-absent': { text: 'claim {claim} is missing' },
  'jwt-bound-claim-unmatched': {
    text: 'claim {claim} does not match any associated bound claim values',
  },
  'jwt-received-claim-kind': { text: 'received claim is not a string, bool, int or list: {value}' },
  'jwt-bound-claim-kind': { text: 'bound claim is not a string, bool, int or list: {value}' },
  'jwt-oidc-off': { kind: 'invalid', text: 'OIDC login is not configured for this mount' },
})
