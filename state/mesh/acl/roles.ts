import type { World } from '../../kernel/worlds/world.ts'
import { nextIndex, touch } from '../indexes.ts'
import { type IdentityInput, normalizeIdentities } from './identities.ts'
import { hashOf, isUuid } from './ids.ts'
import { type AclLink, resolveLinks } from './links.ts'
import { refuse } from './messages.ts'
import {
  type AclRole,
  aclRoles,
  isInNamespace,
  nameKey,
  namespacePrefix,
  recordObjectStored,
} from './tables.ts'

/** Key under which `dataIndexes` stores the index of the last write to a role. */
export const roleDataKind = 'acl-roles'

/** A role in a request. Members that are left out count as empty. */
export interface RoleInput {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly policies?: readonly AclLink[] | undefined
  readonly identities?: IdentityInput | undefined
}

/**
 * Returns the role with this ID in a namespace; undefined if there is none. Throws a refusal if the
 * ID is malformed.
 */
export function roleWithId(world: World, namespace: string, id: string): AclRole | undefined {
  if (!isUuid(id)) throw refuse('lookup-id-no-uuid', { kind: 'role' })
  const role = world.table(aclRoles).get(id)
  return role !== undefined && isInNamespace(role, namespace) ? role : undefined
}

/**
 * Returns the role with this name in a namespace; undefined if there is none. Names are
 * case-insensitive.
 */
export function roleNamed(world: World, namespace: string, name: string): AclRole | undefined {
  return world.table(aclRoles).index('byName').get(nameKey(namespace, name))
}

/** Returns the roles of a namespace, ordered by name. */
export function rolesIn(world: World, namespace: string): readonly AclRole[] {
  return Array.from(world.table(aclRoles).index('byName').rows(namespacePrefix(namespace)))
}

export function createRole(world: World, namespace: string, input: RoleInput): AclRole {
  const name = requireValidName(input.name)
  if (roleNamed(world, namespace, name) !== undefined) {
    throw refuse('role-name-in-use', { name })
  }
  const content = contentOf(world, input, name, namespace)
  return world.write(() => {
    const create_index = nextIndex(world)
    return putRole(world, { id: world.ids.uuid(), namespace, create_index, ...content })
  })
}

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
  const { service_identities: _, node_identities: __, templated_policies: ___, ...rest } = before
  return world.write(() => putRole(world, { ...rest, ...content }))
}

/**
 * Deletes a role. Links to the role remain but grant nothing. Throws a refusal for a malformed or
 * unknown ID.
 */
export function deleteRole(world: World, namespace: string, id: string): void {
  const role = roleWithId(world, namespace, id)
  if (role === undefined) throw refuse('nothing-to-delete', { noun: 'role' })
  world.write(() => dropRole(world, role))
}

/** Removes a role without any check. Must run inside a transaction. */
export function dropRole(world: World, { id }: AclRole): void {
  world.table(aclRoles).delete(id)
  touch(world, roleDataKind)
}

function putRole(world: World, row: Omit<AclRole, 'hash' | 'modify_index'>): AclRole {
  const { name, description, policies, ...others } = row
  const { service_identities, node_identities, templated_policies } = others
  const identities = { service_identities, node_identities, templated_policies }
  const hash = hashOf({ name, description, policies, ...identities })
  const role = { ...row, hash, modify_index: nextIndex(world) }
  world.table(aclRoles).put(role.id, role)
  recordObjectStored(world)
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
