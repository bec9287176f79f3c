import { parseTimestamp } from '../../kernel/time.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type AclToken, aclTokens } from './tables.ts'

const expiryJobName = 'scheduler.acl-token-expiry'

/** Deletes tokens when their time is over. */
export const aclTokenAgendaJobs: Readonly<Record<string, JobHandler>> = {
  [expiryJobName]: (world, { id }) => {
    const token = world.table(aclTokens).get(id)
    if (token !== undefined && isExpired(world, token)) deleteStoredToken(world, token)
  },
}

/** When a token's time is over, in milliseconds since 1970; undefined for never. */
function expiresAt({ ExpirationTime }: AclToken): number | undefined {
  return ExpirationTime === undefined ? undefined : parseTimestamp(ExpirationTime)
}

/** Tells whether a token's time is over. */
export function isExpired(world: World, token: AclToken): boolean {
  const expiryTime = expiresAt(token)
  return expiryTime !== undefined && expiryTime <= world.clock.now()
}

/** The token of a SecretID whose time is not over. */
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
