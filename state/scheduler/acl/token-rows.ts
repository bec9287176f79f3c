import { parseTimestamp } from '../../kernel/time.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type AclToken, aclTokens } from './tables.ts'

const expiryJobName = 'scheduler.acl-token-expiry'

/** Agenda job that deletes expired tokens. */
export const aclTokenAgendaJobs: Readonly<Record<string, JobHandler>> = {
  [expiryJobName]: (world, { id }) => {
    const token = world.table(aclTokens).get(id)
    if (token !== undefined && isExpired(world, token)) deleteStoredToken(world, token)
  },
}

/** Returns when a token expires, in milliseconds since 1970; undefined if never. */
function expiresAt({ ExpirationTime }: AclToken): number | undefined {
  return ExpirationTime === undefined ? undefined : parseTimestamp(ExpirationTime)
}

/** Returns true if a token has expired. */
export function isExpired(world: World, token: AclToken): boolean {
  const expiryTime = expiresAt(token)
  return expiryTime !== undefined && expiryTime <= world.clock.now()
}

/** Returns the unexpired token with a SecretID. */
export function findTokenBySecret(world: World, secret: string): AclToken | undefined {
  const token = world.table(aclTokens).index('bySecret').get(secret)
  return token === undefined || isExpired(world, token) ? undefined : token
}

/** Stores a token; part of a transaction. */
export function storeToken(world: World, token: AclToken): AclToken {
  const { AccessorID } = token
  world.table(aclTokens).put(AccessorID, token)
  const at = expiresAt(token)
  if (at !== undefined) world.agenda.schedule({ at, job: expiryJobName, id: AccessorID })
  return token
}

/** Takes a token away; part of a transaction. */
export function deleteStoredToken(world: World, { AccessorID }: AclToken): void {
  world.table(aclTokens).delete(AccessorID)
  world.agenda.cancel(expiryJobName, AccessorID)
}
