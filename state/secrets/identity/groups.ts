import { int, list, map, name, nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { factorsKey } from './aliases.ts'
import { nameKey } from './entities.ts'

/** The name under which a login method knows an external group. Instants in milliseconds. */
const groupAliasShape = struct({
  id: name,
  name,
  mount_accessor: text,
  creation_time: int,
  last_update_time: int,
})
export interface GroupAlias extends StoredOf<typeof groupAliasShape> {}

/**
 * A group of entities and groups (behaviour/secrets#groups). Members of an external one are those that
 * its login method says.
 */
const groupShape = struct({
  id: name,
  /** Namespace id. */
  namespace: text,
  /** In the letters in which it was written. */
  name,
  type: word('internal', 'external'),
  metadata: nullable(map(text)),
  /** In lower case, sorted, each once. */
  policies: list(text),
  member_entity_ids: list(text),
  member_group_ids: list(text),
  alias: nullable(groupAliasShape),
  /** How often it was written. */
  modify_index: uint,
  creation_time: int,
  last_update_time: int,
})
export interface Group extends StoredOf<typeof groupShape> {}

/**
 * By `<namespace id>/<id>`. Indexes: `byEntity` and `byMember` by the id of a member, `/` and the
 * group's own.
 */
export const groups = defineTable({
  service: 'secrets',
  name: 'identity-groups',
  shape: groupShape,
  indexes: {
    byName: ({ namespace, name }) => nameKey(namespace, name),
    byEntity: ({ id, member_entity_ids: members }) => members.map((member) => `${member}/${id}`),
    byMember: ({ id, member_group_ids: members }) => members.map((member) => `${member}/${id}`),
    byAlias: ({ alias }) =>
      alias === null ? undefined : factorsKey(alias.mount_accessor, alias.name),
    byAliasId: ({ namespace, alias }) => (alias === null ? undefined : `${namespace}/${alias.id}`),
  },
})

/** A group of a namespace by its id. */
export function findGroup(
  world: World,
  namespace: Pick<Namespace, 'id'>,
  id: string,
): Group | undefined {
  return world.table(groups).get(`${namespace.id}/${id}`)
}

/** A group of a namespace by its name in any case of letters. */
export function findGroupByName(
  world: World,
  namespace: Pick<Namespace, 'id'>,
  name: string,
): Group | undefined {
  return world.table(groups).index('byName').get(nameKey(namespace.id, name))
}

/** The groups of a namespace, in order of id. */
export function groupsIn(world: World, namespace: Pick<Namespace, 'id'>): Group[] {
  return [...world.table(groups).rows(`${namespace.id}/`)]
}

/** The groups that an entity is a member of itself, in order of id. */
export function groupsOf(world: World, entityId: string): Group[] {
  return [...world.table(groups).index('byEntity').rows(`${entityId}/`)]
}

/** The groups that a group is a member of, in order of id. */
export function parentsOf(world: World, groupId: string): Group[] {
  return [...world.table(groups).index('byMember').rows(`${groupId}/`)]
}

/** Groups and all those that they are members of, each once: these first, then their parents. */
export function withAncestors(world: World, direct: readonly Group[]): Group[] {
  const found = new Map(direct.map((group) => [group.id, group]))
  // The map grows while it is gone through.
  for (const { id } of found.values()) {
    for (const parent of parentsOf(world, id)) {
      if (!found.has(parent.id)) found.set(parent.id, parent)
    }
  }
  return [...found.values()]
}

/** Puts a group into the table, or changes it there; counts the write. */
export function putGroup(world: World, group: Group): Group {
  const counted = { ...group, modify_index: group.modify_index + 1 }
  world.write(() => world.table(groups).put(`${group.namespace}/${group.id}`, counted))
  return counted
}

/** A group without members; not yet in the table. */
export function newGroup(
  world: World,
  namespace: Pick<Namespace, 'id'>,
  type: Group['type'],
  name = '',
): Group {
  const now = world.clock.now()
  return {
    id: world.ids.uuid(),
    namespace: namespace.id,
    name: name || generateName(world, namespace),
    type,
    metadata: null,
    policies: [],
    member_entity_ids: [],
    member_group_ids: [],
    alias: null,
    modify_index: 0,
    creation_time: now,
    last_update_time: now,
  }
}

function generateName(world: World, namespace: Pick<Namespace, 'id'>): string {
  for (;;) {
    const name = `group_${world.ids.hex(8)}`
    if (findGroupByName(world, namespace, name) === undefined) return name
  }
}
