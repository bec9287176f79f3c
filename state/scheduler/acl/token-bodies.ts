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
 * A token as it is answered (behaviour/scheduler#acl-roles): with the names that its roles
 * have now, without those that are gone.
 */
export function tokenReply(world: World, token: AclToken): TokenReply {
  const { ExpirationTTL = '', SecretID } = token
  const body = tokenStubReply(world, token)
  const Roles = (body.Roles ?? []).filter(({ Name }) => Name !== '')
  return { ...body, SecretID, ExpirationTTL, Roles: Roles.length === 0 ? null : Roles }
}

/** The same as lists show it: the name of a role that is gone is empty. */
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
    // Who has roles alone has a list of policies that is empty.
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

/** A role as it is answered. */
export function roleReply({ ID, Name, Description, Policies, ...indexes }: AclRole): RoleReply {
  const names = (Policies ?? []).map((link) => link.Name)
  const Hash = hashOf([Name, Description, ...names])
  return { ID, Name, Description, Policies, Hash, ...indexes }
}
