import { quoteGo } from '../../go/text.ts'
import { formatGoValue } from '../../json/go-value.ts'
import type { Json, JsonObject } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { audiencesOf, claimProblem } from '../logins/claim-checks.ts'
import { grantLogin, type LoginGrant } from '../logins/grants.ts'
import {
  type Jws,
  JwsError,
  jwsAlgorithms,
  keysOf,
  parseJws,
  publicKeyIn,
  type VerifyingKey,
  verifiedClaimsOf,
} from '../logins/jws.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { isInNetworks } from '../tokens/addresses.ts'
import { matchesGlob } from '../tokens/globs.ts'
import {
  fetchableKeys,
  type JwtConfig,
  jwtConfigs,
  type KeySource,
  knownKeys,
  urlOf,
} from './config.ts'
import { message, refuse } from './messages.ts'
import { type JwtRole, jwtRoles } from './roles.ts'

/** The user that a JWT identifies (behaviour/secrets#jwt-login). */
interface JwtUser {
  readonly name: string
  /** Metadata from the role's claim mappings; `loginWithClaims` adds the metadata key `role`. */
  readonly metadata: Readonly<Record<string, string>>
  readonly groups: readonly string[]
}

/**
 * Maps the claims of a JWT to a user, as the role's claim settings define.
 * @throws Refusal `invalid` for missing claims and claims of the wrong type
 */
function userOfClaims(role: JwtRole, claims: JsonObject): JwtUser {
  const { user_claim: claim } = role
  const name = role.user_claim_json_pointer ? claimAt(claims, claim) : memberOf(claims, claim)
  if (name === null) throw refuse('jwt-user-absent', { claim: quoteGo(claim) })
  if (typeof name !== 'string') throw refuse('jwt-user-not-text', { claim: quoteGo(claim) })
  const metadata = Object.entries(role.claim_mappings ?? {}).flatMap(([source, key]) => {
    const value = claimAt(claims, source)
    if (value === null) return []
    if (typeof value !== 'string') throw refuse('jwt-mapped-not-text', { claim: source })
    return [[key, value] as const]
  })
  return { name, metadata: Object.fromEntries(metadata), groups: groupsIn(role, claims) }
}

function groupsIn({ groups_claim: claim }: JwtRole, claims: JsonObject): readonly string[] {
  if (claim === '') return []
  const found = claimAt(claims, claim)
  if (found === null) throw refuse('jwt-groups-absent', { claim: quoteGo(claim) })
  const values = valuesOf(found)
  if (values === undefined) throw refuse('jwt-groups-not-list', { claim: quoteGo(claim) })
  return values.flatMap((value) => {
    if (typeof value !== 'string') {
      throw refuse('jwt-group-not-text', { value: formatGoValue(value) })
    }
    return value === '' ? [] : [value]
  })
}

/**
 * Requires that each claim in the role's `bound_claims` has one of the values that the role lists
 * for the claim.
 * @throws Refusal for the first claim, in the role's order, that is missing or has another value
 */
function checkBoundClaims(role: JwtRole, claims: JsonObject): void {
  for (const [claim, expected] of Object.entries(role.bound_claims ?? {})) {
    const why = boundClaimProblem(role, claim, expected as Json, claimAt(claims, claim))
    if (why !== undefined) throw refuse('jwt-claims-refused', { why })
  }
}

function boundClaimProblem(role: JwtRole, claim: string, expected: Json, actual: Json) {
  if (actual === null) return message('jwt-bound-claim-absent', { claim: quoteGo(claim) })
  const values = valuesOf(actual)
  if (values === undefined) {
    return message('jwt-received-claim-kind', { value: formatGoValue(actual) })
  }
  const boundValues = valuesOf(expected)
  if (boundValues === undefined)
    return message('jwt-bound-claim-kind', { value: formatGoValue(expected) })
  const matches = role.bound_claims_type === 'glob' ? matchesAsGlob : Object.is
  const hasMatch = boundValues.some((each) => values.some((value) => matches(each, value)))
  return hasMatch ? undefined : message('jwt-bound-claim-unmatched', { claim: quoteGo(claim) })
}

function matchesAsGlob(glob: Json, value: Json): boolean {
  return typeof glob === 'string' && typeof value === 'string' && matchesGlob(glob, value)
}

/**
 * Returns the values of a list, or a single value as a list of one. Returns undefined for null and
 * objects.
 */
function valuesOf(value: Json): readonly Json[] | undefined {
  if (Array.isArray(value)) return value
  return typeof value === 'object' ? undefined : [value]
}

/**
 * Finds a claim by its name, or by a JSON pointer, which begins with a slash. Returns null for a
 * missing claim.
 */
function claimAt(claims: JsonObject, name: string): Json {
  if (!name.startsWith('/')) return memberOf(claims, name)
  const steps = name.slice(1).split('/')
  return steps.reduce<Json>(
    (value, step) => memberOf(value, step.replaceAll('~1', '/').replaceAll('~0', '~')),
    claims,
  )
}

function memberOf(value: Json, name: string): Json {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return null
  return (value as JsonObject)[name] ?? null
}

interface JwtLogin {
  readonly namespace: Namespace
  readonly mount: Mount
  /** Role name; if empty, the configuration's default role. */
  readonly role: string
  readonly jwt: string
  /** IP address of the client. */
  readonly address: string
}

/** A login after all checks that precede the signature check. */
interface VerifiedLogin {
  readonly config: JwtConfig
  readonly name: string
  readonly role: JwtRole
  readonly jws: Jws
}

/**
 * Logs in the holder of a JWT (behaviour/secrets#jwt-login). Checks the configuration, the role,
 * the network, the signature, the claims and the bound claims, in the reference's order. The caller
 * must have fetched remote keys before.
 * @throws Refusal for the first check that fails
 */
export function jwtLogin(world: World, login: JwtLogin): LoginGrant {
  const { namespace, mount } = login
  const { config, name, role, jws } = verifyLogin(world, login)
  const claims = verifiedClaims(world, config, role, jws)
  // As in Vault before 1.16.3, a list of audiences requires bound audiences, but a single audience
  // does not.
  const hasAudienceList = Array.isArray(claims['aud']) && audiencesOf(claims).length > 0
  if (hasAudienceList && (role.bound_audiences ?? []).length === 0) {
    throw refuse('jwt-audience-unbound')
  }
  return loginWithClaims(world, { namespace, mount, path: 'login' }, name, role, claims)
}

/** The namespace and mount of a login, and the request path below the mount. */
interface ClaimsContext extends Pick<JwtLogin, 'namespace' | 'mount'> {
  readonly path: string
}

/**
 * Logs in a user by a role and the claims of a verified JWT.
 * @throws Refusal `invalid` for missing claims and claims that the role does not allow
 */
export function loginWithClaims(
  world: World,
  { namespace, mount, path }: ClaimsContext,
  name: string,
  role: JwtRole,
  claims: JsonObject,
): LoginGrant {
  const user = userOfClaims(role, claims)
  checkBoundClaims(role, claims)
  return grantLogin(world, {
    namespace,
    mount,
    path,
    alias: user.name,
    name: user.name,
    metadata: { ...user.metadata, role: name },
    groups: user.groups,
    fields: role,
  })
}

/**
 * Returns the source from which to fetch the keys for a login. Returns undefined if the keys are
 * known or the world's options forbid fetching.
 * @throws Refusal for a login that fails before the signature check
 */
export function keysToFetch(world: World, login: JwtLogin): KeySource | undefined {
  return fetchableKeys(world, verifyLogin(world, login).config)
}

function verifyLogin(world: World, { mount, jwt, address, ...login }: JwtLogin): VerifiedLogin {
  const config = jwtConfigs.find(world, mount)
  if (config === undefined) throw refuse('jwt-not-configured')
  const name = (login.role || config.default_role).toLowerCase()
  if (name === '') throw refuse('jwt-role-missing')
  const role = jwtRoles.find(world, mount, name)
  if (role === undefined) throw refuse('jwt-role-absent', { role: quoteGo(name) })
  if (role.role_type === 'oidc') throw refuse('jwt-role-oidc')
  if (jwt === '') throw refuse('jwt-token-missing')
  const networks = role.token_bound_cidrs
  if (networks.length > 0 && !isInNetworks(networks, address)) {
    throw refuse('token-refused').withDetails({ networks })
  }
  return { config, name, role, jws: parseToken(jwt) }
}

function parseToken(jwt: string): Jws {
  try {
    return parseJws(jwt)
  } catch (error) {
    if (error instanceof JwsError) throw refuse('jwt-unverified', { why: error.message })
    throw error
  }
}

function verifiedClaims(world: World, config: JwtConfig, role: JwtRole, jws: Jws): JsonObject {
  const claims = verifiedClaimsOf(jws, keysFor(world, config))
  if (claims === undefined) throw refuse('jwt-unverified', { why: message('jwt-no-key') })
  const { jwt_supported_algs: algorithms, bound_issuer } = config
  const expected = {
    algorithms: algorithms.length === 0 ? jwsAlgorithms : algorithms,
    issuer: bound_issuer,
    subject: role.bound_subject,
    audiences: role.bound_audiences ?? [],
    expirationLeeway: role.expiration_leeway,
    notBeforeLeeway: role.not_before_leeway,
    clockSkewLeeway: role.clock_skew_leeway,
    requiresTimeClaim: true,
  }
  const why = claimProblem(jws.alg, claims, expected, world.clock.now())
  if (why !== undefined) throw refuse('jwt-invalid', { why })
  return claims
}

function keysFor(world: World, config: JwtConfig): readonly VerifyingKey[] {
  const url = urlOf(config)
  if (url === '') {
    return config.jwt_validation_pubkeys.flatMap((pem) => {
      const key = publicKeyIn(pem)
      return key === undefined ? [] : [{ key }]
    })
  }
  const known = knownKeys(world, config)
  if (known === undefined) {
    const why = message('jwt-fetch-failed', { url, why: message('jwt-fetch-not-allowed') })
    throw refuse('jwt-unverified', { why })
  }
  return keysOf(known)
}
