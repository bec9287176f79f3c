import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import {
  type AccessLevel,
  everything,
  grants,
  type Resource,
  type Rule,
  type RuleAccess,
  type Segment,
  takesPrecedence,
} from './rules.ts'
import { Segments } from './segments.ts'

/** A policy whose rules count, and the role that brings it where one does. */
export interface Origin {
  readonly policy: { readonly id: string; readonly name: string; readonly namespace: string }
  readonly role?: { readonly id: string; readonly name: string; readonly namespace: string }
}

/** A rule with where it comes from. */
export interface Ruling {
  readonly access: RuleAccess
  readonly rule: string
  readonly origin: Origin
}

/** The rules of one policy. */
export interface RuleSource {
  readonly origin: Origin
  readonly rules: readonly Rule[]
}

/** Resources that exist in each namespace by itself; the others exist once. */
const namespaced: ReadonlySet<Resource> = new Set([
  'acl',
  'intention',
  'key',
  'node',
  'service',
  'session',
])

/**
 * The rules of several policies as they hold for a token, ready for look-ups (behaviour/mesh#acl).
 * What stands outside `namespace` blocks holds in the token's own namespace.
 */
export class Rulebook {
  /** By resource, by namespace, by name. */
  readonly #rulings = new Map<Resource, Segments<Segments<Ruling>>>()
  /** By namespace: a rule nested in a block for it that grants something. */
  readonly #namespaceGrants = new Segments<Ruling>()
  #anyGrant: Ruling | undefined

  /** @param namespace the token's */
  constructor(sources: Iterable<RuleSource>, namespace: string) {
    const tokenNamespace = namespaceKey(namespace)
    for (const { origin, rules } of sources) {
      for (const rule of rules) {
        const ruling = { access: rule.access, rule: rule.source, origin }
        if (rule.access !== 'deny') this.#recordGrant(rule, ruling)
        if (!appliesTo(rule, origin, tokenNamespace)) continue
        const namespaceSegment = namespaced.has(rule.resource)
          ? (rule.inNamespace ?? exactly(tokenNamespace))
          : everything
        this.#addRuling(rule, namespaceSegment, ruling)
      }
    }
  }

  /** The rule that decides about something, the namespace's specificity before the name's. */
  find(resource: Resource, name: string, namespace: string): Ruling | undefined {
    const key = resource === 'namespace' ? namespaceKey(name) : name
    const byNamespace = this.#rulings.get(resource)?.matching(namespaceKey(namespace)) ?? []
    for (const byName of byNamespace) {
      for (const ruling of byName.matching(key)) return ruling
    }
    return undefined
  }

  /**
   * The rule that decides about writing everything that begins like `prefix`: one that takes something
   * of it away, else the longest prefix over all of it (behaviour/mesh#recursive-delete).
   */
  findForPrefix(resource: Resource, prefix: string, namespace: string): Ruling | undefined {
    for (const byName of this.#rulings.get(resource)?.matching(namespaceKey(namespace)) ?? []) {
      for (const ruling of byName.startingWith(prefix)) if (ruling.access !== 'write') return ruling
      for (const ruling of byName.covering(prefix)) return ruling
    }
    return undefined
  }

  /** A rule that grants anything inside a namespace by a `namespace` block. */
  grantInNamespace(namespace: string): Ruling | undefined {
    for (const ruling of this.#namespaceGrants.matching(namespaceKey(namespace))) return ruling
    return undefined
  }

  /** A rule that grants anything at all. */
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

/** Tells whether a rule counts for what it names: some do only from the default namespace. */
function appliesTo(
  { resource, inNamespace }: Rule,
  { policy }: Origin,
  tokenNamespace: string,
): boolean {
  const isDefault = namespaceKey(policy.namespace) === defaultNamespace
  if (resource === 'operator') return isDefault
  if (inNamespace !== undefined && resource === 'acl') return tokenNamespace === defaultNamespace
  return true
}

const exactly = (name: string): Segment => ({ name, isPrefix: false })

/** Tells whether a ruling grants what is asked. Only keys tell listing from reading. */
export function allows({ access }: Ruling, resource: Resource, level: AccessLevel): boolean {
  return grants(access, level === 'list' && resource !== 'key' ? 'read' : level)
}
