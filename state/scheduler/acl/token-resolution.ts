import { refuse as requestRefusal } from '../messages.ts'
import { refuse } from './messages.ts'
import type { AclToken } from './tables.ts'
import { isUuid, uuidFault } from './uuids.ts'

/**
 * Part of the cluster that resolves the token of a request (behaviour/scheduler#auth), on which the
 * error for a bad token depends:
 *
 * - `server`: every bad token causes 403 `Permission denied`;
 * - `agent`: the agent's HTTP layer looks the secret up itself and reports the exact fault;
 * - `client`: the client asks a server for the caller, and forwards its errors.
 */
export type TokenResolver = 'server' | 'agent' | 'client'

/** Returns the refusal of a request with a bad token. */
export function badTokenRefusal(
  resolver: TokenResolver,
  secret: string,
  expired: AclToken | undefined,
): Error {
  if (resolver === 'agent') {
    if (expired !== undefined) return refuse('agent-token-expired')
    const why = uuidFault(secret)
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
