/** The access that a rule grants to its segment, or denies. */
export type RuleAccess = 'deny' | 'read' | 'list' | 'write'

/** The access that one asks for. */
export type AccessLevel = 'read' | 'list' | 'write'

/** The resources that the ACL system guards (behaviour/mesh#rule-language). */
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
 * Which names a rule speaks of: one, or all that begin so. Names of namespaces, which are compared
 * without regard to case, are in lower case.
 */
export interface Segment {
  readonly name: string
  readonly isPrefix: boolean
}

/** Speaks of everything, as rules without a label do. */
export const everything: Segment = { name: '', isPrefix: true }

/** One rule of a policy. */
export interface Rule {
  readonly resource: Resource
  readonly segment: Segment
  readonly access: RuleAccess
  /** The namespaces it holds in when a `namespace` block is around it. */
  readonly inNamespace?: Segment
  /** As one would write it: `key_prefix "a/" { policy = "read" }`. */
  readonly source: string
}

const grantedBy: Readonly<Record<RuleAccess, readonly AccessLevel[]>> = {
  deny: [],
  read: ['read'],
  list: ['list', 'read'],
  write: ['write', 'list', 'read'],
}

/**
 * Tells whether a rule grants what is asked: `write` includes `list` and `read`, `list` includes
 * `read`.
 */
export function grants(rule: RuleAccess, level: AccessLevel): boolean {
  return grantedBy[rule].includes(level)
}

const precedence: readonly RuleAccess[] = ['deny', 'write', 'list', 'read']

/** Tells whether of two rules of the same segment the first counts. */
export function takesPrecedence(a: RuleAccess, b: RuleAccess): boolean {
  return precedence.indexOf(a) < precedence.indexOf(b)
}
