import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex, touch } from '../indexes.ts'
import { namespaceKey } from '../namespaces/namespaces.ts'
import { type IdentityInput, normalizeIdentities } from './identities.ts'
import { hashOf, isUuid } from './ids.ts'
import { type AclLink, resolveLinks } from './links.ts'
import { refuse } from './messages.ts'
import { markStored } from './status.ts'
import { type AclRole, aclRoles, nameKey, namespacePrefix } from './tables.ts'

/** The kind of data that roles are, as their index is noted. */
export const roleDataKind = 'acl-roles'

/** A caller's wishes for a role; what is left out is empty. */
export interface RoleInput {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly policies?: readonly AclLink[] | undefined
  readonly identities?: IdentityInput | undefined
}

/** The role of an ID in a namespace. Refuses what is no ID. */
export function roleWithId(world: World, namespace: string, id: string): AclRole | undefined {
  if (!isUuid(id)) throw refuse('lookup-id-no-uuid', { kind: 'role' })
  const role = world.table(aclRoles).get(id)
  if (role === undefined || namespaceKey(role.namespace) !== namespaceKey(namespace)) {
    return undefined
  }
  return role
}

/** The role of a name in a namespace; names are the same in any letter case. */
export function roleNamed(world: World, namespace: string, name: string): AclRole | undefined {
  return world.table(aclRoles).index('byName').get(nameKey(namespace, name))
}

/** The roles of a namespace, by name. */
export function rolesIn(world: World, namespace: string): readonly AclRole[] {
  return Array.from(world.table(aclRoles).index('byName').rows(namespacePrefix(namespace)))
}

/** Adds a role to a namespace. */
export function createRole(world: World, namespace: string, input: RoleInput): AclRole {
  const name = requireValidName(input.name)
  if (roleNamed(world, namespace, name) !== undefined) {
    throw refuse('role-name-in-use', { name })
  }
  const content = contentOf(world, input, name, namespace)
  return world.write(() => {
    const create_index = nextIndex(world)
    return put(world, { id: world.ids.uuid(), namespace, create_index, ...content })
  })
}

/** Replaces everything that a role says. */
export function updateRole(world: World, namespace: string, id: string, input: RoleInput): AclRole {
  const name = requireValidName(input.name)
  if (!isUuid(id)) throw refuse('role-id-no-uuid')
  const before = roleWithId(world, namespace, id)
  if (before === undefined) throw refuse('role-unknown', { id })
  const other = roleNamed(world, namespace, name)
  if (other !== undefined && other.id !== id) {
    throw refuse('role-name-of-another', { name })
  }
  const content = contentOf(world, input, name, before.namespace)
  const { service_identities: _, node_identities: __, ...rest } = before
  return world.write(() => put(world, { ...rest, ...content }))
}

/** Deletes a role; links to it give nothing from now on. */
export function deleteRole(world: World, namespace: string, id: string): void {
  const role = roleWithId(world, namespace, id)
  if (role === undefined) throw refuse('nothing-to-delete', { noun: 'role' })
  world.write(() => dropRole(world, role))
}

/** Takes a role away; part of a transaction. */
export function dropRole(world: World, { id }: AclRole): void {
  world.table(aclRoles).delete(id)
  touch(world, roleDataKind)
}

function put(world: World, row: Omit<AclRole, 'hash' | 'modify_index'>): AclRole {
  const { name, description, policies, service_identities, node_identities } = row
  const hash = hashOf({ name, description, policies, service_identities, node_identities })
  const role = { ...row, hash, modify_index: nextIndex(world) }
  world.table(aclRoles).put(role.id, role)
  markStored(world)
  touch(world, roleDataKind)
  return role
}

function contentOf(world: World, input: RoleInput, name: string, namespace: string) {
  const { description = '', policies = [], identities = {} } = input
  const unknownIdRefusal = (id: string) => refuse('role-policy-unknown', { id })
  const policyIds = resolveLinks(world, 'policy', policies, namespace, unknownIdRefusal)
  return { name, description, policies: policyIds, ...normalizeIdentities(identities, 'role') }
}

function requireValidName(name = ''): string {
  if (name === '') throw refuse('role-name-missing')
  if (/^[A-Za-z0-9_-]{1,256}$/.test(name)) return name
  throw refuse('role-name-odd')
}
