import type { World } from '../../kernel/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { aliasNamed, findAlias } from './aliases.ts'
import { type Entity, findEntity, findEntityByName } from './entities.ts'
import { findGroupAlias, groupAliasNamed } from './group-aliases.ts'
import { findGroup, findGroupByName, type Group } from './groups.ts'
import { refuse } from './texts.ts'

/** What a look-up asks by: one of these, or the last two together. */
export interface IdentityQuery {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly alias_id?: string | undefined
  readonly alias_name?: string | undefined
  readonly alias_mount_accessor?: string | undefined
}

/** Finds an entity by one of its marks (behaviour/secrets#entities). */
export function lookUpEntity(
  world: World,
  namespace: Namespace,
  query: IdentityQuery,
): Entity | undefined {
  checkQuery(query)
  const { id, name, alias_id: aliasId, alias_name: alias, alias_mount_accessor: accessor } = query
  if (id) return findEntity(world, namespace, id)
  if (name) return findEntityByName(world, namespace, name)
  const found = aliasId
    ? findAlias(world, namespace, aliasId)
    : aliasNamed(world, accessor ?? '', alias ?? '')
  return found && findEntity(world, namespace, found.canonical_id)
}

/** Finds a group by one of its marks (behaviour/secrets#groups). */
export function lookUpGroup(
  world: World,
  namespace: Namespace,
  query: IdentityQuery,
): Group | undefined {
  checkQuery(query)
  const { id, name, alias_id: aliasId, alias_name: alias, alias_mount_accessor: accessor } = query
  if (id) return findGroup(world, namespace, id)
  if (name) return findGroupByName(world, namespace, name)
  const found = aliasId
    ? findGroupAlias(world, namespace, aliasId)
    : groupAliasNamed(world, accessor ?? '', alias ?? '')
  return found?.group.namespace === namespace.id ? found.group : undefined
}

function checkQuery(query: IdentityQuery): void {
  const { alias_name: name, alias_mount_accessor: accessor } = query
  const count = Object.values(query).filter((value) => value !== undefined).length
  if (count === 0) throw refuse('lookup-empty')
  if (count > 1 && !(count === 2 && name && accessor)) throw refuse('lookup-conflict')
  if (count === 1 && (name || accessor)) throw refuse('lookup-half')
}
