import type { World } from '../../kernel/worlds/world.ts'
import { type Entity, entityOfId } from '../identity/entities.ts'
import { allGroups } from '../identity/entity-policies.ts'
import { groups } from '../identity/groups.ts'
import { isAuthMount, type Mount, mounts } from '../mounts/mounts.ts'
import { mountType, neutralAccessor } from '../mounts/types.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { type Enforcement, enforcementsById, enforcementTable } from './enforcement-rows.ts'
import { refuse } from './messages.ts'
import { findMethod, isWithinNamespace, namespaceOf } from './methods.ts'

/**
 * A change of an enforcement. Every change needs the list of methods; the other lists keep their
 * values if they are left out.
 */
type EnforcementChange = Partial<
  Pick<
    Enforcement,
    | 'mfa_method_ids'
    | 'auth_method_accessors'
    | 'auth_method_types'
    | 'identity_group_ids'
    | 'identity_entity_ids'
  >
>

export function findEnforcement(
  world: World,
  namespace: Namespace,
  name: string,
): Enforcement | undefined {
  return world.table(enforcementTable).get(`${namespace.id}/${name}`)
}

/** Returns the enforcements of a namespace, sorted by id. */
export function enforcementsIn(world: World, namespace: Namespace): Enforcement[] {
  return enforcementsById(world, `${namespace.id}/`)
}

/**
 * Creates or changes an enforcement.
 *
 * @throws Refusal `invalid` if the change lacks a list of methods or has no list that selects
 * logins; for an unknown method; for a method that belongs neither to this namespace nor to an
 * ancestor; and for an unknown accessor, type, group or entity
 */
export function writeEnforcement(
  world: World,
  namespace: Namespace,
  name: string,
  change: EnforcementChange,
): void {
  const { mfa_method_ids: methods } = change
  if (methods === undefined) throw refuse('mfa-enforcement-methods-missing')
  for (const id of methods) checkMethod(world, namespace, id)
  const accessors = change.auth_method_accessors?.map(neutralAccessor)
  const types = change.auth_method_types?.map(mountType)
  const logins = [...world.table(mounts).rows()].filter(
    (mount) => isAuthMount(mount) && mount.namespace === namespace.id,
  )
  const { identity_group_ids: groupIds, identity_entity_ids: entityIds } = change
  checkAll(accessors, 'mfa-enforcement-accessor-unknown', (accessor) =>
    logins.some((mount) => mount.accessor === accessor),
  )
  checkAll(types, 'mfa-enforcement-type-unknown', (type) =>
    logins.some((mount) => mount.type === type),
  )
  const known = new Set(Array.from(world.table(groups).rows(), ({ id }) => id))
  checkAll(groupIds, 'mfa-enforcement-group-unknown', (id) => known.has(id))
  checkAll(entityIds, 'mfa-enforcement-entity-unknown', (id) => entityOfId(world, id) !== undefined)
  if ((accessors ?? types ?? groupIds ?? entityIds) === undefined) {
    throw refuse('mfa-enforcement-subject-missing')
  }
  const before = findEnforcement(world, namespace, name)
  const row: Enforcement = {
    id: before?.id ?? world.ids.uuid(),
    namespace: namespace.id,
    name,
    mfa_method_ids: methods,
    auth_method_accessors: accessors ?? before?.auth_method_accessors ?? [],
    auth_method_types: types ?? before?.auth_method_types ?? [],
    identity_group_ids: groupIds ?? before?.identity_group_ids ?? [],
    identity_entity_ids: entityIds ?? before?.identity_entity_ids ?? [],
  }
  world.write(() => world.table(enforcementTable).put(`${namespace.id}/${name}`, row))
}

function checkMethod(world: World, namespace: Namespace, id: string): void {
  const method = findMethod(world, id)
  if (method === undefined) throw refuse('mfa-enforcement-method-unknown')
  if (!isWithinNamespace(namespace, namespaceOf(world, method.namespace))) {
    throw refuse('mfa-enforcement-method-namespace')
  }
}

function checkAll(
  items: readonly string[] | undefined,
  rule:
    | 'mfa-enforcement-accessor-unknown'
    | 'mfa-enforcement-type-unknown'
    | 'mfa-enforcement-group-unknown'
    | 'mfa-enforcement-entity-unknown',
  exists: (item: string) => boolean,
): void {
  if (items?.every(exists) === false) throw refuse(rule)
}

/** Deletes an enforcement. Does nothing if there is no such enforcement. */
export function deleteEnforcement(world: World, namespace: Namespace, name: string): void {
  world.write(() => world.table(enforcementTable).delete(`${namespace.id}/${name}`))
}

/** Returns the enforcements that apply to a login, in the order in which logins validate them. */
export function enforcementsOf(
  world: World,
  namespace: Namespace,
  mount: Mount,
  entity: Entity,
): Enforcement[] {
  const table = world.table(enforcementTable)
  if (table.size === 0) return []
  const groupIds = allGroups(world, entity).map(({ id }) => id)
  return enforcementsById(world).filter(
    (each) =>
      isWithinNamespace(namespace, namespaceOf(world, each.namespace)) &&
      (each.identity_entity_ids.includes(entity.id) ||
        groupIds.some((id) => each.identity_group_ids.includes(id)) ||
        each.auth_method_accessors.includes(mount.accessor) ||
        each.auth_method_types.includes(mount.type)),
  )
}
