import { createHash } from 'node:crypto'
import { quoteGo } from '../../go/text.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Entity, entityOfId } from '../identity/entities.ts'
import { createToken } from '../tokens/creation.ts'
import { findToken, type Token } from '../tokens/rows.ts'
import { isAssigned } from './assignments.ts'
import { type AuthorizationCode, takeCode } from './authorize.ts'
import { clientById, type OidcClient } from './clients.ts'
import { refuse } from './grant-messages.ts'
import { signIdToken } from './id-tokens.ts'
import type { IssuerContext } from './issuer.ts'
import { allowsClient, requireKeyPairs } from './keys.ts'
import { allowsProvider, oidcProviders, oidcScopes, providerIssuer } from './providers.ts'
import { templateClaims } from './templates.ts'

/** A request to exchange an authorization code for tokens, with the parameters of OAuth. */
export interface ExchangeRequest {
  readonly client_id: string
  readonly client_secret: string
  readonly grant_type: string
  readonly code: string
  readonly redirect_uri: string
  readonly code_verifier: string
}

/** The tokens that a client gets for an authorization code. */
export interface ExchangedTokens {
  readonly access_token: string
  /** Validity of the access token in seconds. */
  readonly expires_in: number
  readonly id_token: string
  readonly token_type: 'Bearer'
}

/**
 * A provider by name, with its mount and namespace, and the origin under which the caller reaches
 * this server.
 */
export interface ProviderContext extends IssuerContext {
  readonly provider: string
}

/**
 * Exchanges an authorization code for tokens. A code can be used once: the code is deleted even if
 * a check of the code, the entity, the verifier or the claims of the scopes then refuses the
 * exchange.
 * @throws Refusal with an OAuth error code for the first check that fails, in the order of
 *   behaviour/secrets#oidc-provider
 */
export function exchangeCode(
  world: World,
  context: ProviderContext,
  request: ExchangeRequest,
): ExchangedTokens {
  const { mount, provider: name } = context
  const provider = oidcProviders.find(world, mount, name)
  if (provider === undefined) throw refuse('oidc-token-provider-unknown')
  if (request.client_id === '') throw refuse('oidc-token-client-missing')
  const client = clientById(world, mount, request.client_id)
  const isPublic = client?.client_type === 'public'
  if (client === undefined || (!isPublic && client.client_secret !== request.client_secret)) {
    throw refuse('oidc-client-not-authenticated')
  }
  if (!allowsProvider(provider, client.client_id)) throw refuse('oidc-client-not-of-provider')
  const key = requireKeyPairs(world, mount, client.key)
  if (key === undefined || !allowsClient(key, client.client_id)) {
    throw refuse('oidc-client-not-of-key')
  }
  if (request.grant_type === '') throw refuse('oidc-grant-type-missing')
  if (request.grant_type !== 'authorization_code') throw refuse('oidc-grant-type-unknown')
  if (request.code === '') throw refuse('oidc-code-missing')
  const code = takeCode(world, mount, request.code)
  const entity = code && entityOfId(world, code.entity_id)
  const refusal = grantRefusal(world, context, { request, client, code, entity })
  if (refusal !== undefined) throw refusal.commitWrites()
  // This check only narrows the types, because `grantRefusal` has already refused a missing code
  // and a missing entity.
  if (code === undefined || entity === undefined) throw refuse('oidc-grant-invalid')
  const scopeClaims = claimsOfScopes(world, context, entity, code.scopes)
  const access = createAccessToken(world, context, client, code)
  const now = Math.floor(world.clock.now() / 1000)
  const claims: JsonObject = {
    iss: providerIssuer(provider, name, context),
    namespace: context.namespace.id,
    sub: entity.id,
    aud: client.client_id,
    exp: now + client.id_token_ttl,
    iat: now,
    at_hash: halfHash(key.algorithm, access.id),
    c_hash: halfHash(key.algorithm, request.code),
    ...(code.nonce === '' ? {} : { nonce: code.nonce }),
    ...(code.auth_time === undefined ? {} : { auth_time: code.auth_time }),
  }
  return {
    access_token: access.id,
    expires_in: client.access_token_ttl,
    id_token: signIdToken(world, key, claims, scopeClaims),
    token_type: 'Bearer',
  }
}

/** The data that determine whether an authorization code is accepted. */
interface Grant {
  readonly request: ExchangeRequest
  readonly client: OidcClient
  readonly code: AuthorizationCode | undefined
  readonly entity: Entity | undefined
}

function grantRefusal(
  world: World,
  { mount, provider }: ProviderContext,
  { request, client, code, entity }: Grant,
): Refusal | undefined {
  if (code === undefined) return refuse('oidc-grant-invalid')
  if (code.client_id !== client.client_id) return refuse('oidc-grant-of-other-client')
  if (code.provider !== provider) return refuse('oidc-grant-of-other-provider')
  if (request.redirect_uri === '') return refuse('oidc-token-redirect-missing')
  if (request.redirect_uri !== code.redirect_uri) return refuse('oidc-grant-invalid')
  if (entity === undefined) return refuse('oidc-token-entity-absent')
  if (!isAssigned(world, mount, entity, client.assignments)) {
    return refuse('oidc-token-not-assigned')
  }
  return verifierRefusal(code, request)
}

/**
 * Compares the PKCE verifier of an exchange with the challenge of a code. Returns the refusal of a
 * verifier that is missing, unexpected or wrong. Returns undefined if the verifier matches the
 * challenge, or if there is neither a challenge nor a verifier.
 */
export function verifierRefusal(
  code: Pick<AuthorizationCode, 'code_challenge' | 'code_challenge_method'>,
  { code_verifier: verifier }: Pick<ExchangeRequest, 'code_verifier'>,
): Refusal | undefined {
  if (code.code_challenge === '') {
    return verifier === '' ? undefined : refuse('oidc-verifier-unexpected')
  }
  if (verifier === '') return refuse('oidc-verifier-missing')
  const verifierHash = createHash('sha256').update(verifier).digest('base64url')
  const challenge = code.code_challenge_method === 'S256' ? verifierHash : verifier
  return challenge === code.code_challenge ? undefined : refuse('oidc-verifier-wrong')
}

/**
 * Creates a batch token without policies, which can only read the user information of a provider.
 */
function createAccessToken(
  world: World,
  { namespace, provider }: ProviderContext,
  { client_id, access_token_ttl }: OidcClient,
  { entity_id, scopes }: AuthorizationCode,
): Token {
  const { token } = createToken(world, {
    policies: [],
    displayName: '',
    path: `identity/oidc/provider/${provider}/token`,
    namespace,
    type: 'batch',
    meta: { oidc_token_type: 'access token' },
    ttl: access_token_ttl,
    hasExactTtl: true,
    entityId: entity_id,
    oidcAccess: { client_id, provider, scopes },
  })
  return token
}

/**
 * Returns the left half of the hash of a token or code, as the claims `at_hash` and `c_hash`
 * contain it (OpenID Connect Core 1.0, 3.1.3.6). The algorithm of the signature determines the hash
 * function.
 */
function halfHash(algorithm: string, text: string): string {
  const bits = algorithm === 'EdDSA' ? '512' : algorithm.slice(2)
  const hash = createHash(`sha${bits}`).update(text).digest()
  return hash.subarray(0, hash.length / 2).toString('base64url')
}

/**
 * Returns the claims that the templates of scopes define for an entity, one object for each scope
 * with a template.
 * @throws Refusal if two scopes define the same claim
 */
function claimsOfScopes(
  world: World,
  { mount }: IssuerContext,
  entity: Entity,
  scopes: readonly string[],
): JsonObject[] {
  const scopeOf = new Map<string, string>()
  return scopes.flatMap((scope) => {
    const template = oidcScopes.find(world, mount, scope)?.template ?? ''
    if (template === '') return []
    const claims = templateClaims(world, entity, template)
    for (const claim of Object.keys(claims)) {
      const other = scopeOf.get(claim)
      if (other !== undefined) {
        const scopeNames = { scope: quoteGo(scope), other: quoteGo(other) }
        // Commits the writes, so that the code stays deleted although the exchange fails.
        throw refuse('oidc-claims-conflict', {
          claim: quoteGo(claim),
          ...scopeNames,
        }).commitWrites()
      }
      scopeOf.set(claim, scope)
    }
    return [claims]
  })
}

/**
 * Returns the claims about the entity of an access token.
 *
 * @param bearer token of the header Authorization; undefined without this header
 * @param headerToken token of the API's own header; empty without this header
 * @throws Refusal in each of these cases: the bearer token is missing; the bearer token is not an
 *   access token of this provider; the entity or client of the token no longer exists; the client
 *   no longer allows the entity; two scopes define the same claim
 */
export function userInfo(
  world: World,
  context: ProviderContext,
  bearer: string | undefined,
  headerToken: string,
): JsonObject {
  if (bearer === undefined) {
    throw findToken(world, headerToken) === undefined
      ? refuse('oidc-access-token-refused')
      : refuse('oidc-access-token-not-bearer')
  }
  const { mount, provider } = context
  const token = findToken(world, bearer)
  const access = token?.oidc_access
  const entity = token && entityOfId(world, token.entity_id)
  const isFromProvider = access?.provider === provider && token?.namespace === context.namespace.id
  if (access === undefined || entity === undefined || !isFromProvider) {
    throw refuse('oidc-access-token-refused')
  }
  const client = clientById(world, mount, access.client_id)
  if (client === undefined) throw refuse('oidc-access-client-gone')
  if (!isAssigned(world, mount, entity, client.assignments)) {
    throw refuse('oidc-access-not-assigned')
  }
  const supportedScopes = oidcProviders.find(world, mount, provider)?.scopes_supported ?? []
  const scopes = access.scopes.filter((scope) => supportedScopes.includes(scope))
  const claims = claimsOfScopes(world, context, entity, scopes)
  return { ...(Object.assign({}, ...claims) as JsonObject), sub: entity.id }
}
