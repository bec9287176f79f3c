import { defaultNamespace, namespaceKey } from '../namespaces/namespaces.ts'
import {
  type Access,
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
  readonly #nested = new Segments<Ruling>()
  #granted: Ruling | undefined

  /** @param namespace the token's */
  constructor(sources: Iterable<RuleSource>, namespace: string) {
    const own = namespaceKey(namespace)
    for (const { origin, rules } of sources) {
      for (const rule of rules) {
        const ruling = { access: rule.access, rule: rule.text, origin }
        if (rule.access !== 'deny') this.#grant(rule, ruling)
        if (!holds(rule, origin, own)) continue
        const where = namespaced.has(rule.resource) ? (rule.within ?? exactly(own)) : everything
        this.#add(rule, where, ruling)
      }
    }
  }

  /** The rule that decides about something, the namespace's specificity before the name's. */
  find(resource: Resource, name: string, namespace: string): Ruling | undefined {
    const wanted = resource === 'namespace' ? namespaceKey(name) : name
    const places = this.#rulings.get(resource)?.matching(namespaceKey(namespace)) ?? []
    for (const names of places) {
      for (const ruling of names.matching(wanted)) return ruling
    }
    return undefined
  }

  /**
   * The rule that decides about writing everything that begins like `prefix`: one that takes something
   * of it away, else the longest prefix over all of it (behaviour/mesh#recursive-delete).
   */
  findBelow(resource: Resource, prefix: string, namespace: string): Ruling | undefined {
    for (const names of this.#rulings.get(resource)?.matching(namespaceKey(namespace)) ?? []) {
      for (const ruling of names.below(prefix)) if (ruling.access !== 'write') return ruling
      for (const ruling of names.over(prefix)) return ruling
    }
    return undefined
  }

  /** A rule that grants anything inside a namespace by a `namespace` block. */
  grantedInside(namespace: string): Ruling | undefined {
    for (const ruling of this.#nested.matching(namespaceKey(namespace))) return ruling
    return undefined
  }

  /** A rule that grants anything at all. */
  get granted(): Ruling | undefined {
    return this.#granted
  }

  #grant({ within }: Rule, ruling: Ruling): void {
    this.#granted ??= ruling
    if (within !== undefined && this.#nested.get(within) === undefined) {
      this.#nested.set(within, ruling)
    }
  }

  #add({ resource, segment, access }: Rule, where: Segment, ruling: Ruling): void {
    let places = this.#rulings.get(resource)
    if (places === undefined) {
      places = new Segments()
      this.#rulings.set(resource, places)
    }
    let names = places.get(where)
    if (names === undefined) {
      names = new Segments()
      places.set(where, names)
    }
    const before = names.get(segment)
    if (before === undefined || takesPrecedence(access, before.access)) names.set(segment, ruling)
  }
}

/** Tells whether a rule counts for what it names: some do only from the default namespace. */
function holds({ resource, within }: Rule, { policy }: Origin, own: string): boolean {
  const isDefault = namespaceKey(policy.namespace) === defaultNamespace
  if (resource === 'operator') return isDefault
  if (within !== undefined && resource === 'acl') return own === defaultNamespace
  return true
}

const exactly = (name: string): Segment => ({ name, isPrefix: false })

/** Tells whether a ruling grants what is asked. Only keys tell listing from reading. */
export function allows({ access }: Ruling, resource: Resource, asked: Access): boolean {
  return grants(access, asked === 'list' && resource !== 'key' ? 'read' : asked)
}
