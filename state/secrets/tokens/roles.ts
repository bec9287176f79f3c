import { compareBytewise } from '../../json/json.ts'
import { bool, list, text, uint, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/** The token type of a role: a fixed type, or a default that the caller may override. */
export type RoleTokenType = 'service' | 'batch' | 'default-service' | 'default-batch'

/** Settings of the tokens that `auth/token/create/<role>` creates. TTLs and periods in seconds. */
const tokenRoleShape = struct({
  name: text,
  allowed_policies: list(text),
  allowed_policies_glob: list(text),
  disallowed_policies: list(text),
  disallowed_policies_glob: list(text),
  orphan: bool,
  renewable: bool,
  /** Last part of the path of the role's tokens, so that they can be revoked by prefix. */
  path_suffix: text,
  token_type: word('service', 'batch', 'default-service', 'default-batch'),
  period: uint,
  explicit_max_ttl: uint,
  no_default_policy: bool,
  num_uses: uint,
  bound_cidrs: list(text),
  /**
   * Allowed entity aliases in lower case, which may be globs; undefined until a write sets them.
   */
  allowed_entity_aliases: optional(list(text)),
  /** Values that were written under old names. Reads return them under the old names. */
  old_period: optional(uint),
  old_explicit_max_ttl: optional(uint),
  old_bound_cidrs: optional(list(text)),
})
export interface TokenRole extends StoredOf<typeof tokenRoleShape> {}

/** Roles by `<namespace id>/<name>`. */
export const tokenRoles = secretsTable('token-roles', tokenRoleShape, { secrets: 'none' })

export function findRole(world: World, namespace: Namespace, name: string): TokenRole | undefined {
  return world.table(tokenRoles).get(`${namespace.id}/${name}`)
}

/**
 * Returns a role.
 * @throws Refusal `absent` for an unknown role
 */
export function readRole(world: World, namespace: Namespace, name: string): TokenRole {
  const role = findRole(world, namespace, name)
  if (role === undefined) throw refuse('nothing-here')
  return role
}

/** Returns the names of the roles of a namespace, sorted. */
export function roleNames(world: World, namespace: Namespace): string[] {
  const roles = world.table(tokenRoles).rows(`${namespace.id}/`)
  return Array.from(roles, ({ name }) => name).sort(compareBytewise)
}

/** Deletes a role. Does nothing for an unknown role. */
export function deleteRole(world: World, namespace: Namespace, name: string): void {
  world.write(() => world.table(tokenRoles).delete(`${namespace.id}/${name}`))
}
