import { bool, int, list, map, name, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { InNamespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import { unusedName } from './names.ts'

/**
 * A user or machine that logs in by one or more methods (behaviour/secrets#identity). Timestamps
 * are in milliseconds since 1970.
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
  /** Ids of the entities that were merged into this entity, which now owns their tokens. */
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

/**
 * Returns the key of a name in the index `byName`. The key contains the name in lower case, because
 * names are unique within a namespace regardless of case.
 */
export function nameKey(namespaceId: string, name: string): string {
  return `${namespaceId}/${name.toLowerCase()}`
}

export function findEntity(world: World, namespace: InNamespace, id: string): Entity | undefined {
  return world.table(entities).get(`${namespace.id}/${id}`)
}

/** Finds an entity by its name, ignoring case. Returns undefined for an unknown name. */
export function findEntityByName(
  world: World,
  namespace: InNamespace,
  name: string,
): Entity | undefined {
  return world.table(entities).index('byName').get(nameKey(namespace.id, name))
}

/** Returns the entities of a namespace, sorted by id. */
export function entitiesIn(world: World, namespace: InNamespace): Entity[] {
  return [...world.table(entities).rows(`${namespace.id}/`)]
}

/**
 * Finds an entity by its id, in any namespace. For the id of an entity that was merged into another
 * entity, returns that other entity. Returns undefined for an unknown or deleted entity.
 */
export function entityOfId(world: World, id: string): Entity | undefined {
  const table = world.table(entities)
  return table.index('byId').get(id) ?? table.index('byMerged').get(id)
}

/** Counts the entities of all namespaces. */
export function countEntities(world: World): number {
  return world.table(entities).size
}

/**
 * Builds an entity without metadata and policies. Does not store the entity.
 * @param name name of the entity; if empty, a name is generated
 */
export function newEntity(world: World, namespace: InNamespace, name = ''): Entity {
  const now = world.clock.now()
  return {
    id: world.ids.uuid(),
    namespace: namespace.id,
    name:
      name ||
      unusedName(world, 'entity', (generatedName) =>
        findEntityByName(world, namespace, generatedName),
      ),
    metadata: null,
    policies: [],
    disabled: false,
    merged_entity_ids: [],
    creation_time: now,
    last_update_time: now,
  }
}

export function putEntity(world: World, entity: Entity): Entity {
  world.write(() => world.table(entities).put(`${entity.namespace}/${entity.id}`, entity))
  return entity
}
