import { quoteGo } from '../../go/text.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { customMetadataProblems } from '../kv/v2-metadata.ts'
import { mountByAccessor } from '../mounts/mounts.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { type Alias, aliasAt, aliasNamed, findAlias, newAlias, putAlias } from './aliases.ts'
import { findEntity, newEntity, putEntity } from './entities.ts'
import { refuse } from './messages.ts'
import type { IdentityMetadata } from './metadata.ts'

export interface AliasChange {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly mount_accessor?: string | undefined
  /** Id of the entity. */
  readonly canonical_id?: string | undefined
  /** Old name of `canonical_id`. */
  readonly entity_id?: string | undefined
  readonly custom_metadata?: IdentityMetadata | undefined
}

/**
 * Creates an alias, or changes the alias with the given id or with the given accessor and name
 * (behaviour/secrets#aliases). Creates an entity for a new alias if the request names no entity.
 *
 * @returns undefined if nothing changes
 * @throws Refusal if a check fails; the checks run in the reference's order
 */
export function writeAlias(
  world: World,
  namespace: Namespace,
  change: AliasChange,
): Alias | undefined {
  const { id = '', name = '', mount_accessor: accessor = '', custom_metadata: custom } = change
  const entityId = change.canonical_id || change.entity_id || ''
  const problems = customMetadataProblems(custom ?? {})
  if (problems !== undefined) throw refuse('alias-custom-metadata-invalid', { problems })
  if (id !== '') {
    const existing = findAlias(world, namespace, id)
    if (existing === undefined) throw refuse('alias-id-unknown')
    return updateAlias(world, namespace, existing, {
      name: name || existing.name,
      mount_accessor: accessor || existing.mount_accessor,
      canonical_id: entityId || existing.canonical_id,
      custom_metadata: custom ?? existing.custom_metadata,
    })
  }
  if (accessor === '' || name === '') throw refuse('alias-factors-missing')
  const mount = mountByAccessor(world, accessor)
  if (mount === undefined) throw refuse('mount-accessor-unknown', { accessor: quoteGo(accessor) })
  if (mount.namespace !== namespace.id) throw refuse('alias-foreign-mount')
  const existingAlias = aliasNamed(world, accessor, name)
  if (existingAlias !== undefined) {
    return updateAlias(world, namespace, existingAlias, {
      name,
      mount_accessor: accessor,
      canonical_id: entityId || existingAlias.canonical_id,
      custom_metadata: custom ?? {},
    })
  }
  const entity = entityId === '' ? undefined : findEntity(world, namespace, entityId)
  if (entityId !== '' && entity === undefined) throw refuse('alias-entity-invalid')
  if (entity !== undefined && aliasAt(world, entity, accessor) !== undefined) {
    throw refuse('alias-exists')
  }
  return world.write(() => {
    const owner = entity ?? putEntity(world, newEntity(world, namespace))
    return putAlias(world, {
      ...newAlias(world, owner, mount, name),
      custom_metadata: custom ?? {},
    })
  })
}

type AliasProperties = Pick<Alias, 'name' | 'mount_accessor' | 'canonical_id' | 'custom_metadata'>

function updateAlias(world: World, namespace: Namespace, before: Alias, after: AliasProperties) {
  const { mount_accessor: accessor, canonical_id: entityId } = after
  const isRenamed = after.name !== before.name || accessor !== before.mount_accessor
  const isMoved = entityId !== before.canonical_id
  const isSame = isSameMap(before.custom_metadata, after.custom_metadata)
  if (!isRenamed && !isMoved && isSame) return undefined
  if (accessor !== before.mount_accessor && !isMoved) {
    const other = aliasAt(world, { id: before.canonical_id }, accessor)
    if (other !== undefined) throw refuse('alias-accessor-taken')
  }
  const mount = mountByAccessor(world, accessor)
  if (isRenamed) {
    if (mount === undefined) throw refuse('mount-accessor-unknown', { accessor: quoteGo(accessor) })
    if (mount.namespace !== namespace.id) throw refuse('alias-foreign-accessor')
    const other = aliasNamed(world, accessor, after.name)
    if (other !== undefined && other.id !== before.id) throw refuse('alias-taken')
  }
  if (isMoved) {
    if (mount?.local === true) throw refuse('alias-local-stays')
    const entity = findEntity(world, namespace, entityId)
    if (entity === undefined) throw refuse('alias-entity-unknown')
    if (aliasAt(world, entity, accessor) !== undefined) throw refuse('alias-entity-has-one')
  }
  return putAlias(world, { ...before, ...after, last_update_time: world.clock.now() })
}

function isSameMap(before: IdentityMetadata | null, after: IdentityMetadata | null): boolean {
  const entries = Object.entries(after ?? {})
  return (
    Object.keys(before ?? {}).length === entries.length &&
    entries.every(([key, value]) => before?.[key] === value)
  )
}
