import { toSeconds } from '../../go/duration.ts'
import { type Json, setMember } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import type { Token } from '../tokens/rows.ts'
import { compiledPolicies } from './policies.ts'
import {
  type Capability,
  capabilityBits,
  mergePermissions,
  type ParameterRules,
  type Permissions,
} from './rules.ts'

/** Rights of a token at a path, in the form that user interfaces expect. TTLs are in seconds. */
interface PathRights {
  readonly capabilities: readonly Capability[]
  readonly allowed_parameters?: Readonly<Record<string, readonly Json[]>>
  readonly denied_parameters?: Readonly<Record<string, readonly Json[]>>
  readonly required_parameters?: readonly string[]
  readonly min_wrapping_ttl?: number
  readonly max_wrapping_ttl?: number
}

type RightsByPath = Readonly<Record<string, PathRights>>

/**
 * All rights of a token. If `root` is true, the rights are unlimited. Otherwise, `exact_paths` has
 * the rights by exact path, and `glob_paths` by path prefix without the trailing `*`.
 */
type ResultantAcl =
  | { readonly root: true }
  | {
      readonly root: false
      readonly exact_paths: RightsByPath
      readonly glob_paths: RightsByPath
    }

/**
 * Returns the merged rules of all policies of a token (behaviour/secrets#small-endpoints, the
 * rights of the caller), or only `root` for a root token. As in the reference, omits rules with
 * `+`.
 */
export function resultantAcl(world: World, token: Token): ResultantAcl {
  if (token.policies[0] === 'root') return { root: true }
  const exact = new Map<string, Permissions>()
  const globs = new Map<string, Permissions>()
  for (const policy of compiledPolicies(world, token)) {
    for (const [path, permissions] of policy.exact) mergeInto(exact, path, permissions)
    for (const [text, { permissions }] of policy.prefixes) mergeInto(globs, text, permissions)
  }
  return { root: false, exact_paths: rightsByPath(exact), glob_paths: rightsByPath(globs) }
}

function mergeInto(rules: Map<string, Permissions>, path: string, permissions: Permissions): void {
  const before = rules.get(path)
  rules.set(path, before === undefined ? permissions : mergePermissions(before, permissions))
}

function rightsByPath(rules: ReadonlyMap<string, Permissions>): RightsByPath {
  const rights: Record<string, PathRights> = {}
  for (const [path, permissions] of [...rules].sort(([a], [b]) => (a < b ? -1 : 1))) {
    setMember(rights, path, rightsOf(permissions))
  }
  return rights
}

const reportedCapabilities: readonly Capability[] = [
  'create',
  'delete',
  'list',
  'read',
  'sudo',
  'update',
  'patch',
]

function rightsOf(permissions: Permissions): PathRights {
  const { bits, allowed, denied, required, minWrappingTtl, maxWrappingTtl } = permissions
  const capabilities = reportedCapabilities.filter((name) => (bits & capabilityBits[name]) !== 0)
  return {
    capabilities: capabilities.length === 0 ? ['deny'] : capabilities,
    ...(allowed.size > 0 && { allowed_parameters: parametersOf(allowed) }),
    ...(denied.size > 0 && { denied_parameters: parametersOf(denied) }),
    ...(required.length > 0 && { required_parameters: required }),
    ...(minWrappingTtl > 0 && { min_wrapping_ttl: toSeconds(minWrappingTtl) }),
    ...(maxWrappingTtl > 0 && { max_wrapping_ttl: toSeconds(maxWrappingTtl) }),
  }
}

function parametersOf(rules: ParameterRules): Record<string, readonly Json[]> {
  const parameters: Record<string, readonly Json[]> = {}
  for (const [name, values] of rules) setMember(parameters, name, values)
  return parameters
}
