import { compareBytewise } from '../../json/json.ts'
import { any, bool, int, list, map, nullable, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { Stored } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { tokenFields } from '../logins/token-fields.ts'
import { type Mount, storagePrefix, written } from '../mounts/mounts.ts'
import { refuse } from './texts.ts'

/** Who may log in with which JWTs, and what tokens they get (behaviour/secrets#jwt-roles). */
const roleShape = struct({
  role_type: word('jwt', 'oidc'),
  /** In seconds; 0 for the usual, below for none. */
  expiration_leeway: int,
  not_before_leeway: int,
  clock_skew_leeway: int,
  bound_audiences: nullable(list(text)),
  bound_subject: text,
  bound_claims_type: word('string', 'glob'),
  /** Values, or lists of them, by claim. */
  bound_claims: nullable(map(any)),
  /** Keys of metadata by claim. */
  claim_mappings: nullable(map(text)),
  user_claim: text,
  user_claim_json_pointer: bool,
  groups_claim: text,
  oidc_scopes: nullable(list(text)),
  allowed_redirect_uris: nullable(list(text)),
  verbose_oidc_logging: bool,
  max_age: uint,
  ...tokenFields,
  /** The old names under which reads tell values too. */
  old_names: list(text),
  ...written,
})
export interface JwtRole extends Stored<typeof roleShape> {}

/** By `<mount uuid>/<name in lower case>`. */
export const jwtRoles = defineTable({
  service: 'secrets',
  name: 'jwt-roles',
  shape: roleShape,
})

/** A role, whatever the case of its name; undefined when there is none. */
export function findJwtRole(world: World, mount: Mount, name: string): JwtRole | undefined {
  return world.table(jwtRoles).get(jwtRoleKey(mount, name))
}

/** A role; refuses with `absent`. */
export function readJwtRole(world: World, mount: Mount, name: string): JwtRole {
  const role = findJwtRole(world, mount, name)
  if (role === undefined) throw refuse('nothing-here')
  return role
}

/** The names of a mount's roles, sorted. */
export function jwtRoleNames(world: World, mount: Mount): string[] {
  return world.table(jwtRoles).children(storagePrefix(mount)).sort(compareBytewise)
}

/** Deletes a role; one that does not exist is fine. */
export function deleteJwtRole(world: World, mount: Mount, name: string): void {
  world.write(() => world.table(jwtRoles).delete(jwtRoleKey(mount, name)))
}

/** The key of a role in its table. */
export function jwtRoleKey(mount: Mount, name: string): string {
  return storagePrefix(mount) + name.toLowerCase()
}
