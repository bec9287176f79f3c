import type { World } from '../../kernel/worlds/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { aliasesOf, removeAlias } from './aliases.ts'
import {
  type Entity,
  entities,
  findEntity,
  findEntityByName,
  newEntity,
  putEntity,
} from './entities.ts'
import { groupsOf, putGroup } from './groups.ts'
import { refuse } from './messages.ts'
import { checkMetadata, type IdentityMetadata } from './metadata.ts'
import { grantsRoot, sortedUnique } from './names.ts'

/** A change of an entity; members that are left out keep their values. */
export interface EntityChange {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly metadata?: IdentityMetadata | undefined
  readonly policies?: readonly string[] | undefined
  readonly disabled?: boolean | undefined
}

/** An entity after a write. */
interface WrittenEntity {
  readonly entity: Entity
  readonly isNew: boolean
}

/**
 * Creates an entity, or changes the one with the given id or case-insensitive name
 * (behaviour/secrets#entities).
 *
 * @throws invalid for an unknown id, a name in use, the policy `root` and metadata beyond the
 * limits.
 */
export function writeEntity(
  world: World,
  namespace: Namespace,
  { id = '', name = '', ...change }: EntityChange,
): WrittenEntity {
  const byId = id === '' ? undefined : findEntity(world, namespace, id)
  if (id !== '' && byId === undefined) throw refuse('entity-id-unknown')
  const byName = name === '' ? undefined : findEntityByName(world, namespace, name)
  if (byId !== undefined && byName !== undefined && byId.id !== byName.id) {
    throw refuse('entity-name-taken')
  }
  const before = byId ?? byName
  if (grantsRoot(change.policies ?? [])) throw refuse('identity-policies-root')
  checkMetadata('entity', change.metadata ?? {})
  const existing = before ?? newEntity(world, namespace, name)
  const entity = putEntity(world, {
    ...existing,
    name: name || existing.name,
    metadata: change.metadata ?? existing.metadata,
    policies: change.policies === undefined ? existing.policies : sortedUnique(change.policies),
    disabled: change.disabled ?? existing.disabled,
    last_update_time: world.clock.now(),
  })
  return { entity, isNew: before === undefined }
}

/** Deletes entities with their aliases and memberships; ignores unknown ids. */
export function deleteEntities(world: World, namespace: Namespace, ids: readonly string[]): void {
  if (ids.length === 0) throw refuse('entity-ids-missing')
  for (const id of ids) {
    const entity = findEntity(world, namespace, id)
    if (entity !== undefined) removeEntity(world, entity)
  }
}

/** Deletes an entity with its aliases and memberships. */
export function removeEntity(world: World, entity: Entity): void {
  world.write(() => {
    for (const alias of aliasesOf(world, entity)) removeAlias(world, alias)
    for (const group of groupsOf(world, entity.id)) {
      const member_entity_ids = group.member_entity_ids.filter((id) => id !== entity.id)
      putGroup(world, { ...group, member_entity_ids })
    }
    world.table(entities).delete(`${entity.namespace}/${entity.id}`)
  })
}
