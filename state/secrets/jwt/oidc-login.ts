import { createHash } from 'node:crypto'
import { quoteGo } from '../../go/text.ts'
import { isJsonObject, type JsonObject } from '../../kernel/json.ts'
import { Refusal } from '../../kernel/refusal.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { LoginGrant } from '../logins/grants.ts'
import { type KeySet, keysOf, parseJws, verifiedClaimsOf } from '../logins/jws.ts'
import { type Mount, storagePrefix } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { isRedirectAllowed } from '../oidc/clients.ts'
import { type ExchangeRequest, exchangeCode } from '../oidc/exchange.ts'
import { type LoginState, oidcLoginTable } from '../oidc/logins.ts'
import { providerIssuer } from '../oidc/providers.ts'
import {
  exchangeAtIssuer,
  issuerAddress,
  issuerKeySet,
  simulatedIssuer,
} from '../oidc/simulated-issuers.ts'
import { type JwtConfig, jwtConfigs } from './config.ts'
import { localKeySet, localProvider } from './local-provider.ts'
import { loginWithClaims } from './login.ts'
import { refuse } from './messages.ts'
import { jwtRoles } from './roles.ts'

const stateLifetime = 5 * 60 * 1000

interface LoginContext {
  readonly mount: Mount
  readonly namespace: Namespace
  readonly origin: string
}

function configOf(world: World, mount: Mount): JwtConfig {
  const config = jwtConfigs.find(world, mount)
  if (config === undefined) throw refuse('jwt-not-configured')
  if (config.oidc_client_id === '') throw refuse('jwt-oidc-off')
  return config
}

/**
 * The OIDC provider of a login. The mock calls these functions directly instead of sending HTTP
 * requests to the provider.
 */
interface Provider {
  /**
   * Returns the URL of the page where the user approves the login.
   * @param product segment after `/ui/` in the URL of a provider of this world
   */
  page(product: string): string
  exchange(request: ExchangeRequest): { readonly id_token: string }
  keys(): KeySet
}

/**
 * Finds the provider of a configuration: a provider of this world or a simulated issuer.
 * @throws Refusal if the configuration names neither
 */
function providerOf(world: World, config: JwtConfig, origin: string): Provider {
  const { oidc_discovery_url: url, local_origin = origin } = config
  const local = localProvider(world, url, local_origin)
  if (local !== undefined) {
    const { context, row } = local
    return {
      page(product) {
        const issuer = providerIssuer(row, context.provider, context)
        return `${issuer.replace('/v1/', `/ui/${product}/`)}/authorize`
      },
      exchange: (request) => exchangeCode(world, context, request),
      keys: () => localKeySet(world, local),
    }
  }
  const issuer = simulatedIssuer(world, url)
  if (issuer === undefined) throw refuse('jwt-discovery-failed')
  return {
    page: () => `${issuerAddress(issuer, origin)}/authorize`,
    exchange: (request) => exchangeAtIssuer(world, issuer, request),
    keys: () => issuerKeySet(world, issuer),
  }
}

interface LoginRequest {
  readonly role: string
  readonly redirect_uri: string
  readonly client_nonce: string
}

/**
 * Begins a login: stores its state and returns the URL of the page where the user approves the
 * login. Stores nothing and returns an empty string if the role does not allow the redirect
 * address.
 *
 * @param product segment after `/ui/` in the URL of a provider of this world
 * @throws Refusal `invalid` for the first check that fails, in the order of
 *   behaviour/secrets#oidc-login
 */
export function beginLogin(
  world: World,
  { mount, origin }: LoginContext,
  request: LoginRequest,
  product: string,
): string {
  const config = configOf(world, mount)
  const name = (request.role || config.default_role).toLowerCase()
  if (name === '') throw refuse('jwt-role-missing')
  if (request.redirect_uri === '') throw refuse('jwt-redirect-missing')
  const role = jwtRoles.find(world, mount, name)
  if (role === undefined) throw refuse('jwt-role-absent', { role: quoteGo(name) })
  const { redirect_uri, client_nonce } = request
  const allowed = role.role_type === 'oidc' ? (role.allowed_redirect_uris ?? []) : []
  if (!isRedirectAllowed(redirect_uri, allowed)) return ''
  const page = providerOf(world, config, origin).page(product)
  const state = `st_${world.ids.base62(20)}`
  const nonce = `n_${world.ids.base62(20)}`
  const code_verifier = world.ids.base62(43)
  const started = { role: name, redirect_uri, nonce, client_nonce, code_verifier }
  storeState(world, mount, state, started)
  const query = new URLSearchParams({
    client_id: config.oidc_client_id,
    code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...(role.max_age > 0 ? { max_age: String(role.max_age) } : {}),
    nonce,
    redirect_uri,
    ...(config.oidc_response_mode === 'form_post' ? { response_mode: 'form_post' } : {}),
    response_type: 'code',
    scope: ['openid', ...(role.oidc_scopes ?? [])].join(' '),
    state,
  })
  return `${page}?${query}`
}

/** Stores a pending login, and deletes the expired logins of the mount. */
function storeState(
  world: World,
  mount: Mount,
  state: string,
  started: Omit<LoginState, 'expire_time' | 'wal'>,
): void {
  const prefix = storagePrefix(mount)
  world.write(() => {
    const table = world.table(oidcLoginTable)
    for (const old of table.children(prefix)) {
      const expires = table.get(prefix + old)?.expire_time ?? 0
      if (expires < world.clock.now()) table.delete(prefix + old)
    }
    table.put(prefix + state, { ...started, expire_time: world.clock.now() + stateLifetime })
  })
}

/** Parameters that the provider adds to the redirect address, and the nonce of the client. */
interface LoginReturn {
  readonly state: string
  readonly code: string
  readonly client_nonce: string
}

/**
 * Completes a login with the authorization code of the provider. A state can be used once, even if
 * the login is refused.
 * @throws Refusal `invalid` for the first check that fails, in the order of
 *   behaviour/secrets#oidc-login
 */
export function finishLogin(
  world: World,
  { mount, namespace, origin }: LoginContext,
  { state, code, client_nonce }: LoginReturn,
): LoginGrant {
  const key = storagePrefix(mount) + state
  const started = world.table(oidcLoginTable).get(key)
  if (started === undefined || started.expire_time < world.clock.now()) {
    throw refuse('jwt-state-unknown')
  }
  world.write(() => world.table(oidcLoginTable).delete(key))
  try {
    if (code === '') throw refuse('jwt-code-missing')
    if (started.client_nonce !== '' && started.client_nonce !== client_nonce) {
      throw refuse('jwt-client-nonce-wrong')
    }
    const config = configOf(world, mount)
    const role = jwtRoles.find(world, mount, started.role)
    if (role === undefined) throw refuse('jwt-role-absent', { role: quoteGo(started.role) })
    const provider = providerOf(world, config, origin)
    const claims = claimsByCode(provider, config, started, code)
    const context = { mount, namespace, path: 'oidc/callback' }
    return loginWithClaims(world, context, started.role, role, claims)
  } catch (error) {
    throw error instanceof Refusal ? error.commitWrites() : error
  }
}

/**
 * Exchanges a code at the provider and returns the verified claims of the identity token. Throws a
 * refusal if the provider refuses the code, or if the token has a wrong signature or nonce.
 */
function claimsByCode(
  provider: Provider,
  { oidc_client_id: client_id, oidc_client_secret: client_secret }: JwtConfig,
  { redirect_uri, code_verifier, nonce }: LoginState,
  code: string,
): JsonObject {
  try {
    const { id_token } = provider.exchange({
      client_id,
      client_secret,
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      code_verifier,
    })
    const claims = verifiedClaimsOf(parseJws(id_token), keysOf(provider.keys()))
    if (claims === undefined || !isJsonObject(claims) || claims['nonce'] !== nonce) {
      throw refuse('jwt-state-unknown')
    }
    return claims
  } catch (error) {
    if (!(error instanceof Refusal) || error.detail['oauth'] === undefined) throw error
    const why = `oauth2: "${error.detail['oauth']}" "${error.message}"`
    throw refuse('jwt-exchange-failed', { why: quoteGo(`${exchangeError}: ${why}`) })
  }
}

const exchangeError = 'Provider.Exchange: unable to exchange auth code with provider'
