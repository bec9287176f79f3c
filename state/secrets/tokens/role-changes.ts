import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Namespace } from '../namespaces/namespaces.ts'
import { addressIn } from './addresses.ts'
import { sanitizePolicies } from './creation.ts'
import { limitsAt } from './lifetime.ts'
import { message, refuse } from './messages.ts'
import { findRole, type RoleTokenType, type TokenRole, tokenRoles } from './roles.ts'

/**
 * A change of a role. Settings that are left out keep their values. A setting under its old name
 * counts only if its new name is left out. Durations are in seconds.
 */
interface TokenRoleChange {
  readonly allowed_policies?: readonly string[]
  readonly allowed_policies_glob?: readonly string[]
  readonly disallowed_policies?: readonly string[]
  readonly disallowed_policies_glob?: readonly string[]
  readonly orphan?: boolean
  readonly renewable?: boolean
  readonly path_suffix?: string
  readonly allowed_entity_aliases?: readonly string[]
  readonly token_type?: string
  readonly token_period?: number
  readonly period?: number
  readonly token_explicit_max_ttl?: number
  readonly explicit_max_ttl?: number
  readonly token_no_default_policy?: boolean
  readonly token_num_uses?: number
  readonly token_bound_cidrs?: readonly string[]
  readonly bound_cidrs?: readonly string[]
}

const defaultRole: Omit<TokenRole, 'name'> = {
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

/**
 * Creates or changes a role (behaviour/secrets#token-roles).
 *
 * @returns warnings about settings under two names and about a maximum above the maximum of the
 *   mount
 * @throws Refusal `invalid`. The checks run in the reference's order: suffix, addresses, uses,
 *   settings that contradict the stored type, type, addresses under the old name, and settings that
 *   contradict the type `batch`.
 */
export function writeRole(
  world: World,
  namespace: Namespace,
  name: string,
  change: TokenRoleChange,
): Message[] {
  const before = findRole(world, namespace, name) ?? { name, ...defaultRole }
  const { allowed_entity_aliases: aliases } = change
  checkSuffix(change.path_suffix ?? before.path_suffix)
  const role: TokenRole = {
    ...before,
    ...listsOf(before, change),
    ...(aliases === undefined ? {} : { allowed_entity_aliases: unique(aliases) }),
    ...limitsOf(before, change),
    orphan: change.orphan ?? before.orphan,
    renewable: change.renewable ?? before.renewable,
    path_suffix: change.path_suffix ?? before.path_suffix,
    token_type: roleTokenType(change.token_type ?? before.token_type),
    no_default_policy: change.token_no_default_policy ?? before.no_default_policy,
    ...addressesOf(before, change),
  }
  checkBatch(role)
  world.write(() => world.table(tokenRoles).put(`${namespace.id}/${name}`, role))
  return [...warningsOf(change), ...warningOfMaximum(world, namespace, role, change)]
}

function listsOf(before: TokenRole, change: TokenRoleChange) {
  const policies = (names: readonly string[]) => sanitizePolicies(names, false)
  const { allowed_policies, allowed_policies_glob } = change
  const { disallowed_policies, disallowed_policies_glob } = change
  return {
    allowed_policies: policies(allowed_policies ?? before.allowed_policies),
    allowed_policies_glob: policies(allowed_policies_glob ?? before.allowed_policies_glob),
    disallowed_policies: unique(disallowed_policies ?? before.disallowed_policies),
    disallowed_policies_glob: unique(disallowed_policies_glob ?? before.disallowed_policies_glob),
  }
}

/**
 * Applies a change to the durations and the number of uses of a role. A duration that is sent under
 * its old name, such as `period`, is also stored in `old_period`. Reads return it under the old
 * name until a write uses the new name, `token_period`. Throws an `invalid` refusal for addresses,
 * uses and periods that the role cannot have.
 */
function limitsOf(before: TokenRole, change: TokenRoleChange) {
  const { token_period, token_explicit_max_ttl, token_num_uses } = change
  if (change.token_bound_cidrs !== undefined) checkAddresses(change.token_bound_cidrs)
  const limits = {
    period: token_period ?? change.period ?? before.period,
    explicit_max_ttl: token_explicit_max_ttl ?? change.explicit_max_ttl ?? before.explicit_max_ttl,
    num_uses: token_num_uses ?? before.num_uses,
    old_period: token_period === undefined ? (change.period ?? before.old_period ?? 0) : 0,
    old_explicit_max_ttl:
      token_explicit_max_ttl === undefined
        ? (change.explicit_max_ttl ?? before.old_explicit_max_ttl ?? 0)
        : 0,
  }
  if (limits.num_uses < 0) throw refuse('role-fields-wrong', { why: message('role-uses-negative') })
  // As in the product, a write without a type is checked against the stored type.
  const isBatch = change.token_type === undefined && /batch$/.test(before.token_type)
  if (isBatch && (token_period ?? before.period) !== 0) {
    throw refuse('role-fields-wrong', { why: message('role-batch-periodic') })
  }
  if (isBatch && limits.num_uses !== 0) {
    throw refuse('role-fields-wrong', { why: message('role-batch-limited') })
  }
  return limits
}

function checkAddresses(texts: readonly string[]): void {
  for (const text of texts) {
    if (addressIn(text) !== undefined) continue
    throw refuse('role-fields-wrong', { why: message('address-unreadable', { text }) })
  }
}

function addressesOf(before: TokenRole, change: TokenRoleChange) {
  const { token_bound_cidrs: tokenBoundCidrs, bound_cidrs: old } = change
  if (tokenBoundCidrs !== undefined) {
    return {
      bound_cidrs: tokenBoundCidrs.flatMap((text) => addressIn(text) ?? []),
      old_bound_cidrs: [],
    }
  }
  if (old === undefined) return { bound_cidrs: before.bound_cidrs }
  const bound_cidrs = old.map((text) => {
    const address = addressIn(text)
    if (address !== undefined) return address
    throw refuse('role-addresses-wrong', { why: message('address-unreadable', { text }) })
  })
  return { bound_cidrs, old_bound_cidrs: bound_cidrs }
}

/** Converts names to lower case, sorts them, and drops duplicates and empty names. */
function unique(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase()).filter((name) => name !== ''))].sort()
}

function roleTokenType(type: string): RoleTokenType {
  switch (type) {
    case 'service':
    case 'batch':
    case 'default-service':
    case 'default-batch':
      return type
  }
  throw refuse('role-token-type-unknown', { type })
}

/**
 * Form of path suffixes. As in the reference, the pattern is not anchored, so only a part of the
 * suffix has to match.
 */
const suffixForm = /\w[\w\-.]+\w/

function checkSuffix(suffix: string): void {
  if (suffix !== '' && !suffixForm.test(suffix)) throw refuse('role-suffix-invalid')
  if (suffix.includes('..')) throw refuse('role-suffix-climbs')
}

function checkBatch(role: TokenRole): void {
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

/** Settings with an old name, in the order of the warnings about them. */
const renamedFields = ['period', 'bound_cidrs', 'explicit_max_ttl'] as const

function warningsOf(change: TokenRoleChange): Message[] {
  return renamedFields.flatMap((old) => {
    const name = `token_${old}` as const
    const both = change[old] !== undefined && change[name] !== undefined
    return both ? [message('role-setting-twice', { name, old })] : []
  })
}

function warningOfMaximum(
  world: World,
  namespace: Namespace,
  role: TokenRole,
  change: TokenRoleChange,
): Message[] {
  const { max } = limitsAt(world, namespace.id, 'auth/token/')
  const ttl = change.token_explicit_max_ttl ?? role.old_explicit_max_ttl ?? 0
  return ttl > max ? [message('role-max-ttl-above-mount', { ttl, max })] : []
}
