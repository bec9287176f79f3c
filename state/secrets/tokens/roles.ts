import { compareBytewise } from '../../json/json.ts'
import { bool, list, text, uint, word } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { Stored } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/table.ts'
import type { Said } from '../../kernel/wording.ts'
import type { World } from '../../kernel/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { sanitizePolicies } from './creation.ts'
import { limitsAt } from './lifetime.ts'
import { refuse, say } from './texts.ts'

/** Which type of token a role makes: always, or unless the caller says otherwise. */
type RoleTokenType = 'service' | 'batch' | 'default-service' | 'default-batch'

/** Conditions for tokens made through `auth/token/create/<role>`. TTLs and periods in seconds. */
const tokenRoleShape = struct({
  name: text,
  allowed_policies: list(text),
  allowed_policies_glob: list(text),
  disallowed_policies: list(text),
  disallowed_policies_glob: list(text),
  orphan: bool,
  renewable: bool,
  /** Appended to the path of the role's tokens, for revoking them by prefix. */
  path_suffix: text,
  token_type: word('service', 'batch', 'default-service', 'default-batch'),
  period: uint,
  explicit_max_ttl: uint,
  no_default_policy: bool,
  num_uses: uint,
  bound_cidrs: list(text),
})
export interface TokenRole extends Stored<typeof tokenRoleShape> {}

/** By `<namespace id>/<name>`. */
export const tokenRoles = defineTable({
  service: 'secrets',
  name: 'token-roles',
  shape: tokenRoleShape,
})

const freshRole: Omit<TokenRole, 'name'> = {
  allowed_policies: [],
  allowed_policies_glob: [],
  disallowed_policies: [],
  disallowed_policies_glob: [],
  orphan: false,
  renewable: true,
  path_suffix: '',
  token_type: 'default-service',
  period: 0,
  explicit_max_ttl: 0,
  no_default_policy: false,
  num_uses: 0,
  bound_cidrs: [],
}

/** The members that a write may change; `token_type` is not yet known to be one. */
export type TokenRoleChange = Partial<Omit<TokenRole, 'name' | 'token_type'>> & {
  readonly token_type?: string
}

/** A role; undefined when there is none of that name. */
export function findRole(world: World, namespace: Namespace, name: string): TokenRole | undefined {
  return world.table(tokenRoles).get(`${namespace.id}/${name}`)
}

/** A role; refuses with `absent`. */
export function readRole(world: World, namespace: Namespace, name: string): TokenRole {
  const role = findRole(world, namespace, name)
  if (role === undefined) throw refuse('nothing-here')
  return role
}

/** The names of a namespace's roles, sorted. */
export function roleNames(world: World, namespace: Namespace): string[] {
  const roles = world.table(tokenRoles).rows(`${namespace.id}/`)
  return Array.from(roles, ({ name }) => name).sort(compareBytewise)
}

/** Deletes a role; one that does not exist is fine. */
export function deleteRole(world: World, namespace: Namespace, name: string): void {
  world.write(() => world.table(tokenRoles).delete(`${namespace.id}/${name}`))
}

/** Names in paths (1-secrets-decisions.md section 1). */
const suffixForm = /^\w(([\w-.]+)?\w)?$/

/**
 * Makes or changes a role; what is left out stays as it is.
 *
 * @returns warnings.
 * @throws invalid for a bad suffix, type, or a batch type that contradicts other settings.
 */
export function writeRole(
  world: World,
  namespace: Namespace,
  name: string,
  change: TokenRoleChange,
): Said[] {
  const before = findRole(world, namespace, name) ?? { name, ...freshRole }
  const { token_type: type = before.token_type, ...rest } = change
  const role: TokenRole = {
    ...before,
    ...rest,
    allowed_policies: sanitizePolicies(rest.allowed_policies ?? before.allowed_policies, false),
    disallowed_policies: unique(rest.disallowed_policies ?? before.disallowed_policies),
    token_type: roleTokenType(type),
  }
  checkRole(role)
  world.write(() => world.table(tokenRoles).put(`${namespace.id}/${name}`, role))
  const { max } = limitsAt(world, namespace.id, 'auth/token/')
  if (role.explicit_max_ttl <= max) return []
  return [say('role-max-ttl-above-mount', { ttl: role.explicit_max_ttl, max })]
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()).filter((name) => name !== ''))].sort()
}

function roleTokenType(type: string): RoleTokenType {
  switch (type) {
    case '':
    case 'default':
      return 'default-service'
    case 'service':
    case 'batch':
    case 'default-service':
    case 'default-batch':
      return type
  }
  throw refuse('role-token-type-unknown', { type })
}

function checkRole(role: TokenRole): void {
  if (role.path_suffix !== '' && !suffixForm.test(role.path_suffix)) {
    throw refuse('role-suffix-invalid', { form: suffixForm.source })
  }
  if (role.path_suffix.includes('..')) {
    throw refuse('role-suffix-climbs')
  }
  if (role.num_uses < 0) throw refuse('role-uses-negative')
  if (role.token_type !== 'batch') return
  const contradictions: readonly (readonly [boolean, string])[] = [
    [!role.orphan, 'non-orphan tokens'],
    [role.period !== 0, 'periodic tokens'],
    [role.renewable, 'renewable tokens'],
    [role.explicit_max_ttl !== 0, 'tokens with an explicit max TTL'],
  ]
  for (const [contradicts, what] of contradictions) {
    if (!contradicts) continue
    throw refuse('batch-role-contradicts', { what })
  }
}
