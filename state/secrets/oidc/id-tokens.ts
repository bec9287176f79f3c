import { constants, sign } from 'node:crypto'
import { quoteGo } from '../../go/text.ts'
import { canonicalJson } from '../../json/json.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { findEntity } from '../identity/entities.ts'
import { entityOf } from '../identity/entity-policies.ts'
import { audiencesOf } from '../logins/claim-checks.ts'
import { JwsError, keysOf, parseJws, verifiedClaimsOf } from '../logins/jws.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Token } from '../tokens/rows.ts'
import { type IssuerContext, tokenIssuer } from './issuer.ts'
import {
  allowsClient,
  type OidcKey,
  oidcKeys,
  type PublicJwk,
  publicKeysOf,
  requireKeyPairs,
  signingKeyOf,
} from './keys.ts'
import { refuse } from './messages.ts'
import { type OidcRole, oidcRoles } from './roles.ts'
import { reservedClaims, templateClaims } from './templates.ts'

const base64url = (text: string) => Buffer.from(text).toString('base64url')

/**
 * Signs claims with a key and returns a JWT (RFC 7515, compact form). Claims from templates cannot
 * set reserved claims, and do not replace members of `claims`.
 */
export function signIdToken(
  world: World,
  key: OidcKey,
  claims: JsonObject,
  templateClaimSets: readonly JsonObject[],
): string {
  const all: JsonObject = Object.assign({}, ...templateClaimSets)
  for (const name of reservedClaims) delete all[name]
  const { algorithm: alg, signing: kid } = key
  const header = base64url(canonicalJson({ alg, kid }))
  const signingInput = `${header}.${base64url(canonicalJson({ ...all, ...claims }))}`
  const digest = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`
  const signature = sign(digest, Buffer.from(signingInput), {
    key: signingKeyOf(world, key),
    dsaEncoding: 'ieee-p1363',
    ...(alg.startsWith('RS') ? { padding: constants.RSA_PKCS1_PADDING } : {}),
  })
  return `${signingInput}.${signature.toString('base64url')}`
}

/** An identity token, with its audience and its lifetime in seconds. */
interface IdentityToken extends Pick<OidcRole, 'client_id' | 'ttl'> {
  readonly token: string
}

/**
 * Creates an identity token for the entity of a caller.
 * @throws Refusal `invalid` for the first check that fails, in the order of
 *   behaviour/secrets#identity-tokens
 */
export function createIdentityToken(
  world: World,
  context: IssuerContext,
  roleName: string,
  caller: Token | undefined,
): IdentityToken {
  const { mount, namespace } = context
  const role = oidcRoles.find(world, mount, roleName)
  if (role === undefined) throw refuse('oidc-role-unknown', { name: quoteGo(roleName) })
  const key = requireKeyPairs(world, mount, role.key)
  if (key === undefined) throw refuse('oidc-key-unknown', { name: quoteGo(role.key) })
  if (!allowsClient(key, role.client_id)) {
    throw refuse('oidc-role-not-allowed', { key: quoteGo(role.key), role: quoteGo(roleName) })
  }
  const entity = caller && entityOf(world, caller)
  if (entity === undefined) throw refuse('oidc-entity-missing')
  const now = Math.floor(world.clock.now() / 1000)
  const claims = {
    iss: tokenIssuer(world, context),
    namespace: namespace.id,
    sub: entity.id,
    aud: role.client_id,
    exp: now + role.ttl,
    iat: now,
  }
  const { client_id, ttl, template } = role
  const claimsOfTemplate = template === '' ? [] : [templateClaims(world, entity, template)]
  return { client_id, token: signIdToken(world, key, claims, claimsOfTemplate), ttl }
}

/** Returns the keys that the roles of a namespace use, without duplicates. */
export function keysOfRoles(world: World, mount: Mount): OidcKey[] {
  const used = oidcRoles.names(world, mount).map((name) => oidcRoles.read(world, mount, name).key)
  return [...new Set(used)].flatMap((name) => oidcKeys.find(world, mount, name) ?? [])
}

export function keySetOf(world: World, keys: readonly OidcKey[]): { readonly keys: PublicJwk[] } {
  return { keys: keys.flatMap((key) => publicKeysOf(world, key)) }
}

/** Time in seconds during which a token is still accepted after its expiry. */
const leeway = 60

/**
 * Checks an identity token for introspection (behaviour/secrets#identity-tokens).
 *
 * @param clientId required audience; empty for any audience
 * @returns the reason why the token is inactive, in the words of the reference; undefined for a
 *   valid token
 */
export function inactiveReason(
  world: World,
  context: IssuerContext,
  token: string,
  clientId: string,
): string | undefined {
  let claims: JsonObject | undefined
  try {
    const jwks = keySetOf(world, keysOfRoles(world, context.mount))
    const keys = jwks.keys.map((key) => JSON.parse(JSON.stringify(key)))
    claims = verifiedClaimsOf(parseJws(token), keysOf({ keys }))
  } catch (error) {
    if (!(error instanceof JwsError)) throw error
    return `error parsing token: ${error.message}`
  }
  if (claims === undefined) return 'unable to validate the token signature'
  const now = world.clock.now() / 1000
  const problem = claimProblem(claims, tokenIssuer(world, context), clientId, now)
  if (problem !== undefined) {
    return `error validating claims: go-jose/go-jose/jwt: validation failed, ${problem}`
  }
  const entity = findEntity(world, context.namespace, String(claims['sub']))
  if (entity === undefined) return 'entity was not found'
  return entity.disabled ? 'entity is disabled' : undefined
}

function claimProblem(claims: JsonObject, issuer: string, clientId: string, now: number) {
  if (claims['iss'] !== issuer) return 'invalid issuer claim (iss)'
  if (clientId !== '' && !audiencesOf(claims).includes(clientId)) {
    return 'invalid audience claim (aud)'
  }
  return now - leeway > Number(claims['exp']) ? 'token is expired (exp)' : undefined
}
