import type { World } from '../../kernel/worlds/world.ts'
import { type Entity, entityOfId } from './entities.ts'
import { type Group, groupsOf, withAncestors } from './groups.ts'
import { sanitizeNames } from './names.ts'

/** The members of a token that identify its owner. */
export interface TokenIdentity {
  readonly entity_id: string
  /** Namespace id. */
  readonly namespace: string
}

/** Returns the entity of a token; undefined if it has none or the entity was deleted. */
export function entityOf(world: World, { entity_id }: TokenIdentity): Entity | undefined {
  return entity_id === '' ? undefined : entityOfId(world, entity_id)
}

/** Returns whether a token is unusable because its entity is disabled or deleted. */
export function isEntityDisabled(world: World, token: TokenIdentity): boolean {
  return token.entity_id !== '' && (entityOf(world, token)?.disabled ?? true)
}

/** Returns the groups of an entity: first its direct groups, then their ancestors. */
export function allGroups(world: World, { id }: Entity): Group[] {
  return withAncestors(world, groupsOf(world, id))
}

/** Policy names by namespace id. */
export type PoliciesByNamespace = ReadonlyMap<string, readonly string[]>

/**
 * Returns the current policies of a token's entity (behaviour/secrets#identity): first the entity's
 * own, then those of its groups. Undefined for a token without an entity.
 */
export function identityPolicies(
  world: World,
  token: TokenIdentity,
): PoliciesByNamespace | undefined {
  const entity = entityOf(world, token)
  if (entity === undefined) return undefined
  const names = new Map<string, string[]>([[entity.namespace, entity.policies.slice()]])
  for (const { namespace, policies } of allGroups(world, entity)) {
    names.set(namespace, [...(names.get(namespace) ?? []), ...policies])
  }
  return new Map(Array.from(names, ([namespace, policies]) => [namespace, sanitizeNames(policies)]))
}

/** Returns the entity's policies in the token's own namespace. */
export function namespaceIdentityPolicies(world: World, token: TokenIdentity): readonly string[] {
  return identityPolicies(world, token)?.get(token.namespace) ?? []
}
