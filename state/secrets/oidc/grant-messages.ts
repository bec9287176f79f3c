import { defineMessages, refusals } from '../../kernel/refusal.ts'
import { commonMessages } from '../common-messages.ts'

/**
 * Declares refusals whose bodies are OAuth error responses.
 * @param code OAuth error code, such as `invalid_grant`
 */
function oauth<const T extends Readonly<Record<string, string>>>(code: string, texts: T) {
  return refusals('invalid', texts, { oauth: code })
}

/** Declares refusals of authorization requests, whose bodies contain the `state` of the request. */
function authorization<const T extends Readonly<Record<string, string>>>(code: string, texts: T) {
  return refusals('invalid', texts, { oauth: code, state: 'sent' })
}

/**
 * Refusals of the authorization and token endpoints of OIDC providers, with OAuth error codes
 * (behaviour/secrets#oidc-provider).
 */
export const { table, refuse } = defineMessages({
  ...commonMessages,
  ...authorization('invalid_client_id', {
    'oidc-client-id-missing': 'client_id parameter is required',
    'oidc-client-unknown': 'client with client_id not found',
  }),
  ...authorization('invalid_redirect_uri', {
    'oidc-redirect-not-allowed': 'redirect_uri is not allowed for the client',
  }),
  ...authorization('unauthorized_client', {
    'oidc-client-not-allowed': 'client is not authorized to use the provider',
  }),
  ...authorization('unsupported_response_type', {
    'oidc-response-type-unknown': 'unsupported response_type value',
  }),
  ...authorization('access_denied', {
    'oidc-login-denied': 'the user denied the login',
    'oidc-entity-absent': 'identity entity must be associated with the request',
    'oidc-entity-not-assigned': 'identity entity not authorized by client assignment',
  }),
  ...authorization('max_age_violation', {
    'oidc-login-too-old': 'active re-authentication is required by max_age',
  }),
  ...authorization('invalid_request', {
    'oidc-redirect-missing': 'redirect_uri parameter is required',
    'oidc-provider-unknown': 'provider not found',
    'oidc-scope-without-openid': 'scope parameter must contain the "openid" value',
    'oidc-response-type-missing': 'response_type parameter is required',
    'oidc-pkce-missing': 'PKCE is required for public clients',
    'oidc-challenge-method-unknown': 'invalid code_challenge_method',
    'oidc-challenge-invalid': 'invalid code_challenge',
    'oidc-max-age-small': 'max_age must be greater than zero',
  }),
  ...refusals(
    'invalid',
    { 'oidc-request-unsupported': 'request parameter is not supported' },
    { oauth: 'request_not_supported', state: 'empty' },
  ),
  ...refusals(
    'invalid',
    { 'oidc-request-uri-unsupported': 'request_uri parameter is not supported' },
    { oauth: 'request_uri_not_supported', state: 'empty' },
  ),
  ...oauth('invalid_client', {
    'oidc-client-not-authenticated': 'client failed to authenticate',
    'oidc-client-not-of-provider': 'client is not authorized to use the provider',
    'oidc-client-not-of-key': 'client is not authorized to use the key',
  }),
  ...oauth('unsupported_grant_type', {
    'oidc-grant-type-unknown': 'unsupported grant_type value',
  }),
  ...oauth('invalid_grant', {
    'oidc-grant-invalid': 'authorization grant is invalid or expired',
    'oidc-grant-of-other-client': 'authorization code was not issued to the client',
    'oidc-grant-of-other-provider': 'authorization code was not issued by the provider',
    'oidc-verifier-wrong': 'invalid code_verifier for token exchange',
  }),
  ...oauth('invalid_request', {
    'oidc-token-client-missing': 'client_id parameter is required',
    'oidc-token-provider-unknown': 'provider not found',
    'oidc-grant-type-missing': 'grant_type parameter is required',
    'oidc-code-missing': 'code parameter is required',
    'oidc-token-redirect-missing': 'redirect_uri parameter is required',
    'oidc-token-entity-absent': 'identity entity associated with the request not found',
    'oidc-token-not-assigned': 'identity entity not authorized by client assignment',
    'oidc-verifier-missing': 'expected code_verifier for token exchange',
    'oidc-verifier-unexpected': 'unexpected code_verifier for token exchange',
    'oidc-claims-conflict':
      'found scopes with conflicting top-level claim: claim {claim} in scopes {scope}, {other}',
  }),
  ...oauth('invalid_token', {
    'oidc-access-token-refused': 'permission denied',
    'oidc-access-token-not-bearer': 'access token must be sent as a Bearer token',
  }),
  ...refusals(
    'denied',
    {
      'oidc-access-client-gone': 'client not found',
      'oidc-access-not-assigned': 'identity entity not authorized by client assignment',
    },
    { oauth: 'access_denied' },
  ),
})
