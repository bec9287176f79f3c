import type { Json } from '../../kernel/json.ts'
import { SegmentedRules } from './segmented.ts'
import { fillTemplate, type PathTemplate, restoreWildcards, templateOf } from './templates.ts'

/** A right that a policy can grant on a path, and `deny`, which takes everything back. */
export type Capability =
  | 'create'
  | 'read'
  | 'update'
  | 'patch'
  | 'delete'
  | 'list'
  | 'sudo'
  | 'deny'

/** Capabilities as bits of a number, so that a union is one operation. */
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

/** Parameter names in lower case with the values that are meant; an empty list means every value. */
export type ParameterRules = ReadonlyMap<string, readonly Json[]>

/** The permissions on a path. Wrapping TTLs in seconds, 0 for none. */
export interface Permissions {
  readonly bits: number
  readonly allowed: ParameterRules
  readonly denied: ParameterRules
  /** In lower case. */
  readonly required: readonly string[]
  readonly minWrappingTtl: number
  readonly maxWrappingTtl: number
}

/** Permissions of a path that is explicitly denied: nothing else counts. */
export const denied: Permissions = {
  bits: capabilityBits.deny,
  allowed: new Map(),
  denied: new Map(),
  required: [],
  minWrappingTtl: 0,
  maxWrappingTtl: 0,
}

/**
 * Returns what holds when several policies, or several stanzas of one, speak of the same path: the
 * union of capabilities and parameters, the lower wrapping TTLs; deny wins (behaviour/secrets#system).
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
    // An empty list means every value, which no other list can narrow.
    const every = values.length === 0 || other?.length === 0
    merged.set(name, every ? [] : [...(other ?? []), ...values])
  }
  return merged
}

function lowestNonzero(a: number, b: number): number {
  return a === 0 ? b : b === 0 ? a : Math.min(a, b)
}

/** A path pattern with a `+` or a trailing `*`, and what decides its rank among those that match. */
interface Pattern {
  /** As written, namespace included. */
  readonly source: string
  /** Without the trailing `*`. */
  readonly text: string
  readonly isPrefix: boolean
  /** Where the first wildcard is. */
  readonly firstWildcard: number
  /** The segments of a pattern with `+`, which are null themselves; undefined for a plain prefix. */
  readonly segments: readonly (string | null)[] | undefined
  /** The number of segments that are `+`. */
  readonly wildcards: number
}

/** Reads a path of a policy: a pattern, or undefined for an exact path. */
export function patternOf(path: string): Pattern | undefined {
  const segmented = path === '+' || path.startsWith('+/') || path.includes('/+')
  const isPrefix = path.endsWith('*')
  if (!segmented && !isPrefix) return undefined
  const text = isPrefix ? path.slice(0, -1) : path
  const segments = segmented
    ? text.split('/').map((segment) => (segment === '+' ? null : restoreWildcards(segment)))
    : undefined
  return {
    source: restoreWildcards(path),
    text: restoreWildcards(text),
    isPrefix,
    firstWildcard: segmented ? path.indexOf('+') : text.length,
    segments,
    wildcards: segments?.filter((segment) => segment === null).length ?? 0,
  }
}

/**
 * The order in which one of several matching patterns applies: the greatest wins. Later first
 * wildcard; no prefix; fewer `+`; longer; lexically greater (behaviour/secrets#system).
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

/** A pattern of one policy with what it grants. */
export interface PatternRule {
  readonly pattern: Pattern
  readonly permissions: Permissions
}

/** A policy made ready for matching. */
export interface CompiledPolicy {
  readonly exact: ReadonlyMap<string, Permissions>
  /** Plain prefixes by text. */
  readonly prefixes: ReadonlyMap<string, PatternRule>
  /** The lengths that plain prefixes have, longest first. */
  readonly prefixLengths: readonly number[]
  /** Patterns with `+`. */
  readonly segmented: SegmentedRules<PatternRule>
  /** Rules for paths that are known only when it is known who asks. */
  readonly templated: readonly TemplatedRule[]
}

/** A path, complete with the namespace's, and the permissions there. */
export type Stanza = readonly [path: string, permissions: Permissions]

/** A path with places for values, and the permissions there. */
export type TemplatedRule = readonly [template: PathTemplate, permissions: Permissions]

/** Arranges a document's stanzas, paths complete with namespace, for matching. */
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

/** The same without templates: braces that values brought along are none. */
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
    if (pattern === undefined) exact.set(restoreWildcards(path), permissions)
    else if (pattern.segments === undefined) prefixes.set(pattern.text, { pattern, permissions })
    else segmented.push({ pattern, permissions })
  }
  const lengths = new Set(Array.from(prefixes.keys(), (text) => text.length))
  const prefixLengths = [...lengths].sort((a, b) => b - a)
  return { exact, prefixes, prefixLengths, segmented: new SegmentedRules(segmented), templated: [] }
}

/**
 * The templated rules of a policy for somebody, as a policy of its own; those without a value do not
 * apply (behaviour/secrets#templated-policies).
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
