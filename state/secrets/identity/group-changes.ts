import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { findEntity } from './entities.ts'
import {
  findGroup,
  findGroupByName,
  type Group,
  groups,
  newGroup,
  parentsOf,
  putGroup,
  withAncestors,
} from './groups.ts'
import { refuse } from './messages.ts'
import { checkMetadata, type IdentityMetadata } from './metadata.ts'
import { grantsRoot, sanitizeNames, sortedUnique } from './names.ts'

/** A change of a group; members that are left out keep their values. */
export interface GroupChange {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly type?: string | undefined
  readonly metadata?: IdentityMetadata | undefined
  readonly policies?: readonly string[] | undefined
  readonly member_entity_ids?: readonly string[] | undefined
  readonly member_group_ids?: readonly string[] | undefined
}

interface WrittenGroup {
  readonly group: Group
  readonly isNew: boolean
}

/**
 * Creates a group, or changes the group with the given id or case-insensitive name
 * (behaviour/secrets#groups).
 *
 * @throws Refusal `invalid`, in the reference's order, for an empty name without an id, an empty or
 *   unknown id, the policy `root`, an unknown or changed type, a name in use, members of an
 *   external group, metadata beyond the limits, unknown members and cycles
 */
export function writeGroup(
  world: World,
  namespace: Namespace,
  { id, ...change }: GroupChange,
): WrittenGroup {
  if (id === undefined && change.name === '') throw refuse('group-name-empty')
  const { name = '' } = change
  const before =
    id === undefined ? findGroupByName(world, namespace, name) : groupOfId(world, namespace, id)
  if (grantsRoot(change.policies ?? [])) throw refuse('identity-policies-root')
  const type = resolveGroupType(before, change.type)
  if (name !== '') {
    const other = findGroupByName(world, namespace, name)
    if (other !== undefined && other.id !== before?.id) throw refuse('group-name-taken')
  }
  if (type === 'external') {
    if (change.member_entity_ids !== undefined) throw refuse('group-external-entities')
    if (change.member_group_ids !== undefined) throw refuse('group-external-groups')
  }
  checkMetadata('group', change.metadata ?? {})
  const existing = before ?? newGroup(world, namespace, type, name)
  const memberIds = change.member_entity_ids && sortedUnique(change.member_entity_ids)
  for (const id of memberIds ?? []) {
    if (findEntity(world, namespace, id) === undefined) {
      throw refuse('group-entity-unknown', { id: quoteGo(id) })
    }
  }
  const groupIds = change.member_group_ids && sortedUnique(change.member_group_ids)
  checkMemberGroups(world, namespace, existing, groupIds ?? [])
  return world.write(() => {
    if (groupIds !== undefined) countMemberChanges(world, namespace, existing, groupIds)
    const group = putGroup(world, {
      ...existing,
      name: name || existing.name,
      metadata: change.metadata ?? existing.metadata,
      policies: change.policies ? sanitizeNames(change.policies).sort() : existing.policies,
      member_entity_ids: memberIds ?? existing.member_entity_ids,
      member_group_ids: groupIds ?? existing.member_group_ids,
      last_update_time: world.clock.now(),
    })
    return { group, isNew: before === undefined }
  })
}

function groupOfId(world: World, namespace: Namespace, id: string): Group {
  if (id === '') throw refuse('group-id-empty')
  const group = findGroup(world, namespace, id)
  if (group === undefined) throw refuse('group-id-unknown')
  return group
}

function resolveGroupType(before: Group | undefined, requested: string | undefined): Group['type'] {
  if (requested !== undefined && before !== undefined && requested !== before.type) {
    throw refuse('group-type-fixed')
  }
  const type = before?.type ?? (requested || 'internal')
  if (type === 'internal' || type === 'external') return type
  throw refuse('group-type-unknown', { type: quoteGo(type) })
}

/**
 * Throws a refusal for an unknown member group, for the group itself, and for an ancestor of the
 * group.
 */
function checkMemberGroups(
  world: World,
  namespace: Namespace,
  group: Group,
  ids: readonly string[],
): void {
  const ancestors = new Set(withAncestors(world, parentsOf(world, group.id)).map(({ id }) => id))
  for (const id of ids) {
    if (id === group.id) throw refuse('group-member-itself', { id: quoteGo(id) })
    if (findGroup(world, namespace, id) === undefined) {
      throw refuse('group-member-unknown', { id: quoteGo(id) })
    }
    if (ancestors.has(id)) throw refuse('group-circle', { id: quoteGo(id) })
  }
}

/**
 * Increments `modify_index` of the groups that become or cease to be members, because the change
 * counts as a write of these groups.
 */
function countMemberChanges(
  world: World,
  namespace: Namespace,
  { member_group_ids: before }: Group,
  after: readonly string[],
): void {
  const changed = [...before, ...after].filter((id) => before.includes(id) !== after.includes(id))
  for (const id of changed) {
    const member = findGroup(world, namespace, id)
    if (member !== undefined) putGroup(world, member)
  }
}

/** Deletes a group, and removes it from the groups that contain it. */
export function removeGroup(world: World, group: Group): void {
  world.write(() => {
    for (const parent of parentsOf(world, group.id)) {
      const member_group_ids = parent.member_group_ids.filter((id) => id !== group.id)
      putGroup(world, { ...parent, member_group_ids })
    }
    world.table(groups).delete(`${group.namespace}/${group.id}`)
  })
}
