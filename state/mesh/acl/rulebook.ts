import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'

/** Access level that a rule sets for its segment; `deny` refuses all access. */
export type RuleAccess = 'deny' | 'read' | 'list' | 'write'

/** Access that a request requires. */
export type AccessLevel = 'read' | 'list' | 'write'

/** Resources that the ACL system protects (behaviour/mesh#rule-language). */
export const resources = [
  'acl',
  'operator',
  'keyring',
  'mesh',
  'peering',
  'agent',
  'event',
  'intention',
  'key',
  'namespace',
  'node',
  'partition',
  'query',
  'service',
  'session',
] as const
export type Resource = (typeof resources)[number]

/**
 * Names that a rule covers: one name, or all names with a prefix. Names of namespaces are
 * case-insensitive, so segments contain them in lower case.
 */
export interface Segment {
  readonly name: string
  readonly isPrefix: boolean
}

/** Segment that covers every name. Rules without a label use it. */
export const everySegment: Segment = { name: '', isPrefix: true }

/**
 * A rule of a policy. The rule grants or denies access to those objects of a resource whose names
 * its segment covers.
 */
export interface Rule {
  readonly resource: Resource
  readonly segment: Segment
  readonly access: RuleAccess
  /** Namespaces to which the rule applies, if a `namespace` block encloses it. */
  readonly inNamespace?: Segment
  /** The rule in the syntax of policies: `key_prefix "a/" { policy = "read" }`. */
  readonly source: string
}

const levelsGrantedBy: Readonly<Record<RuleAccess, readonly AccessLevel[]>> = {
  deny: [],
  read: ['read'],
  list: ['list', 'read'],
  write: ['write', 'list', 'read'],
}

/**
 * Returns whether a rule grants an access level: `write` includes `list` and `read`, `list`
 * includes `read`.
 */
export function grants(rule: RuleAccess, level: AccessLevel): boolean {
  return levelsGrantedBy[rule].includes(level)
}

const precedence: readonly RuleAccess[] = ['deny', 'write', 'list', 'read']

/** Returns whether the first of two rules for the same segment takes precedence. */
function takesPrecedence(a: RuleAccess, b: RuleAccess): boolean {
  return precedence.indexOf(a) < precedence.indexOf(b)
}

/**
 * Values by segment, which is an exact name or a prefix. If several segments match a name, the
 * exact name comes first, followed by the prefixes, longest first (behaviour/mesh#acl-decision).
 */
export class Segments<V> {
  readonly #exactNames = new Map<string, V>()
  readonly #prefixes = new Map<string, V>()
  /** Lengths of the stored prefixes, longest first. */
  #lengths: number[] = []

  get({ name, isPrefix }: Segment): V | undefined {
    return (isPrefix ? this.#prefixes : this.#exactNames).get(name)
  }

  set({ name, isPrefix }: Segment, value: V): void {
    if (!isPrefix) {
      this.#exactNames.set(name, value)
      return
    }
    if (!this.#lengths.includes(name.length)) {
      this.#lengths = [...this.#lengths, name.length].sort((a, b) => b - a)
    }
    this.#prefixes.set(name, value)
  }

  /**
   * Yields the values of the segments that match a name: first that of the exact name, then those
   * of the prefixes, longest first.
   */
  *matching(name: string): Generator<V, void, undefined> {
    const exact = this.#exactNames.get(name)
    if (exact !== undefined) yield exact
    yield* this.covering(name)
  }

  /** Yields the values of the prefixes that `name` begins with, longest first. */
  *covering(name: string): Generator<V, void, undefined> {
    for (const length of this.#lengths) {
      if (length > name.length) continue
      const coveredValue = this.#prefixes.get(name.slice(0, length))
      if (coveredValue !== undefined) yield coveredValue
    }
  }

  /** Yields the values of all segments whose text begins with `name`: exact names and prefixes. */
  *startingWith(name: string): Generator<V, void, undefined> {
    for (const values of [this.#exactNames, this.#prefixes]) {
      for (const [segmentName, value] of values) if (segmentName.startsWith(name)) yield value
    }
  }
}

/** A policy that applies to a token, and the role that links to it, if any. */
export interface Origin {
  readonly policy: { readonly id: string; readonly name: string; readonly namespace: string }
  readonly role?: { readonly id: string; readonly name: string; readonly namespace: string }
}

/** A rule as the rulebook stores it: its access, its source text and its origin. */
export interface Ruling {
  readonly access: RuleAccess
  readonly rule: string
  readonly origin: Origin
}

/** The rules of one policy, with their origin. */
export interface RuleSource {
  readonly origin: Origin
  readonly rules: readonly Rule[]
}

/** Resources that exist once per namespace. Other resources exist once per datacenter. */
const namespacedResources: ReadonlySet<Resource> = new Set([
  'acl',
  'intention',
  'key',
  'node',
  'service',
  'session',
])

/**
 * Searchable rules of all policies that apply to a token (behaviour/mesh#acl-decision). Rules on
 * resources that exist once per namespace apply to the token's own namespace, unless a `namespace`
 * block encloses them.
 */
export class Rulebook {
  /** Rules by resource, then by namespace, then by name. */
  readonly #rulings = new Map<Resource, Segments<Segments<Ruling>>>()
  /** The first rule in each `namespace` block that grants any access, by the label of the block. */
  readonly #namespaceGrants = new Segments<Ruling>()
  #anyGrant: Ruling | undefined

  /**
   * @param namespace namespace of the token
   */
  constructor(sources: Iterable<RuleSource>, namespace: string) {
    const tokenNamespace = namespaceKey(namespace)
    for (const { origin, rules } of sources) {
      for (const rule of rules) {
        const ruling = { access: rule.access, rule: rule.source, origin }
        if (rule.access !== 'deny') this.#recordGrant(rule, ruling)
        if (!appliesTo(rule, origin, tokenNamespace)) continue
        const namespaceSegment = namespacedResources.has(rule.resource)
          ? (rule.inNamespace ?? exactSegment(tokenNamespace))
          : everySegment
        this.#addRuling(rule, namespaceSegment, ruling)
      }
    }
  }

  /**
   * Returns the rule that decides about an object; undefined if no rule covers the object. A rule
   * for a more specific namespace takes precedence over a rule for a more specific name.
   */
  find(resource: Resource, name: string, namespace: string): Ruling | undefined {
    const key = resource === 'namespace' ? namespaceKey(name) : name
    const byNamespace = this.#rulings.get(resource)?.matching(namespaceKey(namespace)) ?? []
    for (const byName of byNamespace) {
      for (const ruling of byName.matching(key)) return ruling
    }
    return undefined
  }

  /**
   * Returns the rule that decides about a write to all objects whose names begin with `prefix`
   * (behaviour/mesh#recursive-delete). A rule that does not allow writes to some of these objects
   * takes precedence. Otherwise, the rule with the longest prefix that covers all of them decides.
   * Returns undefined if no rule matches.
   */
  findForPrefix(resource: Resource, prefix: string, namespace: string): Ruling | undefined {
    for (const byName of this.#rulings.get(resource)?.matching(namespaceKey(namespace)) ?? []) {
      for (const ruling of byName.startingWith(prefix)) if (ruling.access !== 'write') return ruling
      for (const ruling of byName.covering(prefix)) return ruling
    }
    return undefined
  }

  /**
   * Returns a rule that grants the access level for at least one object of a resource. If no rule
   * grants the level, returns another rule on the resource; undefined if no rule concerns the
   * resource.
   */
  findAny(resource: Resource, namespace: string, level: AccessLevel): Ruling | undefined {
    let denial: Ruling | undefined
    for (const byName of this.#rulings.get(resource)?.matching(namespaceKey(namespace)) ?? []) {
      for (const ruling of byName.startingWith('')) {
        if (allows(ruling, resource, level)) return ruling
        denial ??= ruling
      }
    }
    return denial
  }

  /**
   * Returns a rule inside a `namespace` block that grants any access in this namespace; undefined
   * if there is none.
   */
  grantInNamespace(namespace: string): Ruling | undefined {
    for (const ruling of this.#namespaceGrants.matching(namespaceKey(namespace))) return ruling
    return undefined
  }

  /** The first rule that grants any access to any resource; undefined if no rule does. */
  get anyGrant(): Ruling | undefined {
    return this.#anyGrant
  }

  #recordGrant({ inNamespace }: Rule, ruling: Ruling): void {
    this.#anyGrant ??= ruling
    if (inNamespace !== undefined && this.#namespaceGrants.get(inNamespace) === undefined) {
      this.#namespaceGrants.set(inNamespace, ruling)
    }
  }

  #addRuling({ resource, segment, access }: Rule, namespaceSegment: Segment, ruling: Ruling): void {
    let byNamespace = this.#rulings.get(resource)
    if (byNamespace === undefined) {
      byNamespace = new Segments()
      this.#rulings.set(resource, byNamespace)
    }
    let byName = byNamespace.get(namespaceSegment)
    if (byName === undefined) {
      byName = new Segments()
      byNamespace.set(namespaceSegment, byName)
    }
    const before = byName.get(segment)
    if (before === undefined || takesPrecedence(access, before.access)) byName.set(segment, ruling)
  }
}

/**
 * Returns whether a rule is effective. Rules on `operator` are effective only in policies of the
 * namespace `default`. Rules on `acl` in a `namespace` block are effective only for tokens of the
 * namespace `default`.
 */
function appliesTo({ resource, inNamespace }: Rule, { policy }: Origin, tokenNamespace: string) {
  const isDefault = namespaceKey(policy.namespace) === defaultNamespace
  if (resource === 'operator') return isDefault
  if (inNamespace !== undefined && resource === 'acl') return tokenNamespace === defaultNamespace
  return true
}

const exactSegment = (name: string): Segment => ({ name, isPrefix: false })

/**
 * Returns whether a ruling grants an access level. Only rules on keys distinguish `list` from
 * `read`.
 */
export function allows({ access }: Ruling, resource: Resource, level: AccessLevel): boolean {
  return grants(access, level === 'list' && resource !== 'key' ? 'read' : level)
}
