/** Access that a rule grants or denies for its segment. */
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
 * case-insensitive and stored in lower case.
 */
export interface Segment {
  readonly name: string
  readonly isPrefix: boolean
}

/** Segment that covers every name; used by rules without a label. */
export const everything: Segment = { name: '', isPrefix: true }

/** A rule of a policy. */
export interface Rule {
  readonly resource: Resource
  readonly segment: Segment
  readonly access: RuleAccess
  /** Namespaces to which the rule applies, if a `namespace` block encloses it. */
  readonly inNamespace?: Segment
  /** The rule in the syntax of policies: `key_prefix "a/" { policy = "read" }`. */
  readonly source: string
}

const grantedBy: Readonly<Record<RuleAccess, readonly AccessLevel[]>> = {
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
  return grantedBy[rule].includes(level)
}

const precedence: readonly RuleAccess[] = ['deny', 'write', 'list', 'read']

/** Returns whether the first of two rules for the same segment takes precedence. */
export function takesPrecedence(a: RuleAccess, b: RuleAccess): boolean {
  return precedence.indexOf(a) < precedence.indexOf(b)
}
