import type { World } from '../../kernel/world.ts'
import { type Entity, entityOfId } from './entities.ts'
import { sanitized } from './names.ts'

/** Whose a token is: as much of it as says so. */
export interface Bearer {
  readonly entity_id: string
  /** Namespace id. */
  readonly namespace: string
}

/** The entity that a token belongs to; undefined for one of nobody, or of somebody who is gone. */
export function entityOf(world: World, { entity_id }: Bearer): Entity | undefined {
  return entity_id === '' ? undefined : entityOfId(world, entity_id)
}

/** Tells whether nobody may use a token any more: its entity is disabled, or gone. */
export function isBarred(world: World, bearer: Bearer): boolean {
  return bearer.entity_id !== '' && (entityOf(world, bearer)?.disabled ?? true)
}

/** Names of policies by the id of the namespace that they are in. */
export type PoliciesByNamespace = ReadonlyMap<string, readonly string[]>

/**
 * The policies that a token has by its entity, as they are now (behaviour/secrets#identity): the
 * entity's own first. Undefined for a token without one.
 */
export function identityPolicies(world: World, bearer: Bearer): PoliciesByNamespace | undefined {
  const entity = entityOf(world, bearer)
  if (entity === undefined) return undefined
  return new Map([[entity.namespace, sanitized(entity.policies)]])
}

/** The same in the token's own namespace alone. */
export function ownIdentityPolicies(world: World, bearer: Bearer): readonly string[] {
  return identityPolicies(world, bearer)?.get(bearer.namespace) ?? []
}
