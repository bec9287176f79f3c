import type { World } from '../../kernel/worlds/world.ts'
import { dropPolicy, policiesIn } from './policies.ts'
import { dropRole, rolesIn } from './roles.ts'
import { aclTokens, namespacePrefix } from './tables.ts'
import { dropToken } from './tokens.ts'

/**
 * Deletes one kind of a namespace's ACL data: its tokens, or if there are none its roles, or else
 * its policies (behaviour/mesh#removal). The background removal calls this until it returns false.
 *
 * @returns whether anything was deleted
 */
export function removeAclData(world: World, namespace: string): boolean {
  return [removeTokens, removeRoles, removePolicies].some((remove) => remove(world, namespace) > 0)
}

function removeTokens(world: World, namespace: string): number {
  // Expired tokens are deleted as well.
  const tokens = world.table(aclTokens).index('byPlace').rows(namespacePrefix(namespace))
  return removeEach(world, Array.from(tokens), dropToken)
}

function removeRoles(world: World, namespace: string): number {
  return removeEach(world, rolesIn(world, namespace), dropRole)
}

function removePolicies(world: World, namespace: string): number {
  return removeEach(world, policiesIn(world, namespace), dropPolicy)
}

function removeEach<R>(
  world: World,
  rows: readonly R[],
  drop: (world: World, row: R) => void,
): number {
  world.write(() => {
    for (const row of rows) drop(world, row)
  })
  return rows.length
}
