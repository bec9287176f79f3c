import { bool, int, list, map, name, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { InNamespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import { unusedName } from './names.ts'

/**
 * A user or machine that logs in by one or more methods (behaviour/secrets#identity). Instants are
 * in milliseconds since 1970.
 */
const entityShape = struct({
  id: name,
  /** Namespace id. */
  namespace: text,
  /** The name in the spelling of the request; unique regardless of case. */
  name,
  metadata: nullable(map(text)),
  /** Policy names, sorted and without duplicates. */
  policies: list(text),
  disabled: bool,
  /** Ids of the entities that were merged into this one, which now owns their tokens. */
  merged_entity_ids: list(text),
  creation_time: int,
  last_update_time: int,
})
export interface Entity extends StoredOf<typeof entityShape> {}

/** Entities by `<namespace id>/<id>`. */
export const entities = secretsTable('identity-entities', entityShape, {
  secrets: 'none',
  indexes: {
    byId: ({ id }) => id,
    byName: ({ namespace, name }) => nameKey(namespace, name),
    byMerged: ({ merged_entity_ids }) => merged_entity_ids,
  },
})

/** Returns the index key for a name in a namespace; names are case-insensitive. */
export function nameKey(namespaceId: string, name: string): string {
  return `${namespaceId}/${name.toLowerCase()}`
}

/** Returns an entity of a namespace by its id. */
export function findEntity(world: World, namespace: InNamespace, id: string): Entity | undefined {
  return world.table(entities).get(`${namespace.id}/${id}`)
}

/** Returns an entity of a namespace by its case-insensitive name. */
export function findEntityByName(
  world: World,
  namespace: InNamespace,
  name: string,
): Entity | undefined {
  return world.table(entities).index('byName').get(nameKey(namespace.id, name))
}

/** Returns the entities of a namespace, in order of id. */
export function entitiesIn(world: World, namespace: InNamespace): Entity[] {
  return [...world.table(entities).rows(`${namespace.id}/`)]
}

/**
 * Returns the entity that a token's entity id refers to, in any namespace; for a merged entity, the
 * one it was merged into.
 */
export function entityOfId(world: World, id: string): Entity | undefined {
  const table = world.table(entities)
  return table.index('byId').get(id) ?? table.index('byMerged').get(id)
}

/** Returns the number of entities in all namespaces. */
export function countEntities(world: World): number {
  return world.table(entities).size
}

/** Builds an empty entity, under the given name or a generated one, without storing it. */
export function newEntity(world: World, namespace: InNamespace, name = ''): Entity {
  const now = world.clock.now()
  return {
    id: world.ids.uuid(),
    namespace: namespace.id,
    name: name || unusedName(world, 'entity', (made) => findEntityByName(world, namespace, made)),
    metadata: null,
    policies: [],
    disabled: false,
    merged_entity_ids: [],
    creation_time: now,
    last_update_time: now,
  }
}

/** Stores a new or changed entity. */
export function putEntity(world: World, entity: Entity): Entity {
  world.write(() => world.table(entities).put(`${entity.namespace}/${entity.id}`, entity))
  return entity
}
