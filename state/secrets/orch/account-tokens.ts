import { parseDuration, toSeconds } from '../../go/duration.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { existingAccount, OrchestratorError } from './orchestrator.ts'
import { signAccountToken } from './tokens.ts'

/** A JWT that is wanted for a service account. */
export interface AccountTokenRequest {
  readonly namespace: string
  readonly service_account: string
  /** Default: the orchestrator's own. */
  readonly audiences?: readonly string[] | undefined
  /** A Go duration or seconds. Default: an hour. */
  readonly ttl?: string | number | undefined
}

/** A service account's JWT. */
export interface AccountToken {
  readonly token: string
  /** The account's, the same each time. */
  readonly uid: string
  /** By the world's clock, RFC 3339. */
  readonly expires_at: string
}

/**
 * Signs a JWT for a service account, as a pod finds one in its file (behaviour/secrets#orch-login-review).
 *
 * @throws Refusal `absent` for an account that does not exist, `invalid` for a time that is none.
 */
export function issueAccountToken(world: World, request: AccountTokenRequest): AccountToken {
  const { namespace, service_account: name, audiences = [], ttl = '1h' } = request
  const seconds = toSeconds(parseDuration(ttl))
  if (seconds <= 0) throw refuse('account-token-ttl')
  const uid = uidOf(world, namespace, name)
  if (uid === undefined) throw refuse('account-absent', { namespace, account: name })
  const token = signAccountToken(world, { namespace, name, uid }, seconds, audiences)
  const end = Math.floor(world.clock.now() / 1000) + seconds
  return { token, uid, expires_at: formatTimestamp(end * 1000) }
}

/** Tells whether an account is there that has this uid, which a deleted one's namesake has not. */
export function accountExists(
  world: World,
  {
    namespace,
    name,
    uid,
  }: { readonly namespace: string; readonly name: string; readonly uid: string },
): boolean {
  return uidOf(world, namespace, name) === uid
}

function uidOf(world: World, namespace: string, name: string): string | undefined {
  try {
    return existingAccount(world, namespace, name)
  } catch (error) {
    if (error instanceof OrchestratorError) return undefined
    throw error
  }
}
