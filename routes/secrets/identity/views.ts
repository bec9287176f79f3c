import { bool, int, list, map, nullable, text, word } from '../../../state/kernel/shape/kinds.ts'
import { described, optional, struct } from '../../../state/kernel/shape/members.ts'
import { formatTimestamp } from '../../../state/kernel/time.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { type Alias, aliasesOf } from '../../../state/secrets/identity/aliases.ts'
import type { Entity } from '../../../state/secrets/identity/entities.ts'
import { allGroups } from '../../../state/secrets/identity/entity-policies.ts'
import type { AliasedGroup } from '../../../state/secrets/identity/group-aliases.ts'
import { type Group, groupsOf, parentsOf } from '../../../state/secrets/identity/groups.ts'
import { mountByAccessor } from '../../../state/secrets/mounts/mounts.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { structEnvelope } from '../envelope/schemas.ts'
import { accessorOf } from '../sys/mount-entry.ts'

const textList = list(text)
const labels = nullable(map(text))

/** Fields about the mount of an alias. Both fields are missing if the mount no longer exists. */
const mountInfoFields = { mount_path: optional(text), mount_type: optional(text) } as const

const aliasMembers = {
  id: text,
  name: text,
  canonical_id: described(text, 'Id of the entity or group'),
  mount_accessor: text,
  ...mountInfoFields,
  metadata: labels,
  custom_metadata: labels,
  local: bool,
  creation_time: text,
  last_update_time: text,
  merged_from_canonical_ids: nullable(textList),
} as const

/** Schema of an alias in the data of its entity. */
const aliasShape = struct(aliasMembers)

export const aliasEnvelope = structEnvelope({ ...aliasMembers, namespace_id: text })

export const entityEnvelope = structEnvelope({
  id: text,
  name: text,
  aliases: list(aliasShape),
  creation_time: text,
  last_update_time: text,
  metadata: labels,
  policies: textList,
  disabled: bool,
  direct_group_ids: textList,
  inherited_group_ids: textList,
  group_ids: textList,
  merged_entity_ids: nullable(textList),
  namespace_id: text,
})

export const groupEnvelope = structEnvelope({
  id: text,
  name: text,
  type: word('internal', 'external'),
  metadata: labels,
  policies: nullable(textList),
  member_entity_ids: nullable(textList),
  member_group_ids: nullable(textList),
  parent_group_ids: nullable(textList),
  alias: described(map(nullable(text)), 'Empty if there is no alias'),
  modify_index: int,
  creation_time: text,
  last_update_time: text,
  namespace_id: text,
})

function nullIfEmpty<T>(items: readonly T[]): readonly T[] | null {
  return items.length === 0 ? null : items
}

/**
 * Returns the current accessor, path and type of the mount of an alias. If the mount does not
 * exist, returns only the accessor.
 */
export function mountInfo(world: World, accessor: string, dialect: SecretsDialect): object {
  const mount = mountByAccessor(world, accessor)
  if (mount === undefined) return { mount_accessor: accessor }
  const type = dialect.mountType(mount.type)
  return { mount_accessor: accessorOf(mount, type), mount_path: mount.path, mount_type: type }
}

/** Returns the data of an alias as part of its entity. */
function aliasView(world: World, alias: Alias, dialect: SecretsDialect): object {
  return {
    id: alias.id,
    name: alias.name,
    canonical_id: alias.canonical_id,
    ...mountInfo(world, alias.mount_accessor, dialect),
    metadata: alias.metadata,
    custom_metadata: alias.custom_metadata,
    local: alias.local,
    creation_time: formatTimestamp(alias.creation_time),
    last_update_time: formatTimestamp(alias.last_update_time),
    merged_from_canonical_ids: nullIfEmpty(alias.merged_from_canonical_ids),
  }
}

/** Returns the data of an entity's alias for the reply to reading the alias itself. */
export function aliasData(world: World, alias: Alias, dialect: SecretsDialect): object {
  return { ...aliasView(world, alias, dialect), namespace_id: alias.namespace }
}

export function entityData(world: World, entity: Entity, dialect: SecretsDialect): object {
  const direct = groupsOf(world, entity.id).map(({ id }) => id)
  const all = allGroups(world, entity).map(({ id }) => id)
  return {
    id: entity.id,
    name: entity.name,
    aliases: aliasesOf(world, entity).map((alias) => aliasView(world, alias, dialect)),
    creation_time: formatTimestamp(entity.creation_time),
    last_update_time: formatTimestamp(entity.last_update_time),
    metadata: entity.metadata,
    policies: entity.policies,
    disabled: entity.disabled,
    direct_group_ids: direct,
    inherited_group_ids: all.slice(direct.length),
    group_ids: all,
    merged_entity_ids: nullIfEmpty(entity.merged_entity_ids),
    namespace_id: entity.namespace,
  }
}

/** Returns the data of a group's alias for the reply to reading the alias itself. */
export function groupAliasData(
  world: World,
  { group, alias }: AliasedGroup,
  dialect: SecretsDialect,
): object {
  return {
    id: alias.id,
    name: alias.name,
    canonical_id: group.id,
    ...mountInfo(world, alias.mount_accessor, dialect),
    metadata: null,
    custom_metadata: null,
    local: false,
    creation_time: formatTimestamp(alias.creation_time),
    last_update_time: formatTimestamp(alias.last_update_time),
    merged_from_canonical_ids: null,
    namespace_id: group.namespace,
  }
}

/** Returns the data of a group's alias as part of the group; empty if the group has no alias. */
function groupAliasView(world: World, group: Group, dialect: SecretsDialect): object {
  const { alias } = group
  if (alias === null) return {}
  return {
    id: alias.id,
    name: alias.name,
    canonical_id: group.id,
    ...mountInfo(world, alias.mount_accessor, dialect),
    metadata: null,
    creation_time: formatTimestamp(alias.creation_time),
    last_update_time: formatTimestamp(alias.last_update_time),
    merged_from_canonical_ids: null,
  }
}

export function groupData(world: World, group: Group, dialect: SecretsDialect): object {
  return {
    id: group.id,
    name: group.name,
    type: group.type,
    metadata: group.metadata,
    policies: nullIfEmpty(group.policies),
    member_entity_ids: group.member_entity_ids,
    member_group_ids: nullIfEmpty(group.member_group_ids),
    parent_group_ids: nullIfEmpty(parentsOf(world, group.id).map(({ id }) => id)),
    alias: groupAliasView(world, group, dialect),
    modify_index: group.modify_index,
    creation_time: formatTimestamp(group.creation_time),
    last_update_time: formatTimestamp(group.last_update_time),
    namespace_id: group.namespace,
  }
}
