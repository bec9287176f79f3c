import { compareBytewise } from '../../json/json.ts'
import type { UnlabelledKey } from './rule-document.ts'
import type { Grant, Rules } from './rules.ts'

/**
 * Access level that a rule without a label (`agent`, `node` and so on) can grant. Only plugin rules
 * have the level `list`.
 */
export type UnlabelledAccess = 'read' | 'write' | 'list'

/** The combined rights of several policies (behaviour/scheduler#auth). */
export class Authorization {
  readonly namespaces: GrantSet
  readonly nodePools: GrantSet
  readonly hostVolumes: GrantSet
  readonly variables: GrantSet
  readonly #unlabelledRules = new Map<UnlabelledKey, string>()

  constructor(policies: readonly Rules[]) {
    this.namespaces = new GrantSet(policies.flatMap(({ namespaces }) => namespaces))
    this.nodePools = new GrantSet(policies.flatMap(({ nodePools }) => nodePools))
    this.hostVolumes = new GrantSet(policies.flatMap(({ hostVolumes }) => hostVolumes))
    // For variables, deny does not override other policies: a capability that one policy grants
    // remains if another policy denies it.
    this.variables = new GrantSet(
      policies.flatMap(({ variables }) => variables),
      { denies: false },
    )
    for (const [key, policy] of policies.flatMap(({ unlabelled }) => [...unlabelled])) {
      this.#unlabelledRules.set(key, strongest(this.#unlabelledRules.get(key), policy))
    }
  }

  /**
   * Returns true if the rule without a label (`agent`, `node` and so on) grants the access. `write`
   * includes `read`, except in plugin rules. In plugin rules, `read` includes `list`, and `write`
   * includes no other level.
   */
  allows(rule: UnlabelledKey, access: UnlabelledAccess): boolean {
    const policy = this.#unlabelledRules.get(rule)
    if (policy === access) return true
    return rule === 'plugin' ? access === 'list' && policy === 'read' : policy === 'write'
  }
}

/**
 * Access levels in order of precedence. If several policies set a level for one rule, the level
 * that is first in this list applies.
 */
const precedence = ['deny', 'write', 'read', 'list']

function strongest(...policies: readonly (string | undefined)[]): string {
  return precedence.find((policy) => policies.includes(policy)) ?? ''
}

/**
 * Granted capabilities by name, or by a pattern with asterisks. A pattern applies only to names for
 * which no rule without asterisks exists.
 */
class GrantSet {
  readonly #exact = new Map<string, ReadonlySet<string>>()
  readonly #patterns: readonly Pattern[]

  constructor(grants: readonly Grant[], { denies = true } = {}) {
    const capabilitySets = new Map<string, Set<string>>()
    for (const { name, capabilities } of grants) {
      const set = capabilitySets.get(name) ?? new Set()
      for (const capability of capabilities) set.add(capability)
      capabilitySets.set(name, set)
    }
    const patterns: Pattern[] = []
    for (const [name, set] of capabilitySets) {
      // Deny overrides every other capability.
      const capabilities = denies && set.has('deny') ? noCapabilities : set
      if (name.includes('*')) patterns.push({ name, parts: name.split('*'), capabilities })
      else this.#exact.set(name, capabilities)
    }
    // If the literal parts of several patterns are equally long, the reference uses the pattern
    // that sorts last.
    this.#patterns = patterns.sort(
      (a, b) => wildcardFreeLength(b) - wildcardFreeLength(a) || compareBytewise(b.name, a.name),
    )
  }

  /**
   * Returns the capabilities for a name. The rule for the name itself takes precedence; otherwise
   * the pattern with the longest literal part applies. The set is empty if no rule applies.
   */
  of(name: string): ReadonlySet<string> {
    const exact = this.#exact.get(name)
    if (exact !== undefined) return exact
    return this.#patterns.find(({ parts }) => matches(parts, name))?.capabilities ?? noCapabilities
  }

  /** Returns true if a rule for any name grants the capability. */
  grantsAnywhere(capability: string): boolean {
    return this.#sets().some((capabilities) => capabilities.has(capability))
  }

  grantsAnything(): boolean {
    return this.#sets().some((capabilities) => capabilities.size > 0)
  }

  /** Returns true if at least one rule is not a `deny`, even if that rule grants nothing. */
  hasRuleWithoutDeny(): boolean {
    return this.#sets().some((capabilities) => capabilities !== noCapabilities)
  }

  /** Returns true if the name or pattern of any rule begins with `prefix`. */
  hasRuleFor(prefix: string): boolean {
    const names = [...this.#exact.keys(), ...this.#patterns.map(({ name }) => name)]
    return names.some((name) => name.startsWith(prefix))
  }

  #sets(): readonly ReadonlySet<string>[] {
    return [...this.#exact.values(), ...this.#patterns.map((each) => each.capabilities)]
  }
}

interface Pattern {
  readonly name: string
  /** Literal texts before, between and after the asterisks of the name. */
  readonly parts: readonly string[]
  readonly capabilities: ReadonlySet<string>
}

const noCapabilities: ReadonlySet<string> = new Set()

function wildcardFreeLength({ parts }: Pattern): number {
  return parts.join('').length
}

/**
 * Returns true if the parts occur in the name in this order, with any text between them. The first
 * part must be at the start and the last one at the end.
 */
function matches(parts: readonly string[], name: string): boolean {
  const first = parts[0] ?? ''
  const last = parts.at(-1) ?? ''
  if (!name.startsWith(first) || name.length < first.length + last.length) return false
  if (!name.endsWith(last)) return false
  const end = name.length - last.length
  let at = first.length
  for (const part of parts.slice(1, -1)) {
    at = name.indexOf(part, at)
    if (at < 0 || at + part.length > end) return false
    at += part.length
  }
  return true
}
