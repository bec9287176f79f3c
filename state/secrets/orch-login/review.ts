import { isJsonObject, type Json, type JsonObject } from '../../kernel/json.ts'
import type { ServiceAccount } from '../../kernel/worlds/service-definition.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { claimsOf, type Jws, JwsError, keysOf, parseJws, verifiedClaimsOf } from '../logins/jws.ts'
import { optionsOf } from '../options.ts'
import { accountExists } from '../orch/account-tokens.ts'
import { publicKeys } from '../orch/tokens.ts'

/** The service account that a JWT names. Members are empty if their claims are missing. */
export interface ClaimedAccount extends ServiceAccount {
  /** The orchestrator's secret that stores a token of the old form, which does not expire. */
  readonly secret: string
}

/** Claim prefixes of both dialects. Logins accept both, regardless of the configured dialect. */
const domains = ['orch.io', 'kubernetes.io'] as const

/**
 * Returns the account that claims name (behaviour/secrets#orch-login). Expiring tokens have the
 * claims in a nested form; tokens stored in secrets have them in a flat form.
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
 * Returns why the world's orchestrator rejects a JWT; undefined if it has signed the JWT, the JWT has
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

/** Returns the account of a JWT that the world's orchestrator accepts; undefined for other texts. */
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
