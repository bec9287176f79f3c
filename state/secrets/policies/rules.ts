import type { Json } from '../../kernel/json.ts'
import { SegmentedRules } from './segmented.ts'
import { fillTemplate, type PathTemplate, templateOf } from './templates.ts'

/** A right that a policy can grant at a path. `deny` overrides the others. */
export type Capability =
  | 'create'
  | 'read'
  | 'update'
  | 'patch'
  | 'delete'
  | 'list'
  | 'sudo'
  | 'deny'

/** Capabilities as bits, so that merging is a bitwise operation. */
export const capabilityBits: Readonly<Record<Capability, number>> = {
  deny: 1,
  create: 2,
  read: 4,
  update: 8,
  delete: 16,
  list: 32,
  sudo: 64,
  patch: 128,
}

/** Values by parameter name in lower case. An empty list matches any value. */
export type ParameterRules = ReadonlyMap<string, readonly Json[]>

/** Permissions of a token at a path. Wrapping TTLs are in nanoseconds; 0 means unset. */
export interface Permissions {
  readonly bits: number
  readonly allowed: ParameterRules
  readonly denied: ParameterRules
  /** Names of the required parameters, in lower case. */
  readonly required: readonly string[]
  readonly minWrappingTtl: number
  readonly maxWrappingTtl: number
}

/** Permissions at a path that a policy denies. */
export const deniedPermissions: Permissions = {
  bits: capabilityBits.deny,
  allowed: new Map(),
  denied: new Map(),
  required: [],
  minWrappingTtl: 0,
  maxWrappingTtl: 0,
}

/**
 * Merges the permissions that two policies or stanzas define for a path: the union of capabilities
 * and parameters, and the lower wrapping TTLs. If either denies the path, the result denies it
 * (behaviour/secrets#policies).
 */
export function mergePermissions(a: Permissions, b: Permissions): Permissions {
  if (((a.bits | b.bits) & capabilityBits.deny) !== 0) return deniedPermissions
  return {
    bits: a.bits | b.bits,
    allowed: mergeParameters(a.allowed, b.allowed),
    denied: mergeParameters(a.denied, b.denied),
    required: [...new Set([...a.required, ...b.required])],
    minWrappingTtl: lowestNonzero(a.minWrappingTtl, b.minWrappingTtl),
    maxWrappingTtl: lowestNonzero(a.maxWrappingTtl, b.maxWrappingTtl),
  }
}

function mergeParameters(a: ParameterRules, b: ParameterRules): ParameterRules {
  if (a.size === 0) return b
  const merged = new Map(a)
  for (const [name, values] of b) {
    const other = merged.get(name)
    // An empty list matches any value and must stay empty.
    const allowsAnyValue = values.length === 0 || other?.length === 0
    merged.set(name, allowsAnyValue ? [] : [...(other ?? []), ...values])
  }
  return merged
}

function lowestNonzero(a: number, b: number): number {
  return a === 0 ? b : b === 0 ? a : Math.min(a, b)
}

/**
 * A path with a `+` segment or a trailing `*`. `comparePatterns` ranks the patterns that match a
 * path.
 */
interface Pattern {
  /** The path in the policy, with the path of the namespace as a prefix. */
  readonly source: string
  /** The path without the trailing `*`. */
  readonly text: string
  readonly isPrefix: boolean
  /** Offset of the first wildcard. */
  readonly firstWildcard: number
  /**
   * Segments of a path with `+`; null represents the segment `+`. Undefined for a path with only a
   * trailing `*`.
   */
  readonly segments: readonly (string | null)[] | undefined
  /** Number of `+` segments. */
  readonly wildcards: number
}

/** Parses a path with wildcards. Returns undefined for a path without wildcards. */
export function patternOf(path: string): Pattern | undefined {
  const isSegmented = path === '+' || path.startsWith('+/') || path.includes('/+')
  const isPrefix = path.endsWith('*')
  if (!isSegmented && !isPrefix) return undefined
  const text = isPrefix ? path.slice(0, -1) : path
  const segments = isSegmented
    ? text.split('/').map((segment) => (segment === '+' ? null : segment))
    : undefined
  return {
    source: path,
    text,
    isPrefix,
    firstWildcard: isSegmented ? path.indexOf('+') : text.length,
    segments,
    wildcards: segments?.filter((segment) => segment === null).length ?? 0,
  }
}

/**
 * Compares two patterns that match a path; the greater pattern applies. The first difference
 * decides, in this order: a later first wildcard is greater, then no trailing `*`, then fewer `+`
 * segments, then a longer text, then a later position in the order of strings
 * (behaviour/secrets#policies).
 */
export function comparePatterns(a: Pattern, b: Pattern): number {
  return (
    a.firstWildcard - b.firstWildcard ||
    Number(b.isPrefix) - Number(a.isPrefix) ||
    b.wildcards - a.wildcards ||
    a.text.length - b.text.length ||
    (a.text < b.text ? -1 : a.text > b.text ? 1 : 0)
  )
}

export interface PatternRule {
  readonly pattern: Pattern
  readonly permissions: Permissions
}

/** A policy, indexed for matching paths. */
export interface CompiledPolicy {
  readonly exact: ReadonlyMap<string, Permissions>
  /** Rules with a trailing `*` and no `+`, by the text before the `*`. */
  readonly prefixes: ReadonlyMap<string, PatternRule>
  /** Distinct lengths of the keys of `prefixes`, longest first. */
  readonly prefixLengths: readonly number[]
  /** Rules with `+`. */
  readonly segmented: SegmentedRules<PatternRule>
  /**
   * Rules whose paths contain templates. The values of the templates depend on the token's entity.
   */
  readonly templated: readonly TemplatedRule[]
}

/** A path with the path of the namespace as a prefix, and the permissions at the path. */
export type Stanza = readonly [path: string, permissions: Permissions]

type TemplatedRule = readonly [template: PathTemplate, permissions: Permissions]

/**
 * Compiles stanzas. Stanzas with templates stay in `templated` until `fillRules` evaluates them.
 */
export function compileRules(stanzas: Iterable<Stanza>): CompiledPolicy {
  const templated: TemplatedRule[] = []
  const plain: Stanza[] = []
  for (const stanza of stanzas) {
    const template = templateOf(stanza[0])
    if (template === undefined) plain.push(stanza)
    else if (template !== 'unbalanced') templated.push([template, stanza[1]])
  }
  return { ...compileStanzas(plain), templated }
}

/**
 * Compiles stanzas without templates. Treats braces as text, because values of templates may
 * contain them.
 */
function compileStanzas(stanzas: readonly Stanza[]): CompiledPolicy {
  const merged = new Map<string, Permissions>()
  for (const [path, permissions] of stanzas) {
    const other = merged.get(path)
    merged.set(path, other === undefined ? permissions : mergePermissions(other, permissions))
  }
  const exact = new Map<string, Permissions>()
  const prefixes = new Map<string, PatternRule>()
  const segmented: PatternRule[] = []
  for (const [path, permissions] of merged) {
    const pattern = patternOf(path)
    if (pattern === undefined) exact.set(path, permissions)
    else if (pattern.segments === undefined) prefixes.set(pattern.text, { pattern, permissions })
    else segmented.push({ pattern, permissions })
  }
  const lengths = new Set(Array.from(prefixes.keys(), (text) => text.length))
  const prefixLengths = [...lengths].sort((a, b) => b - a)
  return { exact, prefixes, prefixLengths, segmented: new SegmentedRules(segmented), templated: [] }
}

/**
 * Evaluates the templates of a policy and returns the resulting rules as another policy. Omits
 * rules for which `find` returns no value (behaviour/secrets#templated-policies).
 */
export function fillRules(
  { templated }: CompiledPolicy,
  find: (directive: string) => string | undefined,
): CompiledPolicy {
  return compileStanzas(
    templated.flatMap(([template, permissions]) => {
      const path = fillTemplate(template, find)
      return path === undefined ? [] : [[path, permissions] as const]
    }),
  )
}
