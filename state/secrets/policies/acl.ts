import { isJsonObject, type Json } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Token } from '../tokens/rows.ts'
import { compiledPolicies } from './policies.ts'
import {
  type Capability,
  type CompiledPolicy,
  capabilityBits,
  comparePatterns,
  mergePermissions,
  type ParameterRules,
  type PatternRule,
  type Permissions,
} from './rules.ts'

/**
 * Checks the parameters of a request against the rules of a path (behaviour/secrets#policies).
 * Returns true if all required parameters are present and no parameter is denied. If the rules list
 * allowed parameters, every parameter must also be on this list.
 */
function areParametersAllowed(
  { required, denied, allowed }: Permissions,
  input: Readonly<Record<string, Json>>,
): boolean {
  if (required.length === 0 && denied.size === 0 && allowed.size === 0) return true
  // The required names are in lower case and match only parameters in lower case. The other rules
  // ignore case.
  if (!required.every((name) => Object.hasOwn(input, name))) return false
  const entries = Object.entries(input).map(([name, value]) => [name.toLowerCase(), value] as const)
  if (entries.length === 0) return true
  if (denied.has('*')) return false
  if (entries.some(([name, value]) => isListed(denied, name, value) === true)) return false
  if (allowed.size === 0) return true
  const allowsOthers = allowed.has('*')
  if (allowsOthers && allowed.size === 1) return true
  return entries.every(([name, value]) => isListed(allowed, name, value) ?? allowsOthers)
}

/**
 * Returns whether rules list a value of a parameter. Returns undefined if the rules do not name the
 * parameter.
 */
function isListed(rules: ParameterRules, name: string, value: Json): boolean | undefined {
  const values = rules.get(name)
  if (values === undefined) return undefined
  return values.length === 0 || values.some((policyValue) => matchesValue(policyValue, value))
}

/**
 * Returns whether a request's value matches a policy's value. A string in the policy may have a `*`
 * at its start, at its end or both.
 */
function matchesValue(policyValue: Json, value: Json): boolean {
  if (typeof policyValue === 'string' && typeof value === 'string')
    return globMatches(policyValue, value)
  return isSame(policyValue, value)
}

/**
 * Returns whether a string matches a glob with `*` at its start, at its end or both. The glob `*`
 * alone matches only the text `*`. Other globs of the API have other rules: see `matchesGlob`.
 */
function globMatches(glob: string, text: string): boolean {
  if (glob.length < 2) return text === glob
  const isOpenStart = glob.startsWith('*')
  const isOpenEnd = glob.endsWith('*')
  if (isOpenStart && isOpenEnd) return text.includes(glob.slice(1, -1))
  if (isOpenStart) return text.endsWith(glob.slice(1))
  return isOpenEnd ? text.startsWith(glob.slice(0, -1)) : text === glob
}

/**
 * Returns whether a value in a policy equals a value in a request. Numbers are never equal, because
 * the reference compares the number in the policy with the text of the number in the request.
 */
function isSame(a: Json, b: Json): boolean {
  if (Array.isArray(a)) {
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, at) => isSame(item, b[at] ?? null))
    )
  }
  if (isJsonObject(a)) {
    if (!isJsonObject(b)) return false
    const keys = Object.keys(a)
    return (
      keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && isSame(a[key] ?? null, b[key] ?? null))
    )
  }
  return typeof a !== 'number' && a === b
}

export type { Capability } from './rules.ts'

/** A request to check against the policies of a token. */
export interface AccessRequest {
  /**
   * The required capability. A write requires `create` for a new object and `update` for an
   * existing object. If the operation has no existence check, a write requires `update`.
   */
  readonly operation: Exclude<Capability, 'sudo' | 'deny'>
  /** Path from the root namespace. The path of a list ends in a slash. */
  readonly path: string
  /** Whether the operation also requires `sudo`. */
  readonly sudo: boolean
  /** Body or query of the request, not normalized. */
  readonly input: Readonly<Record<string, Json>>
  /** Requested TTL of response wrapping in nanoseconds; undefined if the reply is not wrapped. */
  readonly wrapTtl?: number | undefined
}

/** Returns whether the policies of a token allow a request (behaviour/secrets#policies). */
export function allows(world: World, token: Token, request: AccessRequest): boolean {
  if (isRoot(token)) return request.path.startsWith(token.namespace_path)
  const { operation, path } = request
  const permissions = permissionsAt(compiledPolicies(world, token), path, operation === 'list')
  if (permissions === undefined) return false
  const needed = capabilityBits[operation] | (request.sudo ? capabilityBits.sudo : 0)
  if ((permissions.bits & needed) !== needed) return false
  if (!isWrappingAllowed(permissions, request.wrapTtl)) return false
  if (operation === 'list' || operation === 'delete') return true
  return areParametersAllowed(permissions, request.input)
}

/**
 * Returns whether a token has `sudo` at a path. Some operations permit more to callers with `sudo`,
 * such as choosing the id of a new token.
 */
export function hasSudo(world: World, token: Token, path: string): boolean {
  if (isRoot(token)) return path.startsWith(token.namespace_path)
  const permissions = permissionsAt(compiledPolicies(world, token), path, false)
  return permissions !== undefined && (permissions.bits & capabilityBits.sudo) !== 0
}

/**
 * Returns the capabilities of a token at a path, sorted. Returns only `root` for a root token
 * within its namespace, and only `deny` for a token without capabilities.
 */
export function capabilitiesOf(
  world: World,
  token: Token,
  path: string,
): readonly (Capability | 'root')[] {
  if (isRoot(token)) return path.startsWith(token.namespace_path) ? ['root'] : ['deny']
  // As in the reference, the path is matched like the path of a list.
  const permissions = permissionsAt(compiledPolicies(world, token), path, true)
  const granted = grantableCapabilities.filter(
    (name) => ((permissions?.bits ?? 0) & capabilityBits[name]) !== 0,
  )
  return granted.length === 0 ? ['deny'] : granted
}

const grantableCapabilities: readonly Capability[] = [
  'create',
  'delete',
  'list',
  'patch',
  'read',
  'sudo',
  'update',
]

/**
 * Returns whether a token has any capability at or below a prefix such as `secret/`. The product's
 * command line checks this before it sends a request (behaviour/secrets#preflight).
 */
export function hasAnyCapabilityUnder(world: World, token: Token, prefix: string): boolean {
  if (isRoot(token)) {
    return prefix.startsWith(token.namespace_path) || token.namespace_path.startsWith(prefix)
  }
  const policies = compiledPolicies(world, token)
  const at = permissionsAt(policies, prefix, true)
  if (at !== undefined && grantsAnything(at)) return true
  return policies.some(
    ({ exact, prefixes, segmented }) =>
      someEntry(
        exact,
        (path, permissions) => path.startsWith(prefix) && grantsAnything(permissions),
      ) ||
      someEntry(
        prefixes,
        (text, rule) => text.startsWith(prefix) && grantsAnything(rule.permissions),
      ) ||
      segmented.all.some((rule) => grantsAnything(rule.permissions) && canMatchUnder(rule, prefix)),
  )
}

function someEntry<V>(map: ReadonlyMap<string, V>, test: (key: string, value: V) => boolean) {
  for (const [key, value] of map) if (test(key, value)) return true
  return false
}

function grantsAnything({ bits }: Permissions): boolean {
  return bits !== 0 && (bits & capabilityBits.deny) === 0
}

/** Returns whether a pattern with `+` can match at least one path at or below a prefix. */
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
 * Returns the permissions at a path, or undefined if no rule matches. Tries rules for exactly this
 * path first. For a list, then tries the path without its trailing slash: first exact rules, then
 * patterns. Tries the patterns that match the whole path last. If several policies have the
 * matching path or pattern, merges their permissions.
 */
export function permissionsAt(
  policies: readonly CompiledPolicy[],
  path: string,
  list: boolean,
): Permissions | undefined {
  const exact = exactPermissions(policies, path)
  if (exact !== undefined) return exact
  if (list && path.endsWith('/')) {
    const folder = path.slice(0, -1)
    const permissions = exactPermissions(policies, folder) ?? patternPermissions(policies, folder)
    if (permissions !== undefined) return permissions
  }
  return patternPermissions(policies, path)
}

function exactPermissions(policies: readonly CompiledPolicy[], path: string) {
  let found: Permissions | undefined
  for (const policy of policies) {
    const exactRule = policy.exact.get(path)
    if (exactRule !== undefined)
      found = found === undefined ? exactRule : mergePermissions(found, exactRule)
  }
  return found
}

function patternPermissions(policies: readonly CompiledPolicy[], path: string) {
  let highestRankedRule: PatternRule | undefined
  let permissions: Permissions | undefined
  let segments: readonly string[] | undefined
  const keepHigherRanked = (rule: PatternRule) => {
    const order =
      highestRankedRule === undefined ? 1 : comparePatterns(rule.pattern, highestRankedRule.pattern)
    if (order > 0) {
      highestRankedRule = rule
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
 * Returns whether the requested wrapping TTL is within the bounds of a path. If a path has bounds,
 * its replies must be wrapped.
 */
function isWrappingAllowed(permissions: Permissions, ttl: number | undefined): boolean {
  const { minWrappingTtl: min, maxWrappingTtl: max } = permissions
  if (min === 0 && max === 0) return true
  if (ttl === undefined || ttl < min) return false
  return max === 0 || ttl <= max
}
