import type { World } from '../../kernel/worlds/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { type Alias, aliasNamed, findAlias } from './aliases.ts'
import { type Entity, findEntity, findEntityByName } from './entities.ts'
import { type AliasedGroup, findGroupAlias, groupAliasNamed } from './group-aliases.ts'
import { findGroup, findGroupByName, type Group } from './groups.ts'
import { refuse } from './messages.ts'

/**
 * Criterion of a lookup: `id`, `name`, `alias_id`, or `alias_name` and `alias_mount_accessor`
 * together.
 */
export interface IdentityQuery {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly alias_id?: string | undefined
  readonly alias_name?: string | undefined
  readonly alias_mount_accessor?: string | undefined
}

/** Functions that find one kind of object, by criterion. */
interface LookupFunctions<Item> {
  id(id: string): Item | undefined
  name(name: string): Item | undefined
  aliasId(id: string): Item | undefined
  alias(accessor: string, name: string): Item | undefined
}

function lookUp<Item>(query: IdentityQuery, by: LookupFunctions<Item>): Item | undefined {
  checkQuery(query)
  const { id, name, alias_id: aliasId, alias_name: alias, alias_mount_accessor: accessor } = query
  if (id) return by.id(id)
  if (name) return by.name(name)
  return aliasId ? by.aliasId(aliasId) : by.alias(accessor ?? '', alias ?? '')
}

/**
 * Finds an entity by one criterion (behaviour/secrets#entities).
 * @returns undefined if no entity matches
 * @throws Refusal unless the query has exactly one complete criterion
 */
export function lookUpEntity(
  world: World,
  namespace: Namespace,
  query: IdentityQuery,
): Entity | undefined {
  const entityOfAlias = (alias: Alias | undefined) =>
    alias && findEntity(world, namespace, alias.canonical_id)
  return lookUp(query, {
    id: (id) => findEntity(world, namespace, id),
    name: (name) => findEntityByName(world, namespace, name),
    aliasId: (id) => entityOfAlias(findAlias(world, namespace, id)),
    alias: (accessor, name) => entityOfAlias(aliasNamed(world, accessor, name)),
  })
}

/**
 * Finds a group by one criterion (behaviour/secrets#groups).
 * @returns undefined if no group matches
 * @throws Refusal unless the query has exactly one complete criterion
 */
export function lookUpGroup(
  world: World,
  namespace: Namespace,
  query: IdentityQuery,
): Group | undefined {
  const groupOfAlias = (found: AliasedGroup | undefined) =>
    found?.group.namespace === namespace.id ? found.group : undefined
  return lookUp(query, {
    id: (id) => findGroup(world, namespace, id),
    name: (name) => findGroupByName(world, namespace, name),
    aliasId: (id) => groupOfAlias(findGroupAlias(world, namespace, id)),
    alias: (accessor, name) => groupOfAlias(groupAliasNamed(world, accessor, name)),
  })
}

function checkQuery(query: IdentityQuery): void {
  const { alias_name: name, alias_mount_accessor: accessor } = query
  const count = Object.values(query).filter((value) => value !== undefined).length
  if (count === 0) throw refuse('lookup-empty')
  if (count > 1 && !(count === 2 && name && accessor)) throw refuse('lookup-conflict')
  if (count === 1 && (name || accessor)) throw refuse('lookup-half')
}
