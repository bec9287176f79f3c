import type { World } from '../../kernel/worlds/world.ts'
import { type Entity, entityOfId } from './entities.ts'
import { type Group, groupsOf, withAncestors } from './groups.ts'
import { sanitizeNames, sortedUnique } from './names.ts'

/** The members of a token that identify its owner. */
interface TokenIdentity {
  readonly entity_id: string
  /** Namespace id. */
  readonly namespace: string
  /** Present in OIDC access tokens, to which the entity's policies do not apply. */
  readonly oidc_access?: object | undefined
}

/**
 * Returns the entity of a token; undefined if the token has no entity or the entity was deleted.
 */
export function entityOf(world: World, { entity_id }: TokenIdentity): Entity | undefined {
  return entity_id === '' ? undefined : entityOfId(world, entity_id)
}

/** Returns true if the token's entity is disabled or deleted. Such a token is refused. */
export function isEntityDisabled(world: World, token: TokenIdentity): boolean {
  return token.entity_id !== '' && (entityOf(world, token)?.disabled ?? true)
}

/** Returns all groups of an entity: its direct groups, followed by their ancestors. */
export function allGroups(world: World, { id }: Entity): Group[] {
  return withAncestors(world, groupsOf(world, id))
}

type PoliciesByNamespace = ReadonlyMap<string, readonly string[]>

/**
 * Returns the current policies of a token's entity as look-ups return them
 * (behaviour/secrets#identity). In each namespace, the entity's own policies come first, followed
 * by the sorted policies of its groups. A policy that both the entity and a group have appears
 * twice. Namespaces without policies are left out. The result is empty for a token without an
 * entity and for an access token of an OIDC provider.
 */
export function listedIdentityPolicies(world: World, token: TokenIdentity): PoliciesByNamespace {
  const entity = entityOf(world, token)
  if (entity === undefined || token.oidc_access !== undefined) return new Map()
  const groupPolicies = new Map<string, string[]>()
  for (const { namespace, policies } of allGroups(world, entity)) {
    groupPolicies.set(namespace, [...(groupPolicies.get(namespace) ?? []), ...policies])
  }
  const policiesByNamespace = new Map<string, readonly string[]>([
    [entity.namespace, entity.policies],
  ])
  for (const [namespace, policies] of groupPolicies) {
    policiesByNamespace.set(namespace, [
      ...(policiesByNamespace.get(namespace) ?? []),
      ...sortedUnique(policies),
    ])
  }
  return new Map([...policiesByNamespace].filter(([, policies]) => policies.length > 0))
}

/** Returns the effective policies of a token's entity and its groups, without duplicates. */
export function identityPolicies(world: World, token: TokenIdentity): PoliciesByNamespace {
  const policiesByNamespace = listedIdentityPolicies(world, token)
  return new Map(
    Array.from(policiesByNamespace, ([namespace, policies]) => [
      namespace,
      sanitizeNames(policies),
    ]),
  )
}

/** Returns the effective policies of a token's entity in the token's namespace. */
export function namespaceIdentityPolicies(world: World, token: TokenIdentity): readonly string[] {
  return identityPolicies(world, token).get(token.namespace) ?? []
}
