import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { errorList } from '../common-messages.ts'
import { findSecret, putSecret, removeSecretsOf, secretsOf } from '../mfa/secrets.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { type Alias, aliasAt, aliasesOf, putAlias, removeAlias } from './aliases.ts'
import {
  type Entity,
  entities,
  findEntity,
  findEntityByName,
  newEntity,
  putEntity,
} from './entities.ts'
import { groupsOf, putGroup } from './groups.ts'
import { message, refuse } from './messages.ts'
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

interface WrittenEntity {
  readonly entity: Entity
  readonly isNew: boolean
}

/**
 * Creates an entity, or changes the entity with the given id or case-insensitive name
 * (behaviour/secrets#entities).
 *
 * @throws Refusal `invalid` for an unknown id, a name in use, the policy `root`, and metadata
 * beyond the limits
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

/**
 * Deletes entities with their aliases, group memberships and second-factor secrets. Ignores unknown
 * ids.
 * @throws Refusal if `ids` is empty
 */
export function deleteEntities(world: World, namespace: Namespace, ids: readonly string[]): void {
  if (ids.length === 0) throw refuse('entity-ids-missing')
  for (const id of ids) {
    const entity = findEntity(world, namespace, id)
    if (entity !== undefined) removeEntity(world, entity)
  }
}

/** Deletes an entity with its aliases, group memberships and secrets of second factors. */
export function removeEntity(world: World, entity: Entity): void {
  world.write(() => {
    for (const alias of aliasesOf(world, entity)) removeAlias(world, alias)
    for (const group of groupsOf(world, entity.id)) {
      const member_entity_ids = group.member_entity_ids?.filter((id) => id !== entity.id) ?? null
      putGroup(world, { ...group, member_entity_ids })
    }
    removeSecretsOf(world, { entity: entity.id })
    world.table(entities).delete(`${entity.namespace}/${entity.id}`)
  })
}

interface MergeRequest {
  readonly to_entity_id?: string | undefined
  readonly from_entity_ids?: readonly string[] | undefined
  /** Ids of the aliases to keep where source and target both have an alias at the same method. */
  readonly conflicting_alias_ids_to_keep?: readonly string[] | undefined
  /**
   * Whether the second-factor secrets of a source replace the target's secrets for the same method.
   */
  readonly force?: boolean | undefined
}

/**
 * Merges entities into a target entity (behaviour/secrets#merge). The target takes over the
 * aliases, memberships, second-factor secrets and tokens of the source entities, but not their
 * policies. The source entities are deleted.
 *
 * @throws Refusal for missing or unknown entities, for a source that is the target, and for several
 * aliases to keep if there are several sources. Also throws a refusal for conflicts between aliases
 * or secrets that the request does not resolve.
 */
export function mergeEntities(world: World, namespace: Namespace, request: MergeRequest): void {
  const { to_entity_id: toId = '', from_entity_ids: requested = [] } = request
  const { conflicting_alias_ids_to_keep: keptAliasIds = [], force = false } = request
  if (toId === '') throw refuse('merge-target-missing')
  if (requested.length === 0) throw refuse('merge-sources-missing')
  const target = findEntity(world, namespace, toId)
  if (target === undefined) throw refuse('merge-target-unknown')
  if (requested.length > 1 && keptAliasIds.length > 1) throw refuse('merge-one-at-a-time')
  const sources = sortedUnique(requested).map((id) => {
    if (id === target.id) throw refuse('merge-into-itself')
    const source = findEntity(world, namespace, id)
    if (source === undefined) throw refuse('merge-source-unknown')
    return source
  })
  world.write(() => {
    for (const source of sources) moveSecrets(world, target, source, force)
    checkAliases(world, target, sources, keptAliasIds)
    let merged = target
    for (const source of sources) merged = mergeEntity(world, merged, source, keptAliasIds)
    putEntity(world, merged)
  })
}

/**
 * Checks that the target will have at most one alias per login method.
 * @throws Refusal for source entities with aliases at the same method, and for conflicts with
 *   aliases of the target that the request does not resolve
 */
function checkAliases(
  world: World,
  target: Entity,
  sources: readonly Entity[],
  keptAliasIds: readonly string[],
): void {
  const seen = new Set<string>()
  const clashes: Message[] = []
  for (const source of sources) {
    for (const { id: fromAlias, mount_accessor: accessor } of aliasesOf(world, source)) {
      if (seen.has(accessor)) throw refuse('merge-accessor-repeated', { accessor })
      seen.add(accessor)
      const toAlias = aliasAt(world, target, accessor)?.id
      if (toAlias === undefined) continue
      if (keptAliasIds.length === 0) {
        const ids = { accessor, to: target.id, from: source.id, toAlias, fromAlias }
        clashes.push(message('merge-clash', ids))
      } else if (!keptAliasIds.includes(toAlias) && !keptAliasIds.includes(fromAlias)) {
        throw refuse('merge-clash-undecided', { fromAlias, toAlias })
      }
    }
  }
  if (clashes.length === 0) return
  throw refuse('merge-clashes', { clashes: errorList([message('merge-clashes-head'), ...clashes]) })
}

/**
 * Copies the second-factor secrets of a source entity to the target. `removeEntity` deletes the
 * originals later.
 * @throws Refusal if both have a secret for the same method, unless `force` is set
 */
function moveSecrets(world: World, to: Entity, source: Entity, force: boolean): void {
  for (const secret of secretsOf(world, source.id)) {
    const { method } = secret
    if (!force && findSecret(world, to.id, method) !== undefined) {
      throw refuse('merge-secrets-clash', { method: quoteGo(method), entity: quoteGo(source.id) })
    }
    putSecret(world, { ...secret, entity: to.id })
  }
}

function mergeEntity(world: World, to: Entity, source: Entity, keptAliasIds: readonly string[]) {
  for (const alias of aliasesOf(world, source)) moveAlias(world, to, alias, keptAliasIds)
  for (const group of groupsOf(world, source.id)) {
    const members = group.member_entity_ids ?? []
    const others = members.filter((id) => id !== source.id && id !== to.id)
    putGroup(world, { ...group, member_entity_ids: [...others, to.id] })
  }
  removeEntity(world, source)
  const merged_entity_ids = [...to.merged_entity_ids, ...source.merged_entity_ids, source.id]
  return { ...to, merged_entity_ids }
}

function moveAlias(world: World, to: Entity, alias: Alias, keptAliasIds: readonly string[]): void {
  const existing = aliasAt(world, to, alias.mount_accessor)
  if (existing !== undefined) {
    const keepsExisting = keptAliasIds.includes(existing.id)
    removeAlias(world, keepsExisting ? alias : existing)
    if (keepsExisting) return
  }
  putAlias(world, {
    ...alias,
    canonical_id: to.id,
    merged_from_canonical_ids: [...alias.merged_from_canonical_ids, alias.canonical_id],
  })
}
