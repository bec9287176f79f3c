import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { ServiceAccount } from '../../kernel/worlds/service-definition.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { claimsOf, type Jws, JwsError, keysOf, parseJws, verifiedClaimsOf } from '../logins/jws.ts'
import { optionsOf } from '../options.ts'
import { accountExists } from '../orch/account-tokens.ts'
import { publicKeys } from '../orch/tokens.ts'

/**
 * The service account in the claims of a JWT. Members are empty if their claims are missing or not
 * strings.
 */
export interface ClaimedAccount extends ServiceAccount {
  /** Name of the orchestrator's secret that contains the token; empty for tokens that expire. */
  readonly secret: string
}

/**
 * Prefixes of claims in both dialects. Logins accept both, regardless of the configured dialect.
 */
const domains = ['orch.io', 'kubernetes.io'] as const

/**
 * Returns the account in the claims of a JWT (behaviour/secrets#orch-login). The claims of expiring
 * tokens are nested objects; the claims of tokens in secrets have flat names.
 */
export function accountIn(claims: JsonObject): ClaimedAccount {
  const domain = domains.find((each) =>
    Object.keys(claims).some((name) => isQualifiedName(name, each)),
  )
  const flatClaim = (name: string) => textOf(claims[`${domain}/serviceaccount/${name}`])
  const nested = objectOf(claims[domain ?? ''])
  const account = objectOf(nested?.['serviceaccount'])
  return {
    namespace: nested === undefined ? flatClaim('namespace') : textOf(nested['namespace']),
    name: account === undefined ? flatClaim('service-account.name') : textOf(account['name']),
    uid: account === undefined ? flatClaim('service-account.uid') : textOf(account['uid']),
    secret: flatClaim('secret.name'),
  }
}

function isQualifiedName(name: string, domain: string): boolean {
  return name === domain || name.startsWith(`${domain}/serviceaccount/`)
}

function objectOf(value: Json | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

/**
 * Returns the reason for which the world's orchestrator rejects a JWT or, with the option
 * `orchFault`, cannot review it. Returns undefined if the orchestrator signed the JWT, the JWT has
 * not expired, and the account exists.
 */
export function reviewFailure(world: World, jws: Jws, account: ServiceAccount): string | undefined {
  const { orchFault } = optionsOf(world)
  if (orchFault !== 'none') return `the orchestrator is ${orchFault}`
  const keys = keysOf({ keys: publicKeys(world).map((key) => ({ ...key })) })
  const claims = verifiedClaimsOf(jws, keys)
  if (claims === undefined) return "the orchestrator's key did not sign it"
  const { exp } = claims
  if (typeof exp !== 'number' || exp <= world.clock.now() / 1000) return 'it has expired'
  return accountExists(world, account) ? undefined : 'there is no such service account'
}

/**
 * Returns the account of a JWT if the world's orchestrator accepts the JWT. Returns undefined for
 * other strings.
 */
export function reviewServiceAccount(world: World, jwt: string): ServiceAccount | undefined {
  try {
    const jws = parseJws(jwt)
    const account = accountIn(claimsOf(jws) ?? {})
    if (reviewFailure(world, jws, account) !== undefined) return undefined
    const { namespace, name, uid } = account
    return { namespace, name, uid }
  } catch (error) {
    if (error instanceof JwsError) return undefined
    throw error
  }
}
