import { bool, int, list, map, name, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'

/** Somebody who logs in, by whichever methods (behaviour/secrets#identity). Instants in milliseconds. */
const entityShape = struct({
  id: name,
  /** Namespace id. */
  namespace: text,
  /** In the letters in which it was written; those of others differ in more than capitals. */
  name,
  metadata: nullable(map(text)),
  /** Sorted, each once. */
  policies: list(text),
  disabled: bool,
  /** Entities that became part of this one: their tokens are its own now. */
  merged_entity_ids: list(text),
  creation_time: int,
  last_update_time: int,
})
export interface Entity extends StoredOf<typeof entityShape> {}

/** By `<namespace id>/<id>`. */
export const entities = defineTable({
  service: 'secrets',
  name: 'identity-entities',
  shape: entityShape,
  indexes: {
    byId: ({ id }) => id,
    byName: ({ namespace, name }) => nameKey(namespace, name),
    byMerged: ({ merged_entity_ids }) => merged_entity_ids,
  },
})

/** The key of a name in a namespace: capitals tell no two names apart. */
export function nameKey(namespaceId: string, name: string): string {
  return `${namespaceId}/${name.toLowerCase()}`
}

/** An entity of a namespace by its id. */
export function findEntity(
  world: World,
  namespace: Pick<Namespace, 'id'>,
  id: string,
): Entity | undefined {
  return world.table(entities).get(`${namespace.id}/${id}`)
}

/** An entity of a namespace by its name in any case of letters. */
export function findEntityByName(
  world: World,
  namespace: Pick<Namespace, 'id'>,
  name: string,
): Entity | undefined {
  return world.table(entities).index('byName').get(nameKey(namespace.id, name))
}

/** The entities of a namespace, in order of id. */
export function entitiesIn(world: World, namespace: Pick<Namespace, 'id'>): Entity[] {
  return [...world.table(entities).rows(`${namespace.id}/`)]
}

/** The entity that a token's id of one means: of any namespace, and the one that it was merged into. */
export function entityOfId(world: World, id: string): Entity | undefined {
  const table = world.table(entities)
  return table.index('byId').get(id) ?? table.index('byMerged').get(id)
}

/** The entities of all namespaces. */
export function countEntities(world: World): number {
  return world.table(entities).size
}

/** An entity that says nothing, under a name of its own or one made up; not yet in the table. */
export function newEntity(world: World, namespace: Pick<Namespace, 'id'>, name = ''): Entity {
  const now = world.clock.now()
  return {
    id: world.ids.uuid(),
    namespace: namespace.id,
    name: name || generateName(world, namespace),
    metadata: null,
    policies: [],
    disabled: false,
    merged_entity_ids: [],
    creation_time: now,
    last_update_time: now,
  }
}

function generateName(world: World, namespace: Pick<Namespace, 'id'>): string {
  for (;;) {
    const name = `entity_${world.ids.hex(8)}`
    if (findEntityByName(world, namespace, name) === undefined) return name
  }
}

/** Puts an entity into the table, or changes it there. */
export function putEntity(world: World, entity: Entity): Entity {
  world.write(() => world.table(entities).put(`${entity.namespace}/${entity.id}`, entity))
  return entity
}
