import {
  any,
  bool,
  int,
  list,
  map,
  nullable,
  text,
  word,
} from '../../../../state/kernel/shape/kinds.ts'
import { described } from '../../../../state/kernel/shape/members.ts'
import { structEnvelope } from '../../envelope/schemas.ts'
import {
  duration,
  requiredText,
  signedDuration,
  textField,
  texts,
} from '../../fields/field-kinds.ts'
import {
  oldTokenFieldSchemas,
  oldTokenInputFields,
  tokenFieldSchemas,
  tokenInputFields,
} from '../login-schemas.ts'

/** Fields of a request that writes the configuration. A write replaces the whole configuration. */
export const configFields = {
  jwt_validation_pubkeys: texts('Public keys or certificates in PEM'),
  jwks_url: described(text, 'URL of the key set'),
  jwks_ca_pem: described(text, 'PEM certificates that the mount trusts at `jwks_url`'),
  bound_issuer: described(text, 'Required issuer (`iss`) of the JWTs'),
  default_role: described(text, 'Role of logins that do not name a role'),
  jwt_supported_algs: texts('Accepted signature algorithms; an empty list accepts all'),
  namespace_in_state: described(bool, 'Stored and returned, but without effect'),
  oidc_client_id: described(text, 'Client id at the provider, for logins in a browser'),
  oidc_client_secret: described(text, 'Client secret at the provider'),
  oidc_discovery_ca_pem: described(
    text,
    'PEM certificates that the mount trusts at `oidc_discovery_url`',
  ),
  oidc_discovery_url: described(
    text,
    'URL of the issuer, whose discovery document names the key set',
  ),
  oidc_response_mode: described(text, 'Stored and returned, but without effect'),
  oidc_response_types: texts('Stored and returned, but without effect'),
  provider_config: described(map(any), 'Stored and returned, but without effect'),
} as const

const textList = list(text)

export const configEnvelope = structEnvelope({
  bound_issuer: text,
  default_role: text,
  jwks_ca_pem: text,
  jwks_url: text,
  jwt_supported_algs: textList,
  jwt_validation_pubkeys: textList,
  namespace_in_state: bool,
  oidc_client_id: text,
  oidc_discovery_ca_pem: text,
  oidc_discovery_url: text,
  oidc_response_mode: text,
  oidc_response_types: textList,
  provider_config: map(any),
})

const leeway = (description: string) =>
  signedDuration(`${description}, in seconds; 0 for the usual, -1 for none`)

/**
 * Fields of a request that writes a role. A missing field keeps its value, except that `role_type`
 * and `bound_claims_type` return to their defaults.
 */
export const roleFields = {
  role_type: described(text, '`jwt` or `oidc`; `oidc` if left out'),
  user_claim: described(text, 'Claim with the name of the user'),
  user_claim_json_pointer: described(bool, 'Whether `user_claim` may be a JSON pointer'),
  bound_audiences: texts('Accepted audiences (`aud`); one of them is enough'),
  bound_subject: described(text, 'Required subject (`sub`)'),
  bound_claims: described(map(any), 'Required values by claim; a list contains alternatives'),
  bound_claims_type: described(text, '`string` or `glob`'),
  claim_mappings: described(map(text), 'Metadata key of the token for each claim'),
  groups_claim: described(text, 'Claim with the names of the groups'),
  expiration_leeway: leeway('Validity of a JWT without `exp`'),
  not_before_leeway: leeway('Validity before `exp`, for a JWT with no other time'),
  clock_skew_leeway: leeway('Maximum clock skew'),
  allowed_redirect_uris: texts(
    'Accepted redirect addresses; loopback addresses match with any port',
  ),
  oidc_scopes: texts('Scopes that a login requests'),
  verbose_oidc_logging: described(bool, 'Stored and returned, but without effect'),
  max_age: duration('Maximum time since the login at the provider'),
  ...tokenInputFields,
  ...oldTokenInputFields,
} as const

export const roleEnvelope = structEnvelope({
  role_type: word('jwt', 'oidc'),
  expiration_leeway: int,
  not_before_leeway: int,
  clock_skew_leeway: int,
  bound_audiences: nullable(textList),
  bound_subject: text,
  bound_claims_type: word('string', 'glob'),
  bound_claims: nullable(map(any)),
  claim_mappings: nullable(map(text)),
  user_claim: text,
  user_claim_json_pointer: bool,
  groups_claim: text,
  oidc_scopes: nullable(textList),
  allowed_redirect_uris: nullable(textList),
  verbose_oidc_logging: bool,
  max_age: int,
  ...tokenFieldSchemas,
  ...oldTokenFieldSchemas,
})

export const authUrlFields = {
  role: textField('The role; the configured default role if left out'),
  redirect_uri: textField('Redirect address'),
  client_nonce: textField('Nonce that the callback must repeat'),
} as const

/** Fields of the callback request that completes a login in a browser. */
export const callbackFields = {
  state: textField('State of the login'),
  code: textField('Code of the provider'),
  client_nonce: textField('Nonce that the login began with'),
  id_token: textField('Has no effect'),
  error: textField('Has no effect'),
  error_description: textField('Has no effect'),
} as const

export const loginFields = {
  role: textField('The role; the configured default role if left out'),
  jwt: requiredText('The signed JWT'),
} as const
