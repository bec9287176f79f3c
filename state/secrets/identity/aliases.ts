import { bool, int, list, map, name, nullable, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { InNamespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import type { Entity } from './entities.ts'

/**
 * Name of an entity at one login method (behaviour/secrets#identity). Timestamps are in
 * milliseconds since 1970.
 */
const aliasShape = struct({
  id: name,
  /** Namespace id. */
  namespace: text,
  name,
  /** Id of the entity. */
  canonical_id: text,
  mount_accessor: text,
  /** Metadata that the login method set at the last login. */
  metadata: nullable(map(text)),
  /** Metadata that callers set through the API. */
  custom_metadata: nullable(map(text)),
  /** True if the mount is local to a cluster. */
  local: bool,
  /**
   * Ids of the entities to which the alias belonged before these entities were merged into another.
   */
  merged_from_canonical_ids: list(text),
  creation_time: int,
  last_update_time: int,
})
export interface Alias extends StoredOf<typeof aliasShape> {}

/** Aliases by `<namespace id>/<id>`. */
export const aliases = secretsTable('identity-aliases', aliasShape, {
  secrets: 'none',
  indexes: {
    byFactors: ({ mount_accessor, name }) => factorsKey(mount_accessor, name),
    byEntity: ({ canonical_id, id }) => `${canonical_id}/${id}`,
  },
})

/**
 * Returns the key of an alias in the index `byFactors`. The key contains the name in lower case,
 * because names are unique within a login method regardless of case.
 */
export function factorsKey(accessor: string, name: string): string {
  return `${accessor}/${name.toLowerCase()}`
}

export function findAlias(world: World, namespace: InNamespace, id: string): Alias | undefined {
  return world.table(aliases).get(`${namespace.id}/${id}`)
}

/**
 * Finds an alias by the accessor of its login method and its case-insensitive name. Returns
 * undefined if there is no such alias.
 */
export function aliasNamed(world: World, accessor: string, name: string): Alias | undefined {
  return world.table(aliases).index('byFactors').get(factorsKey(accessor, name))
}

/** Returns the aliases of a namespace, sorted by id. */
export function aliasesIn(world: World, namespace: InNamespace): Alias[] {
  return [...world.table(aliases).rows(`${namespace.id}/`)]
}

/** Returns the aliases of an entity, oldest first. */
export function aliasesOf(world: World, entity: Pick<Entity, 'id'>): Alias[] {
  return [...world.table(aliases).index('byEntity').rows(`${entity.id}/`)].sort(
    (a, b) => a.creation_time - b.creation_time,
  )
}

/**
 * Returns the alias of an entity at the login method with this accessor; undefined if the entity
 * has no alias there. An entity has at most one alias per method.
 */
export function aliasAt(
  world: World,
  entity: Pick<Entity, 'id'>,
  accessor: string,
): Alias | undefined {
  return aliasesOf(world, entity).find(({ mount_accessor }) => mount_accessor === accessor)
}

/** Builds an alias without metadata. Does not store the alias. */
export function newAlias(
  world: World,
  entity: Pick<Entity, 'id' | 'namespace'>,
  mount: { readonly accessor: string; readonly local: boolean },
  name: string,
): Alias {
  const now = world.clock.now()
  return {
    id: world.ids.uuid(),
    namespace: entity.namespace,
    name,
    canonical_id: entity.id,
    mount_accessor: mount.accessor,
    metadata: null,
    custom_metadata: null,
    local: mount.local,
    merged_from_canonical_ids: [],
    creation_time: now,
    last_update_time: now,
  }
}

export function putAlias(world: World, alias: Alias): Alias {
  world.write(() => world.table(aliases).put(`${alias.namespace}/${alias.id}`, alias))
  return alias
}

export function removeAlias(
  world: World,
  { namespace, id }: Pick<Alias, 'namespace' | 'id'>,
): void {
  world.write(() => world.table(aliases).delete(`${namespace}/${id}`))
}

/**
 * Deletes all aliases at a login method. Called when the method is disabled; the entities stay
 * (behaviour/secrets#identity).
 */
export function removeAliasesAt(world: World, accessor: string): void {
  for (const alias of [...world.table(aliases).index('byFactors').rows(`${accessor}/`)]) {
    removeAlias(world, alias)
  }
}
