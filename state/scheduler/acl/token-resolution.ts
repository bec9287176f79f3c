import { refuse as requestRefusal } from '../messages.ts'
import { refuse } from './messages.ts'
import type { AclToken } from './tables.ts'
import { isUuid, uuidError } from './uuids.ts'

/**
 * The part of the cluster that resolves the token of a request. The error for a bad token depends
 * on the resolver (behaviour/scheduler#auth):
 *
 * - `server`: every bad token causes 403 `Permission denied`;
 * - `agent`: the agent's HTTP layer looks up the secret itself and reports the exact problem;
 * - `client`: the exact problem of an expired or malformed token is reported, and an unknown token
 *   causes 403 `Permission denied`.
 */
export type TokenResolver = 'server' | 'agent' | 'client'

/**
 * Returns the refusal for a bad token.
 *
 * @param expired the expired token with this secret; undefined if no token has the secret
 */
export function badTokenRefusal(
  resolver: TokenResolver,
  secret: string,
  expired: AclToken | undefined,
): Error {
  if (resolver === 'agent') {
    if (expired !== undefined) return refuse('agent-token-expired')
    const why = uuidError(secret)
    return why === undefined
      ? refuse('agent-token-unknown')
      : refuse('agent-token-malformed', { why })
  }
  if (resolver === 'client') {
    if (expired !== undefined) return refuse('client-token-expired')
    if (!isUuid(secret.toLowerCase())) return refuse('client-token-malformed')
  }
  return requestRefusal('permission-denied')
}
