import { any, bool, int, list, text, union } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct, withOthers } from '../../../state/kernel/shape/members.ts'
import { authorize } from '../../../state/secrets/oidc/authorize.ts'
import { keysOfClients } from '../../../state/secrets/oidc/clients.ts'
import {
  exchangeCode,
  type ProviderContext,
  userInfo,
} from '../../../state/secrets/oidc/exchange.ts'
import { keySetOf } from '../../../state/secrets/oidc/id-tokens.ts'
import { oidcAlgorithms } from '../../../state/secrets/oidc/keys.ts'
import {
  clientsOfProvider,
  oidcProviders,
  openIdScope,
  providerIssuer,
} from '../../../state/secrets/oidc/providers.ts'
import { requireCaller } from '../dispatch/caller.ts'
import { bareOutcome, type SecretsOutcome } from '../envelope/outcome.ts'
import { errorSchema } from '../envelope/schemas.ts'
import { textField } from '../fields/field-kinds.ts'
import type { FieldValues } from '../fields/fields.ts'
import { type Call, operationsOf, type SecretsOperation } from '../operation.ts'
import { cachedOutcome, discoveryCache, issuerContextOf, keySetShape } from './tokens.ts'

const operation = operationsOf({ spec: 'behaviour/secrets#oidc-provider' })

const oauthFailure = union(
  struct({ error: text, error_description: text, state: optional(text) }),
  errorSchema,
)

type ProviderCall = Call<{ readonly name: string }, unknown>

function providerOf(call: ProviderCall): ProviderContext {
  return { ...issuerContextOf(call), provider: call.params.name }
}

const textList = list(text)

const discovery = struct({
  issuer: text,
  jwks_uri: text,
  authorization_endpoint: text,
  token_endpoint: text,
  userinfo_endpoint: text,
  request_parameter_supported: bool,
  request_uri_parameter_supported: bool,
  id_token_signing_alg_values_supported: textList,
  response_types_supported: textList,
  scopes_supported: textList,
  claims_supported: textList,
  subject_types_supported: textList,
  grant_types_supported: textList,
  token_endpoint_auth_methods_supported: textList,
})

/**
 * Returns the discovery document of a provider. Throws an `absent` refusal for an unknown provider.
 *
 * @param product path segment after `/ui/` in the URL of the login page
 */
function discoveryOf(call: ProviderCall, product: string): object {
  const { world, mount, params } = call
  const provider = oidcProviders.read(world, mount, params.name)
  const issuer = providerIssuer(provider, params.name, issuerContextOf(call))
  return {
    issuer,
    jwks_uri: `${issuer}/.well-known/keys`,
    authorization_endpoint: `${issuer.replace('/v1/', `/ui/${product}/`)}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    id_token_signing_alg_values_supported: oidcAlgorithms,
    response_types_supported: ['code'],
    scopes_supported: [...provider.scopes_supported, openIdScope],
    claims_supported: [],
    subject_types_supported: ['public'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
  }
}

const authorizeFields = {
  client_id: textField('Id of the client'),
  scope: textField('Scopes, separated by spaces; `openid` is required'),
  redirect_uri: textField('Redirect address'),
  response_type: textField('`code`'),
  state: textField('State, which is returned unchanged'),
  nonce: textField('Nonce, which becomes a claim of the identity token'),
  max_age: described(int, 'Maximum number of seconds since the login'),
  code_challenge: described(text, 'PKCE challenge'),
  code_challenge_method: textField('`plain` (default) or `S256`'),
} as const

const authorizeReply = {
  200: struct({ code: text, state: text }),
  400: oauthFailure,
}

type AuthorizeCall = Call<{ readonly name: string }, FieldValues<typeof authorizeFields>>

function answerAuthorize(call: AuthorizeCall): SecretsOutcome {
  const { world, mount, params, fields, input } = call
  const code = authorize(
    world,
    mount,
    params.name,
    {
      ...fields,
      hasRequest: Object.hasOwn(input, 'request'),
      hasRequestUri: Object.hasOwn(input, 'request_uri'),
    },
    requireCaller(call),
  )
  return bareOutcome({ code, state: fields.state })
}

/**
 * Returns the user name and the password in a header for HTTP Basic authentication; undefined for
 * other headers.
 */
export function basicCredentials(
  header: string | undefined,
): readonly [string, string] | undefined {
  const [, encoded] = /^basic (.+)$/i.exec(header ?? '') ?? []
  if (encoded === undefined) return undefined
  const [, name, password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  return name === undefined || password === undefined ? undefined : [name, password]
}

function answerUserInfo(call: ProviderCall): SecretsOutcome {
  const { request } = call
  const [, bearer] = /^Bearer (.*)$/.exec(request.header('authorization') ?? '') ?? []
  return bareOutcome(userInfo(call.world, providerOf(call), bearer?.trim(), request.clientToken))
}

const userInfoReply = {
  200: withOthers(struct({ sub: text }), any),
  400: oauthFailure,
  401: oauthFailure,
  403: oauthFailure,
}

const authorizePath = 'oidc/provider/:name/authorize'
const authorizeSummary = 'Create an authorization code for the entity of the caller.'
const codeSecrets = { reply: ['code'] }

const userInfoPath = 'oidc/provider/:name/userinfo'
const userInfoOptions = {
  summary: 'Read the claims about the entity of an access token.',
  access: 'anyone',
  failures: [401, 403],
  reply: userInfoReply,
  run: answerUserInfo,
} as const

/** The endpoints of OIDC providers that clients call. */
export const oidcProviderOperations: readonly SecretsOperation[] = [
  operation.read(
    'identityReadOidcProviderDiscovery',
    'oidc/provider/:name/.well-known/openid-configuration',
    {
      summary: 'Describe a provider.',
      access: 'anyone',
      reply: { 200: discovery },
      run: (call) =>
        cachedOutcome(discoveryOf(call, 'service'), discoveryCache, discoveryOf(call, 'vault')),
    },
  ),
  operation.read('identityReadOidcProviderKeySet', 'oidc/provider/:name/.well-known/keys', {
    summary: 'Read the public keys of the clients of a provider.',
    access: 'anyone',
    reply: { 200: keySetShape },
    run({ world, mount, params: { name } }) {
      const clients = clientsOfProvider(world, mount, oidcProviders.read(world, mount, name))
      return bareOutcome(keySetOf(world, keysOfClients(world, mount, clients)))
    },
  }),
  operation.read('identityAuthorizeOidc', authorizePath, {
    summary: authorizeSummary,
    secrets: codeSecrets,
    query: authorizeFields,
    reply: authorizeReply,
    run: answerAuthorize,
  }),
  operation.write('identityPostAuthorizeOidc', authorizePath, {
    summary: authorizeSummary,
    secrets: codeSecrets,
    body: authorizeFields,
    reply: authorizeReply,
    run: answerAuthorize,
  }),
  operation.write('identityExchangeOidcCode', 'oidc/provider/:name/token', {
    summary: 'Exchange an authorization code for an identity token and an access token.',
    access: 'anyone',
    secrets: {
      body: ['code', 'client_secret', 'code_verifier'],
      reply: ['access_token', 'id_token'],
    },
    body: {
      client_id: textField('Id of the client, unless HTTP Basic authentication names the client'),
      client_secret: textField('The secret of a confidential client'),
      grant_type: textField('`authorization_code`'),
      code: textField('The authorization code'),
      redirect_uri: textField('Redirect address of the authorization request'),
      code_verifier: textField('PKCE verifier'),
    },
    failures: [401],
    reply: {
      200: struct({ access_token: text, expires_in: int, id_token: text, token_type: text }),
      400: oauthFailure,
      401: oauthFailure,
    },
    run(call) {
      const { world, fields, request } = call
      const [client_id, client_secret] = basicCredentials(request.header('authorization')) ?? [
        fields.client_id,
        fields.client_secret,
      ]
      const tokens = exchangeCode(world, providerOf(call), { ...fields, client_id, client_secret })
      const headers = { 'cache-control': 'no-store', pragma: 'no-cache' }
      return { kind: 'bare', status: 200, body: tokens, headers }
    },
  }),
  operation.read('identityReadOidcUserInfo', userInfoPath, userInfoOptions),
  operation.write('identityPostOidcUserInfo', userInfoPath, userInfoOptions),
]
