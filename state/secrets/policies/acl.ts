import type { Json } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Token } from '../tokens/rows.ts'
import { parametersPermit } from './parameters.ts'
import { compiledPolicies } from './policies.ts'
import {
  type Capability,
  type CompiledPolicy,
  capabilityBits,
  comparePatterns,
  mergePermissions,
  type PatternRule,
  type Permissions,
} from './rules.ts'

export type { Capability } from './rules.ts'

/** The access that a caller is about to make. */
export interface AccessRequest {
  /** Writes are `create` or `update` by the path's existence check, `update` without one. */
  readonly operation: Exclude<Capability, 'sudo' | 'deny'>
  /** From the root namespace; that of a list ends in a slash. */
  readonly path: string
  /** True when the operation needs `sudo` besides. */
  readonly sudo: boolean
  /** Body or query as sent. */
  readonly input: Readonly<Record<string, Json>>
  /** Seconds for which the answer is to be wrapped; left out when it is not. */
  readonly wrapTtl?: number | undefined
}

/** Tells whether a token may do this (behaviour/secrets#policies). */
export function allows(world: World, token: Token, request: AccessRequest): boolean {
  if (isRoot(token)) return request.path.startsWith(token.namespace_path)
  const { operation, path } = request
  const permissions = permissionsAt(compiledPolicies(world, token), path, operation === 'list')
  if (permissions === undefined) return false
  const needed = capabilityBits[operation] | (request.sudo ? capabilityBits.sudo : 0)
  if ((permissions.bits & needed) !== needed) return false
  if (!wrappingPermits(permissions, request.wrapTtl)) return false
  if (operation === 'list' || operation === 'delete') return true
  return parametersPermit(permissions, request.input)
}

/**
 * Tells whether a token has `sudo` at a path: what some operations need to go beyond their bounds.
 */
export function hasSudo(world: World, token: Token, path: string): boolean {
  if (isRoot(token)) return path.startsWith(token.namespace_path)
  const permissions = permissionsAt(compiledPolicies(world, token), path, false)
  return permissions !== undefined && (permissions.bits & capabilityBits.sudo) !== 0
}

/** The capabilities a token has at a path, sorted; `root` or `deny` alone. */
export function capabilitiesOf(
  world: World,
  token: Token,
  path: string,
): readonly (Capability | 'root')[] {
  if (isRoot(token)) return path.startsWith(token.namespace_path) ? ['root'] : ['deny']
  // As in the reference, which looks paths up as if to list them.
  const permissions = permissionsAt(compiledPolicies(world, token), path, true)
  const granted = grantable.filter(
    (name) => ((permissions?.bits ?? 0) & capabilityBits[name]) !== 0,
  )
  return granted.length === 0 ? ['deny'] : granted
}

const grantable: readonly Capability[] = [
  'create',
  'delete',
  'list',
  'patch',
  'read',
  'sudo',
  'update',
]

/**
 * Tells whether a token has any capability at or under a prefix such as `secret/`: what the
 * preflight of the command line asks (behaviour/secrets#preflight).
 */
export function hasAnyCapabilityUnder(world: World, token: Token, prefix: string): boolean {
  if (isRoot(token)) {
    return prefix.startsWith(token.namespace_path) || token.namespace_path.startsWith(prefix)
  }
  const policies = compiledPolicies(world, token)
  const at = permissionsAt(policies, prefix, true)
  if (at !== undefined && grants(at)) return true
  return policies.some(
    ({ exact, prefixes, segmented }) =>
      someEntry(exact, (path, permissions) => path.startsWith(prefix) && grants(permissions)) ||
      someEntry(prefixes, (text, rule) => text.startsWith(prefix) && grants(rule.permissions)) ||
      segmented.all.some((rule) => grants(rule.permissions) && canMatchUnder(rule, prefix)),
  )
}

function someEntry<V>(map: ReadonlyMap<string, V>, test: (key: string, value: V) => boolean) {
  for (const [key, value] of map) if (test(key, value)) return true
  return false
}

function grants({ bits }: Permissions): boolean {
  return bits !== 0 && (bits & capabilityBits.deny) === 0
}

/** Tells whether some path under the prefix could match a pattern with `+`. */
function canMatchUnder({ pattern }: PatternRule, prefix: string): boolean {
  const prefixSegments = prefix.split('/')
  if (prefixSegments.at(-1) === '') prefixSegments.pop()
  const { segments = [], isPrefix } = pattern
  return prefixSegments.every((name, at) => {
    const segment = segments[at]
    if (segment === undefined) return isPrefix
    if (segment === null || segment === name) return true
    return isPrefix && at === segments.length - 1 && name.startsWith(segment)
  })
}

function isRoot(token: Token): boolean {
  return token.policies[0] === 'root'
}

/**
 * The one rule that applies to a path: that of the exact path (for lists also without the closing
 * slash), else that of the best pattern. Several policies with that rule add up.
 */
export function permissionsAt(
  policies: readonly CompiledPolicy[],
  path: string,
  list: boolean,
): Permissions | undefined {
  const exact = exactPermissions(policies, path)
  if (exact !== undefined) return exact
  if (list && path.endsWith('/')) {
    const folder = exactPermissions(policies, path.slice(0, -1))
    if (folder !== undefined) return folder
  }
  return patternPermissions(policies, path)
}

function exactPermissions(
  policies: readonly CompiledPolicy[],
  path: string,
): Permissions | undefined {
  let found: Permissions | undefined
  for (const policy of policies) {
    const exactRule = policy.exact.get(path)
    if (exactRule !== undefined)
      found = found === undefined ? exactRule : mergePermissions(found, exactRule)
  }
  return found
}

function patternPermissions(
  policies: readonly CompiledPolicy[],
  path: string,
): Permissions | undefined {
  let highestRanked: PatternRule | undefined
  let permissions: Permissions | undefined
  let segments: readonly string[] | undefined
  const keepHigherRanked = (rule: PatternRule) => {
    const order =
      highestRanked === undefined ? 1 : comparePatterns(rule.pattern, highestRanked.pattern)
    if (order > 0) {
      highestRanked = rule
      permissions = rule.permissions
    } else if (order === 0 && permissions !== undefined) {
      permissions = mergePermissions(permissions, rule.permissions)
    }
  }
  for (const policy of policies) {
    const prefix = longestPrefix(policy, path)
    if (prefix !== undefined) keepHigherRanked(prefix)
    if (policy.segmented.all.length === 0) continue
    segments ??= path.split('/')
    policy.segmented.forEachMatch(segments, keepHigherRanked)
  }
  return permissions
}

function longestPrefix(policy: CompiledPolicy, path: string): PatternRule | undefined {
  for (const length of policy.prefixLengths) {
    if (length > path.length) continue
    const rule = policy.prefixes.get(path.slice(0, length))
    if (rule !== undefined) return rule
  }
  return undefined
}

/**
 * Tells whether the wrapping asked for is within a path's bounds; bounds demand that it is asked
 * for.
 */
function wrappingPermits(permissions: Permissions, ttl: number | undefined): boolean {
  const { minWrappingTtl: min, maxWrappingTtl: max } = permissions
  if (min === 0 && max === 0) return true
  if (ttl === undefined || ttl < min) return false
  return max === 0 || ttl <= max
}
