import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { claimProblem } from '../logins/claim-checks.ts'
import { grantLogin, type LoginGrant } from '../logins/grants.ts'
import {
  claimsOf,
  type Jws,
  JwsError,
  jwsAlgorithms,
  parseJws,
  publicKeyIn,
  verifiedClaimsOf,
} from '../logins/jws.ts'
import type { Mount } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { optionsOf } from '../options.ts'
import { isInNetworks } from '../tokens/addresses.ts'
import { matchesGlob } from '../tokens/globs.ts'
import { refuse } from './messages.ts'
import { accountIn, type ClaimedAccount, reviewFailure } from './review.ts'
import {
  type OrchLoginConfig,
  type OrchLoginRole,
  orchLoginConfigs,
  orchLoginRoles,
} from './roles.ts'

interface OrchLogin {
  readonly namespace: Namespace
  readonly mount: Mount
  readonly role: string
  readonly jwt: string
  /** IP address of the client. */
  readonly address: string
}

/** Names of the algorithms that service account tokens may use. */
const algorithms = jwsAlgorithms.filter((name) => /^[RE]S/.test(name))

/**
 * Grants a login to a service account with its JWT (behaviour/secrets#orch-login). Throws a refusal
 * at the first check that fails. The first checks concern the fields of the request, the role, the
 * network, the configuration, and the form of the JWT. The next checks concern the signature (if
 * keys are configured), the claims, the account with its UID, and the review by the orchestrator.
 * The checks of `grantLogin` come last.
 */
export function orchLogin(world: World, login: OrchLogin): LoginGrant {
  const { namespace, mount, role: name, jwt, address } = login
  if (name === '') throw refuse('orch-login-field-missing', { name: 'role' })
  if (jwt === '') throw refuse('orch-login-field-missing', { name: 'jwt' })
  const role = orchLoginRoles.find(world, mount, name)
  if (role === undefined) throw refuse('orch-login-role-unknown', { role: quoteGo(name) })
  const networks = role.token_bound_cidrs
  if (networks.length > 0 && !isInNetworks(networks, address)) {
    throw refuse('token-refused').withDetails({ networks })
  }
  const config = orchLoginConfigs.find(world, mount)
  if (config === undefined) throw refuse('orch-login-not-configured')
  const jws = parseToken(jwt)
  const claims = checkedClaims(world, config, role, jws)
  const account = accountIn(claims)
  checkBounds(role, account)
  if (account.uid === '') throw refuse('orch-login-uid-missing')
  reviewToken(world, config, jws, account)
  const serviceAccount = {
    service_account_uid: account.uid,
    service_account_name: account.name,
    service_account_namespace: account.namespace,
    service_account_secret_name: account.secret,
  }
  return grantLogin(world, {
    namespace,
    mount,
    path: 'login',
    alias:
      role.alias_name_source === 'serviceaccount_uid'
        ? account.uid
        : `${account.namespace}/${account.name}`,
    name: `${account.namespace}-${account.name}`,
    metadata: { ...serviceAccount, role: name },
    aliasMetadata: serviceAccount,
    fields: role,
  })
}

function parseToken(jwt: string): Jws {
  try {
    return parseJws(jwt)
  } catch (error) {
    if (error instanceof JwsError)
      throw refuse('orch-login-unverified').withDetails({ why: error.message })
    throw error
  }
}

/**
 * Returns the claims of a JWT after checking them. If keys are configured, one of them must verify
 * the signature.
 * @throws Refusal if a check fails
 */
function checkedClaims(world: World, config: OrchLoginConfig, role: OrchLoginRole, jws: Jws) {
  const keys = config.pem_keys.flatMap((pem) => {
    const key = publicKeyIn(pem)
    return key === undefined ? [] : [{ key }]
  })
  const claims = keys.length === 0 ? claimsOf(jws) : verifiedClaimsOf(jws, keys)
  if (claims === undefined) throw refuse('orch-login-unverified')
  const expected = {
    algorithms,
    issuer: config.disable_iss_validation ? '' : config.issuer,
    subject: '',
    audiences: role.audience === '' ? [] : [role.audience],
    expirationLeeway: 0,
    notBeforeLeeway: 0,
    clockSkewLeeway: 0,
    requiresTimeClaim: false,
  }
  const why = claimProblem(jws.alg, claims, expected, world.clock.now())
  if (why !== undefined) throw refuse('orch-login-claims', { why })
  return claims
}

function checkBounds(role: OrchLoginRole, { namespace, name }: ClaimedAccount): void {
  const isAllowed = (globs: readonly string[], text: string) =>
    globs.some((glob) => matchesGlob(glob, text))
  if (!isAllowed(role.bound_service_account_names, name)) throw refuse('orch-login-account')
  if (!isAllowed(role.bound_service_account_namespaces, namespace)) {
    throw refuse('orch-login-namespace')
  }
}

/**
 * Reviews a JWT as the world's orchestrator would (behaviour/secrets#orch-login-review). If the
 * option `orchReview` disables reviews, only checks that keys are configured, because
 * `checkedClaims` has verified the signature with these keys.
 * @throws Refusal if the review fails
 */
function reviewToken(world: World, config: OrchLoginConfig, jws: Jws, account: ClaimedAccount) {
  const { orchReview } = optionsOf(world)
  const hasKeys = config.pem_keys.length > 0
  const unverifiedReason = hasKeys ? undefined : 'nobody vouches for the signature'
  const why = orchReview === 'off' ? unverifiedReason : reviewFailure(world, jws, account)
  if (why !== undefined) throw refuse('orch-login-not-reviewed').withDetails({ why })
}
