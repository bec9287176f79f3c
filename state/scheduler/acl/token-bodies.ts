import type { StoredOf } from '../../kernel/shape/values.ts'
import { parseTimestamp } from '../../kernel/time.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { hashOf } from '../hashes.ts'
import {
  type AclRole,
  type AclToken,
  type aclRoleShape,
  aclRoles,
  type aclTokenShape,
  aclTokens,
} from './tables.ts'

const expiryJobName = 'scheduler.acl-token-expiry'

/** Time between the expiry of a token and its deletion, in milliseconds. */
const gcThreshold = 3_600_000

/** Agenda jobs for tokens. An expired token is deleted one hour after its expiry. */
export const aclTokenAgendaJobs: Readonly<Record<string, JobHandler>> = {
  [expiryJobName]: (world, { id }) => {
    const token = world.table(aclTokens).get(id)
    if (token !== undefined && isExpired(world, token)) deleteStoredToken(world, token)
  },
}

/**
 * Returns the token's expiry time in milliseconds since 1970, or undefined if the token never
 * expires.
 */
export function expiresAt({ ExpirationTime }: AclToken): number | undefined {
  return ExpirationTime === undefined ? undefined : parseTimestamp(ExpirationTime)
}

export function isExpired(world: World, token: AclToken): boolean {
  const expiryTime = expiresAt(token)
  return expiryTime !== undefined && expiryTime <= world.clock.now()
}

/** Finds a token by its SecretID; undefined for an unknown secret. The result may have expired. */
export function findTokenBySecret(world: World, secret: string): AclToken | undefined {
  return world.table(aclTokens).index('bySecret').get(secret)
}

/**
 * Deletes all expired tokens without waiting for their agenda jobs. Must run inside a transaction.
 */
export function deleteExpiredTokens(world: World): void {
  for (const token of Array.from(world.table(aclTokens).rows())) {
    if (isExpired(world, token)) deleteStoredToken(world, token)
  }
}

/**
 * Stores a token and returns it. If the token expires, schedules its deletion for one hour after
 * the expiry. Must run inside a transaction.
 */
export function storeToken(world: World, token: AclToken): AclToken {
  const { AccessorID } = token
  world.table(aclTokens).put(AccessorID, token)
  const expiryTime = expiresAt(token)
  if (expiryTime !== undefined) {
    world.agenda.schedule({ at: expiryTime + gcThreshold, job: expiryJobName, id: AccessorID })
  }
  return token
}

/** Deletes a token and cancels the agenda job for its deletion. Must run inside a transaction. */
export function deleteStoredToken(world: World, { AccessorID }: AclToken): void {
  world.table(aclTokens).delete(AccessorID)
  world.agenda.cancel(expiryJobName, AccessorID)
}

type TokenReply = StoredOf<typeof aclTokenShape>
type RoleReply = StoredOf<typeof aclRoleShape>

/**
 * Builds the reply for a token. Roles get their current names, and deleted roles are left out
 * (behaviour/scheduler#acl-roles).
 */
export function tokenReply(world: World, token: AclToken): TokenReply {
  const { ExpirationTTL = '', SecretID } = token
  const body = tokenStubReply(world, token)
  const Roles = (body.Roles ?? []).filter(({ Name }) => Name !== '')
  return { ...body, SecretID, ExpirationTTL, Roles: Roles.length === 0 ? null : Roles }
}

/** Builds the list entry for a token, without the secret. Deleted roles get an empty name. */
export function tokenStubReply(
  world: World,
  token: Omit<AclToken, 'SecretID'>,
): Omit<TokenReply, 'SecretID' | 'ExpirationTTL'> {
  const { AccessorID, Name, Type, Policies, Roles = null, Global, CreateTime } = token
  const { ExpirationTime = null, CreateIndex, ModifyIndex } = token
  return {
    AccessorID,
    Name,
    Type,
    // For a token that has only roles, the reference returns an empty list of policies, not null.
    Policies: Policies ?? (Roles === null ? null : []),
    Roles: Roles?.map((ID) => ({ ID, Name: world.table(aclRoles).get(ID)?.Name ?? '' })) ?? null,
    Global,
    Hash: hashOf([Name, Type, ...(Policies ?? []), Global ? 'global' : 'local', ...(Roles ?? [])]),
    CreateTime,
    ExpirationTime,
    CreateIndex,
    ModifyIndex,
  }
}

/** Builds the reply for a role, with a hash. */
export function roleReply({ ID, Name, Description, Policies, ...indexes }: AclRole): RoleReply {
  const names = (Policies ?? []).map((link) => link.Name)
  const Hash = hashOf([Name, Description, ...names])
  return { ID, Name, Description, Policies, Hash, ...indexes }
}
