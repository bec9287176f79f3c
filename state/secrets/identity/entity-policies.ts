import type { World } from '../../kernel/worlds/world.ts'
import { type Entity, entityOfId } from './entities.ts'
import { type Group, groupsOf, withAncestors } from './groups.ts'
import { sanitizeNames } from './names.ts'

/** Whose a token is: as much of it as says so. */
export interface TokenIdentity {
  readonly entity_id: string
  /** Namespace id. */
  readonly namespace: string
}

/** The entity that a token belongs to; undefined for one of nobody, or of somebody who is gone. */
export function entityOf(world: World, { entity_id }: TokenIdentity): Entity | undefined {
  return entity_id === '' ? undefined : entityOfId(world, entity_id)
}

/** Tells whether nobody may use a token any more: its entity is disabled, or gone. */
export function isEntityDisabled(world: World, token: TokenIdentity): boolean {
  return token.entity_id !== '' && (entityOf(world, token)?.disabled ?? true)
}

/** The groups of an entity, those first that it is a member of itself, then those that have these. */
export function allGroups(world: World, { id }: Entity): Group[] {
  return withAncestors(world, groupsOf(world, id))
}

/** Names of policies by the id of the namespace that they are in. */
export type PoliciesByNamespace = ReadonlyMap<string, readonly string[]>

/**
 * The policies that a token has by its entity, as they are now (behaviour/secrets#identity): the
 * entity's own first, then those of its groups. Undefined for a token without one.
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

/** The same in the token's own namespace alone. */
export function namespaceIdentityPolicies(world: World, token: TokenIdentity): readonly string[] {
  return identityPolicies(world, token)?.get(token.namespace) ?? []
}
