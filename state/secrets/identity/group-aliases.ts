import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, mountByAccessor } from '../mounts/mounts.ts'
import type { InNamespace, Namespace } from '../namespaces/namespaces.ts'
import { factorsKey } from './aliases.ts'
import type { Entity } from './entities.ts'
import {
  findGroup,
  type Group,
  type GroupAlias,
  groups,
  groupsOf,
  newGroup,
  putGroup,
} from './groups.ts'
import { refuse } from './messages.ts'

export interface AliasedGroup {
  readonly group: Group
  readonly alias: GroupAlias
}

/** Finds an external group by the id of its alias. Returns undefined for an unknown id. */
export function findGroupAlias(
  world: World,
  namespace: InNamespace,
  id: string,
): AliasedGroup | undefined {
  return withAlias(world.table(groups).index('byAliasId').get(`${namespace.id}/${id}`))
}

/**
 * Finds an external group by its alias: the accessor of the login method and the name, ignoring
 * case. Returns undefined if there is no such alias.
 */
export function groupAliasNamed(
  world: World,
  accessor: string,
  name: string,
): AliasedGroup | undefined {
  return withAlias(world.table(groups).index('byAlias').get(factorsKey(accessor, name)))
}

/** Returns the groups of a namespace that have an alias, sorted by the id of the alias. */
export function groupAliasesIn(world: World, namespace: InNamespace): AliasedGroup[] {
  const rows = world.table(groups).index('byAliasId').rows(`${namespace.id}/`)
  return Array.from(rows).flatMap((group) => withAlias(group) ?? [])
}

function withAlias(group: Group | undefined): AliasedGroup | undefined {
  return group === undefined || group.alias === null ? undefined : { group, alias: group.alias }
}

export interface GroupAliasChange {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly mount_accessor?: string | undefined
  /** Id of the group. */
  readonly canonical_id?: string | undefined
}

/**
 * Adds an alias to an external group, or changes the alias with this id. Creates an external group
 * for a new alias if the request names no group (behaviour/secrets#groups).
 * @returns undefined if nothing changes
 * @throws Refusal for a missing name or accessor, an unknown id, group or mount, an internal group,
 *   a local mount, a mount of another namespace, and an alias that another group has
 */
export function writeGroupAlias(
  world: World,
  namespace: Namespace,
  { id, name = '', mount_accessor: accessor = '', canonical_id: groupId = '' }: GroupAliasChange,
): AliasedGroup | undefined {
  const before = id === undefined ? undefined : aliasOfId(world, namespace, id)
  if (name === '') throw refuse('group-alias-name-missing')
  if (accessor === '') throw refuse('group-alias-accessor-missing')
  const isUnchanged = before?.alias.name === name && before.alias.mount_accessor === accessor
  if (isUnchanged && (groupId === '' || groupId === before.group.id)) return undefined
  const target = groupId === '' ? before?.group : externalGroup(world, namespace, groupId)
  checkMount(mountByAccessor(world, accessor), namespace, accessor)
  const conflictingGroup = groupAliasNamed(world, accessor, name)
  if (conflictingGroup !== undefined && conflictingGroup.alias.id !== before?.alias.id)
    throw refuse('group-alias-taken')
  return world.write(() => {
    const now = world.clock.now()
    const isMoved = before !== undefined && target?.id !== before.group.id
    if (isMoved) putGroup(world, { ...before.group, alias: null })
    const group = target ?? newGroup(world, namespace, 'external')
    const alias: GroupAlias = {
      id: before?.alias.id ?? world.ids.uuid(),
      name,
      mount_accessor: accessor,
      creation_time: before?.alias.creation_time ?? now,
      last_update_time: now,
    }
    return { group: putGroup(world, { ...group, alias, last_update_time: now }), alias }
  })
}

function aliasOfId(world: World, namespace: Namespace, id: string): AliasedGroup {
  if (id === '') throw refuse('group-alias-id-empty')
  const found = findGroupAlias(world, namespace, id)
  if (found === undefined) throw refuse('group-alias-id-unknown')
  return found
}

function externalGroup(world: World, namespace: Namespace, id: string): Group {
  const group = findGroup(world, namespace, id)
  if (group === undefined) throw refuse('group-alias-group-unknown')
  if (group.type !== 'external') throw refuse('group-alias-internal')
  return group
}

function checkMount(mount: Mount | undefined, namespace: Namespace, accessor: string): void {
  if (mount === undefined) throw refuse('mount-accessor-unknown', { accessor: quoteGo(accessor) })
  if (mount.local) throw refuse('group-alias-local', { accessor: quoteGo(accessor) })
  if (mount.namespace !== namespace.id) throw refuse('group-alias-foreign-mount')
}

/** Removes the alias from a group. The group and its members stay. */
export function removeGroupAlias(world: World, { group }: AliasedGroup): void {
  putGroup(world, { ...group, alias: null })
}

/** Removes the aliases at a login method from their groups. Called when the method is disabled. */
export function removeGroupAliasesAt(world: World, accessor: string): void {
  for (const group of [...world.table(groups).index('byAlias').rows(`${accessor}/`)]) {
    putGroup(world, { ...group, alias: null })
  }
}

/**
 * Makes an entity a member of exactly those external groups of a login method whose aliases have
 * the given names (behaviour/secrets#groups). Memberships in groups of other methods do not change.
 */
export function joinExternalGroups(
  world: World,
  entity: Pick<Entity, 'id'>,
  { accessor }: Pick<Mount, 'accessor'>,
  names: readonly string[],
): void {
  const joinedGroups = names.flatMap((name) => groupAliasNamed(world, accessor, name)?.group ?? [])
  const ids = new Set(joinedGroups.map(({ id }) => id))
  const before = groupsOf(world, entity.id).filter(
    ({ alias }) => alias?.mount_accessor === accessor,
  )
  world.write(() => {
    for (const group of before) {
      if (ids.delete(group.id)) continue
      const member_entity_ids = group.member_entity_ids?.filter((id) => id !== entity.id) ?? null
      putGroup(world, { ...group, member_entity_ids })
    }
    for (const group of joinedGroups) {
      if (!ids.delete(group.id)) continue
      putGroup(world, {
        ...group,
        member_entity_ids: [...(group.member_entity_ids ?? []), entity.id],
      })
    }
  })
}
