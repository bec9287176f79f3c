import type { Json } from '../../kernel/json.ts'
import { SegmentedRules } from './segmented.ts'
import { fillTemplate, type PathTemplate, templateOf } from './templates.ts'

/** A right that a policy can grant on a path. `deny` overrides all rights. */
export type Capability =
  | 'create'
  | 'read'
  | 'update'
  | 'patch'
  | 'delete'
  | 'list'
  | 'sudo'
  | 'deny'

/** Capabilities as bits, so that a union is one operation. */
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

/** Listed values by parameter name in lower case. An empty list stands for any value. */
export type ParameterRules = ReadonlyMap<string, readonly Json[]>

/** The permissions on a path. Wrapping TTLs are in nanoseconds; 0 means unset. */
export interface Permissions {
  readonly bits: number
  readonly allowed: ParameterRules
  readonly denied: ParameterRules
  /** Names of the required parameters, in lower case. */
  readonly required: readonly string[]
  readonly minWrappingTtl: number
  readonly maxWrappingTtl: number
}

/** Permissions of an explicitly denied path, which override all others. */
export const denied: Permissions = {
  bits: capabilityBits.deny,
  allowed: new Map(),
  denied: new Map(),
  required: [],
  minWrappingTtl: 0,
  maxWrappingTtl: 0,
}

/**
 * Merges the permissions of two policies or stanzas for one path: the union of capabilities and
 * parameters, and the lower wrapping TTLs. `deny` overrides the other permissions
 * (behaviour/secrets#system).
 */
export function mergePermissions(a: Permissions, b: Permissions): Permissions {
  if (((a.bits | b.bits) & capabilityBits.deny) !== 0) return denied
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
    // An empty list stands for any value, so the merged list is also empty.
    const every = values.length === 0 || other?.length === 0
    merged.set(name, every ? [] : [...(other ?? []), ...values])
  }
  return merged
}

function lowestNonzero(a: number, b: number): number {
  return a === 0 ? b : b === 0 ? a : Math.min(a, b)
}

/**
 * A path pattern with a `+` or a trailing `*`. The members after `text` rank it among other
 * patterns that match.
 */
interface Pattern {
  /** The pattern as the policy has it, after the path of the namespace. */
  readonly source: string
  /** The pattern without the trailing `*`. */
  readonly text: string
  readonly isPrefix: boolean
  /** Offset of the first wildcard. */
  readonly firstWildcard: number
  /** Segments of a pattern with `+`, with null for each `+`; undefined for a plain prefix. */
  readonly segments: readonly (string | null)[] | undefined
  /** Number of `+` segments. */
  readonly wildcards: number
}

/** Parses a policy's path into a pattern. Returns undefined for an exact path. */
export function patternOf(path: string): Pattern | undefined {
  const segmented = path === '+' || path.startsWith('+/') || path.includes('/+')
  const isPrefix = path.endsWith('*')
  if (!segmented && !isPrefix) return undefined
  const text = isPrefix ? path.slice(0, -1) : path
  const segments = segmented
    ? text.split('/').map((segment) => (segment === '+' ? null : segment))
    : undefined
  return {
    source: path,
    text,
    isPrefix,
    firstWildcard: segmented ? path.indexOf('+') : text.length,
    segments,
    wildcards: segments?.filter((segment) => segment === null).length ?? 0,
  }
}

/**
 * Compares two matching patterns; the greater one applies. A pattern is greater if its first
 * wildcard is later, if only the other is a prefix, if it has fewer `+`, if it is longer, or if it
 * is lexically greater, in this order (behaviour/secrets#system).
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

/** A pattern of one policy with its permissions. */
export interface PatternRule {
  readonly pattern: Pattern
  readonly permissions: Permissions
}

/** A policy in the form in which paths are matched. */
export interface CompiledPolicy {
  readonly exact: ReadonlyMap<string, Permissions>
  /** Plain prefixes by text. */
  readonly prefixes: ReadonlyMap<string, PatternRule>
  /** The lengths of the plain prefixes, longest first. */
  readonly prefixLengths: readonly number[]
  /** Patterns with `+`. */
  readonly segmented: SegmentedRules<PatternRule>
  /** Rules whose paths depend on the token's entity. */
  readonly templated: readonly TemplatedRule[]
}

/** A full path, including the path of the namespace, and its permissions. */
export type Stanza = readonly [path: string, permissions: Permissions]

type TemplatedRule = readonly [template: PathTemplate, permissions: Permissions]

/** Compiles stanzas with full paths for matching. */
export function compileRules(stanzas: Iterable<Stanza>): CompiledPolicy {
  const templated: TemplatedRule[] = []
  const plain: Stanza[] = []
  for (const stanza of stanzas) {
    const template = templateOf(stanza[0])
    if (template === undefined) plain.push(stanza)
    else if (template !== 'unbalanced') templated.push([template, stanza[1]])
  }
  return { ...compileFilled(plain), templated }
}

/**
 * Compiles stanzas whose templates are filled in. Does not look for templates, because braces in
 * filled-in values are literal.
 */
function compileFilled(stanzas: readonly Stanza[]): CompiledPolicy {
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
 * Returns the templated rules of a policy, filled in for an entity, as a separate policy. A rule
 * for which a value is missing does not apply (behaviour/secrets#templated-policies).
 */
export function fillRules(
  { templated }: CompiledPolicy,
  find: (directive: string) => string | undefined,
): CompiledPolicy {
  return compileFilled(
    templated.flatMap(([template, permissions]) => {
      const path = fillTemplate(template, find)
      return path === undefined ? [] : [[path, permissions] as const]
    }),
  )
}
