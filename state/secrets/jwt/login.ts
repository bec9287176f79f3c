import { quoteGo } from '../../go/text.ts'
import type { JsonObject } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { audiencesOf, claimFault } from '../logins/claim-checks.ts'
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
import { issueLogin } from '../logins/issue.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { isInNetworks } from '../tokens/addresses.ts'
import type { CreatedToken } from '../tokens/creation.ts'
import { checkBoundClaims, userIn } from './claims.ts'
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

/** The inputs of a login. */
interface JwtLogin {
  readonly namespace: Namespace
  readonly mount: Mount
  /** Empty for the configuration's default role. */
  readonly role: string
  readonly jwt: string
  /** The caller's address. */
  readonly address: string
}

/** A login that passed the checks before its JWT. */
interface VerifiedLogin {
  readonly config: JwtConfig
  readonly name: string
  readonly role: JwtRole
  readonly jws: Jws
}

/**
 * Logs the holder of a JWT in (behaviour/secrets#jwt-login). Checks configuration, role, network,
 * signature, claims and bound claims, in the reference's order. The caller has fetched remote keys.
 */
export function jwtLogin(world: World, login: JwtLogin): CreatedToken {
  const { namespace, mount } = login
  const { config, name, role, jws } = verifyLogin(world, login)
  const claims = verifiedClaims(world, config, role, jws)
  if (audiencesOf(claims).length > 0 && (role.bound_audiences ?? []).length === 0) {
    throw refuse('jwt-audience-unbound')
  }
  const user = userIn(role, claims)
  checkBoundClaims(role, claims)
  return issueLogin(world, {
    namespace,
    mount,
    path: 'login',
    alias: user.name,
    name: user.name,
    metadata: { ...user.metadata, role: name },
    groups: user.groups,
    fields: role,
  })
}

/**
 * Returns where to fetch the keys that a login needs; undefined if none are needed or they are
 * known.
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
  if (networks.length > 0 && !isInNetworks(networks, address)) throw refuse('token-refused')
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
  const why = claimFault(jws.alg, claims, expected, world.clock.now())
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
