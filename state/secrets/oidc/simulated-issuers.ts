import type { JsonObject } from '../../kernel/json.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { int, text, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { KeySet } from '../logins/jws.ts'
import { optionsOf, type SecretsOptions } from '../options.ts'
import { secretsTable } from '../table.ts'
import { type AuthorizationRequest, challengeOf } from './authorize.ts'
import { type ExchangedTokens, type ExchangeRequest, verifierRefusal } from './exchange.ts'
import { refuse } from './grant-messages.ts'
import { keySetOf, signIdToken } from './id-tokens.ts'
import { newSigningKey, type OidcKey, oidcKeyShape } from './keys.ts'
import { type LoginPageAnswer, redirectTo, redirectWithError } from './login-page.ts'
import { loginDecision } from './logins.ts'
import { openIdScope } from './providers.ts'

/** An external issuer that the option `oidcIssuers` simulates (behaviour/secrets#oidc-issuers). */
export interface SimulatedIssuer {
  /** Value of the claim `iss`. */
  readonly url: string
  /** Position in the option, counted from 1. The position is part of the issuer's URLs. */
  readonly position: number
  readonly settings: SecretsOptions['oidcIssuers'][string]
}

/** A code or an access token that a simulated issuer has issued. */
const grantShape = struct({
  kind: word('code', 'access'),
  issuer: text,
  client_id: text,
  user: text,
  redirect_uri: text,
  nonce: text,
  code_challenge: text,
  code_challenge_method: text,
  /** Instant in milliseconds since 1970. */
  expire_time: int,
})
interface Grant extends StoredOf<typeof grantShape> {}

const grantTable = secretsTable('oidc-issuer-grants', grantShape, {
  secrets: { key: true, members: ['nonce'] },
})

/** Signing keys by the URL of the issuer. */
const keyTable = secretsTable('oidc-issuer-keys', oidcKeyShape, {
  secrets: { members: ['ring/*/private_key'] },
})

export const simulatedIssuerTables = [grantTable, keyTable] as const

const codeSeconds = 5 * 60
const tokenSeconds = 60 * 60

/** Returns the simulated issuers in the order of the option. */
function simulatedIssuers(world: World): SimulatedIssuer[] {
  const entries = Object.entries(optionsOf(world).oidcIssuers)
  return entries.map(([url, settings], index) => ({ url, position: index + 1, settings }))
}

export function simulatedIssuer(world: World, url: string): SimulatedIssuer | undefined {
  return simulatedIssuers(world).find((issuer) => issuer.url === url)
}

/**
 * Returns the issuer at a position in the option; undefined for a position without an issuer.
 * @param position decimal number from a URL
 */
export function simulatedIssuerAt(world: World, position: string): SimulatedIssuer | undefined {
  return simulatedIssuers(world).find((issuer) => String(issuer.position) === position)
}

/** Returns the base URL under which this server simulates an issuer. */
export function issuerAddress({ position }: SimulatedIssuer, origin: string): string {
  return `${origin}/_mock/secrets/oidc/${position}`
}

/** Returns the signing key of an issuer. The key is generated on first use. */
function issuerKey(world: World, { url }: SimulatedIssuer): OidcKey {
  const known = world.table(keyTable).get(url)
  if (known !== undefined) return known
  const key = newSigningKey(world)
  world.write(() => world.table(keyTable).put(url, key))
  return world.table(keyTable).get(url) ?? key
}

export function issuerKeySet(world: World, issuer: SimulatedIssuer): KeySet {
  return JSON.parse(JSON.stringify(keySetOf(world, [issuerKey(world, issuer)])))
}

/**
 * Handles a browser's request to log in at an issuer. Accepts every redirect address of a known
 * client. The user is determined by a forced transition, by `chosen`, or by the issuer's settings,
 * in this order. Otherwise the page shows a choice of users. A refusal becomes a redirect with an
 * error or, for an unknown client or a malformed address, an error page.
 *
 * @param chosen name of a user; empty before the choice
 */
export function answerIssuerPage(
  world: World,
  issuer: SimulatedIssuer,
  request: AuthorizationRequest,
  state: string,
  chosen: string,
): LoginPageAnswer {
  const { client_id, redirect_uri } = request
  const { clients, users, login = '' } = issuer.settings
  try {
    if (client_id === '') throw refuse('oidc-client-id-missing')
    if (!Object.hasOwn(clients, client_id)) throw refuse('oidc-client-unknown')
    if (!URL.canParse(redirect_uri)) throw refuse('oidc-redirect-missing')
  } catch (failure) {
    if (!(failure instanceof Refusal)) throw failure
    return { kind: 'refused', why: failure.message }
  }
  const decision = loginDecision(world, state)
  const user = decision || chosen || login
  if (user === '' && decision !== null) return { kind: 'choose', names: Object.keys(users) }
  try {
    if (decision === null) throw refuse('oidc-login-denied')
    if (!request.scope.split(' ').includes(openIdScope)) throw refuse('oidc-scope-without-openid')
    if (request.response_type === '') throw refuse('oidc-response-type-missing')
    if (request.response_type !== 'code') throw refuse('oidc-response-type-unknown')
    if (!Object.hasOwn(users, user)) throw refuse('oidc-entity-absent')
    const grant = { issuer: issuer.url, client_id, user, redirect_uri, nonce: request.nonce }
    const code = storeGrant(world, 'code', codeSeconds, { ...grant, ...challengeOf(request) })
    return redirectTo(redirect_uri, { code, state })
  } catch (failure) {
    if (!(failure instanceof Refusal)) throw failure
    return redirectWithError(redirect_uri, failure, state)
  }
}

/** Stores a code or an access token and returns it. Deletes expired codes and access tokens. */
function storeGrant(
  world: World,
  kind: Grant['kind'],
  seconds: number,
  grant: Omit<Grant, 'kind' | 'expire_time'>,
): string {
  const id = world.ids.base62(32)
  const now = world.clock.now()
  world.write(() => {
    const table = world.table(grantTable)
    const expired = [...table.children('')].filter((key) => {
      const { expire_time = 0 } = table.get(key) ?? {}
      return expire_time < now
    })
    for (const key of expired) table.delete(key)
    table.put(id, { ...grant, kind, expire_time: now + seconds * 1000 })
  })
  return id
}

/**
 * Finds a code or an access token of an issuer. Returns undefined if the code or token is unknown
 * or expired, or if its user no longer exists.
 */
function validGrant(
  world: World,
  issuer: SimulatedIssuer,
  kind: Grant['kind'],
  id: string,
): Grant | undefined {
  const grant = world.table(grantTable).get(id)
  if (grant === undefined || grant.kind !== kind || grant.issuer !== issuer.url) return undefined
  const isKnown = Object.hasOwn(issuer.settings.users, grant.user)
  return isKnown && grant.expire_time >= world.clock.now() ? grant : undefined
}

/**
 * Returns the claims of a user. The subject is the name of the user, unless the settings of the
 * user define the claim `sub`.
 */
function claimsOfUser({ settings }: SimulatedIssuer, user: string): JsonObject {
  return { sub: user, ...(settings.users[user]?.claims as JsonObject | undefined) }
}

/**
 * Exchanges a code of an issuer for tokens. A code can be used once: the code is deleted as soon as
 * it is found, even if a later check refuses the exchange.
 * @throws Refusal with an OAuth error code for the first check that fails, in the order of
 *   behaviour/secrets#oidc-issuers
 */
export function exchangeAtIssuer(
  world: World,
  issuer: SimulatedIssuer,
  request: ExchangeRequest,
): ExchangedTokens {
  const { client_id, client_secret, code: id } = request
  const { clients } = issuer.settings
  if (client_id === '') throw refuse('oidc-token-client-missing')
  if (!Object.hasOwn(clients, client_id) || clients[client_id] !== client_secret) {
    throw refuse('oidc-client-not-authenticated')
  }
  if (request.grant_type === '') throw refuse('oidc-grant-type-missing')
  if (request.grant_type !== 'authorization_code') throw refuse('oidc-grant-type-unknown')
  if (id === '') throw refuse('oidc-code-missing')
  const code = validGrant(world, issuer, 'code', id)
  if (code === undefined) throw refuse('oidc-grant-invalid')
  world.write(() => world.table(grantTable).delete(id))
  const belongsToRequest =
    code.client_id === client_id && code.redirect_uri === request.redirect_uri
  const refusal = belongsToRequest ? verifierRefusal(code, request) : refuse('oidc-grant-invalid')
  if (refusal !== undefined) throw refusal.commitWrites()
  const now = Math.floor(world.clock.now() / 1000)
  const userClaims = claimsOfUser(issuer, code.user)
  const claims: JsonObject = {
    ...(userClaims['sub'] === undefined ? {} : { sub: userClaims['sub'] }),
    iss: issuer.url,
    aud: client_id,
    exp: now + tokenSeconds,
    iat: now,
    ...(code.nonce === '' ? {} : { nonce: code.nonce }),
  }
  return {
    access_token: storeGrant(world, 'access', tokenSeconds, code),
    expires_in: tokenSeconds,
    id_token: signIdToken(world, issuerKey(world, issuer), claims, [userClaims]),
    token_type: 'Bearer',
  }
}

/**
 * Returns the claims about the user of an access token.
 *
 * @throws Refusal for a token that is not a valid access token of this issuer
 */
export function userInfoAtIssuer(
  world: World,
  issuer: SimulatedIssuer,
  bearer: string,
): JsonObject {
  const grant = validGrant(world, issuer, 'access', bearer)
  if (grant === undefined) throw refuse('oidc-access-token-refused')
  return claimsOfUser(issuer, grant.user)
}
