import { parseDuration, toSeconds } from '../../go/duration.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { refuse } from './messages.ts'
import { existingAccount, OrchestratorError } from './orchestrator.ts'
import { signAccountToken, type TokenAccount } from './tokens.ts'

/** A request of the control plane for the JWT of a service account. */
export interface AccountTokenRequest {
  readonly namespace: string
  readonly service_account: string
  /** Audiences of the JWT; by default the issuer of the orchestrator's tokens. */
  readonly audiences?: readonly string[] | undefined
  /** Lifetime as a Go duration or as a number of seconds; defaults to one hour. */
  readonly ttl?: string | number | undefined
}

export interface AccountToken {
  readonly token: string
  /** UID of the account. */
  readonly uid: string
  /** RFC 3339 timestamp by the world's clock. */
  readonly expires_at: string
}

/**
 * Signs a JWT for a service account, like the JWT in the token file of a pod
 * (behaviour/secrets#orch-login-review).
 *
 * @throws Refusal `absent` for an unknown account, `invalid` for a TTL that is unreadable or not
 *   positive
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

/**
 * Returns whether an account exists and still has this UID. An account that was deleted and created
 * again under the same name has a new UID.
 */
export function accountExists(world: World, { namespace, name, uid }: TokenAccount): boolean {
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
