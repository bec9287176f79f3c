import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { hashOf } from '../hashes.ts'
import {
  type AclRole,
  type AclToken,
  type aclRoleShape,
  aclRoles,
  type aclTokenShape,
} from './tables.ts'

type TokenReply = StoredOf<typeof aclTokenShape>
type RoleReply = StoredOf<typeof aclRoleShape>

/**
 * Returns a token as the API shows it (behaviour/scheduler#acl-roles): with the current names of
 * its existing roles.
 */
export function tokenReply(world: World, token: AclToken): TokenReply {
  const { ExpirationTTL = '', SecretID } = token
  const body = tokenStubReply(world, token)
  const Roles = (body.Roles ?? []).filter(({ Name }) => Name !== '')
  return { ...body, SecretID, ExpirationTTL, Roles: Roles.length === 0 ? null : Roles }
}

/** Returns a token as lists show it; a role that no longer exists has an empty name. */
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
    // A token with roles only has an empty list of policies.
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

/** Returns a role as the API shows it. */
export function roleReply({ ID, Name, Description, Policies, ...indexes }: AclRole): RoleReply {
  const names = (Policies ?? []).map((link) => link.Name)
  const Hash = hashOf([Name, Description, ...names])
  return { ID, Name, Description, Policies, Hash, ...indexes }
}
