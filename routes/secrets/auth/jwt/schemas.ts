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
  jwks_url: described(text, 'Where the key set is'),
  jwks_ca_pem: described(text, 'Certificates to trust there, in PEM'),
  bound_issuer: described(text, 'The issuer (`iss`) of the JWTs'),
  default_role: described(text, 'The role of logins that name none'),
  jwt_supported_algs: texts('Algorithms that are taken; none for all'),
  namespace_in_state: described(bool, 'Kept, without effect'),
  oidc_client_id: described(text, 'Id of the client of a provider, for logins by a browser'),
  oidc_client_secret: described(text, 'Secret of the client'),
  oidc_discovery_ca_pem: described(text, 'Certificates to trust at `oidc_discovery_url`, in PEM'),
  oidc_discovery_url: described(text, 'The issuer, which says where its key set is'),
  oidc_response_mode: described(text, 'Kept, without effect'),
  oidc_response_types: texts('Kept, without effect'),
  provider_config: described(map(any), 'Kept, without effect'),
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
  role_type: described(text, '`jwt` or, unless given, `oidc`'),
  user_claim: described(text, 'The claim that names the user'),
  user_claim_json_pointer: described(bool, 'Whether `user_claim` may be a JSON pointer'),
  bound_audiences: texts('Audiences (`aud`) of which any will do'),
  bound_subject: described(text, 'The subject (`sub`)'),
  bound_claims: described(map(any), 'Values, or lists of them, by claim'),
  bound_claims_type: described(text, '`string` or `glob`'),
  claim_mappings: described(map(text), 'Keys of the metadata of tokens, by claim'),
  groups_claim: described(text, 'The claim that names groups'),
  expiration_leeway: leeway('What a JWT without `exp` lasts'),
  not_before_leeway: leeway('How long before its `exp` a JWT counts that says no other instant'),
  clock_skew_leeway: leeway('How far clocks may differ'),
  allowed_redirect_uris: texts(
    'Addresses to which users may return; ports of loopback ones are free',
  ),
  oidc_scopes: texts('Scopes that a login asks for'),
  verbose_oidc_logging: described(bool, 'Kept, without effect'),
  max_age: duration('Longest time since the login at the provider'),
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
  role: textField("The role; the configuration's default unless given"),
  redirect_uri: textField('The address to which the user returns'),
  client_nonce: textField('Required again at the end'),
} as const

/** Fields of the callback request that completes a login in a browser. */
export const callbackFields = {
  state: textField('The state of the login that began'),
  code: textField('The code of the provider'),
  client_nonce: textField('The nonce of the beginning'),
  id_token: textField('Has no effect'),
  error: textField('Has no effect'),
  error_description: textField('Has no effect'),
} as const

export const loginFields = {
  role: textField("The role; the configuration's default unless given"),
  jwt: requiredText('The signed JWT'),
} as const
