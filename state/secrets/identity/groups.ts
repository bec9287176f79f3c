import { int, list, map, name, nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { InNamespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import { factorsKey } from './aliases.ts'
import { nameKey } from './entities.ts'
import { unusedName } from './names.ts'

/** Name of an external group at one login method. Timestamps are in milliseconds since 1970. */
const groupAliasShape = struct({
  id: name,
  name,
  mount_accessor: text,
  creation_time: int,
  last_update_time: int,
})
export interface GroupAlias extends StoredOf<typeof groupAliasShape> {}

/**
 * A group of entities and groups (behaviour/secrets#groups). The login method determines the
 * members of an external group. Timestamps are in milliseconds since 1970.
 */
const groupShape = struct({
  id: name,
  /** Namespace id. */
  namespace: text,
  /** The name in the spelling of the request. */
  name,
  type: word('internal', 'external'),
  metadata: nullable(map(text)),
  /** Policy names in lower case, sorted and without duplicates. */
  policies: list(text),
  /** Ids of the member entities; null until a write or a login sets them. */
  member_entity_ids: nullable(list(text)),
  member_group_ids: list(text),
  alias: nullable(groupAliasShape),
  /** Number of writes. */
  modify_index: uint,
  creation_time: int,
  last_update_time: int,
})
export interface Group extends StoredOf<typeof groupShape> {}

/**
 * Groups by `<namespace id>/<id>`. The keys of the indexes `byEntity` and `byMember` are
 * `<member id>/<group id>`.
 */
export const groups = secretsTable('identity-groups', groupShape, {
  secrets: 'none',
  indexes: {
    byName: ({ namespace, name }) => nameKey(namespace, name),
    byEntity: ({ id, member_entity_ids: members }) =>
      (members ?? []).map((member) => `${member}/${id}`),
    byMember: ({ id, member_group_ids: members }) => members.map((member) => `${member}/${id}`),
    byAlias: ({ alias }) =>
      alias === null ? undefined : factorsKey(alias.mount_accessor, alias.name),
    byAliasId: ({ namespace, alias }) => (alias === null ? undefined : `${namespace}/${alias.id}`),
  },
})

export function findGroup(world: World, namespace: InNamespace, id: string): Group | undefined {
  return world.table(groups).get(`${namespace.id}/${id}`)
}

/** Finds a group by its name, ignoring case. Returns undefined for an unknown name. */
export function findGroupByName(
  world: World,
  namespace: InNamespace,
  name: string,
): Group | undefined {
  return world.table(groups).index('byName').get(nameKey(namespace.id, name))
}

/** Returns the groups of a namespace, sorted by id. */
export function groupsIn(world: World, namespace: InNamespace): Group[] {
  return [...world.table(groups).rows(`${namespace.id}/`)]
}

/** Returns the groups that contain an entity directly, sorted by id. */
export function groupsOf(world: World, entityId: string): Group[] {
  return [...world.table(groups).index('byEntity').rows(`${entityId}/`)]
}

/** Returns the groups that contain a group directly, sorted by id. */
export function parentsOf(world: World, groupId: string): Group[] {
  return [...world.table(groups).index('byMember').rows(`${groupId}/`)]
}

/** Returns the given groups, followed by all their ancestors, without duplicates. */
export function withAncestors(world: World, directGroups: readonly Group[]): Group[] {
  const found = new Map(directGroups.map((group) => [group.id, group]))
  // A loop over a map also visits entries that are added during the loop, so the loop visits all
  // ancestors.
  for (const { id } of found.values()) {
    for (const parent of parentsOf(world, id)) {
      if (!found.has(parent.id)) found.set(parent.id, parent)
    }
  }
  return [...found.values()]
}

/** Stores a group and increments its `modify_index`. */
export function putGroup(world: World, group: Group): Group {
  const counted = { ...group, modify_index: group.modify_index + 1 }
  world.write(() => world.table(groups).put(`${group.namespace}/${group.id}`, counted))
  return counted
}

/**
 * Builds a group without members. Does not store the group.
 * @param name name of the group; if empty, a name is generated
 */
export function newGroup(
  world: World,
  namespace: InNamespace,
  type: Group['type'],
  name = '',
): Group {
  const now = world.clock.now()
  return {
    id: world.ids.uuid(),
    namespace: namespace.id,
    name: name || unusedName(world, 'group', (made) => findGroupByName(world, namespace, made)),
    type,
    metadata: null,
    policies: [],
    member_entity_ids: null,
    member_group_ids: [],
    alias: null,
    modify_index: 0,
    creation_time: now,
    last_update_time: now,
  }
}
