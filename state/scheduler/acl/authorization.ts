import { compareBytewise } from '../../json/json.ts'
import type { SingleKey } from './rule-document.ts'
import type { Grant, Rules } from './rules.ts'

/** The rights that several policies grant together (behaviour/scheduler#auth). */
export class Authorization {
  readonly namespaces: Grants
  readonly nodePools: Grants
  readonly variables: Grants
  readonly #coarse = new Map<SingleKey, string>()

  constructor(policies: readonly Rules[]) {
    this.namespaces = new Grants(policies.flatMap(({ namespaces }) => namespaces))
    this.nodePools = new Grants(policies.flatMap(({ nodePools }) => nodePools))
    this.variables = new Grants(policies.flatMap(({ variables }) => variables))
    for (const [key, policy] of policies.flatMap(({ coarse }) => [...coarse])) {
      this.#coarse.set(key, strongest(this.#coarse.get(key), policy))
    }
  }

  /** Tells whether the rules without a label allow to read or write what they are about. */
  allows(what: SingleKey, access: 'read' | 'write'): boolean {
    const policy = this.#coarse.get(what)
    return policy === 'write' || policy === access
  }
}

/** In the order in which one beats the other. */
const strength = ['deny', 'write', 'read', 'list']

function strongest(...policies: readonly (string | undefined)[]): string {
  return strength.find((policy) => policies.includes(policy)) ?? ''
}

/** Capabilities by name; patterns stand in for names that have none of their own. */
class Grants {
  readonly #exact = new Map<string, ReadonlySet<string>>()
  readonly #patterns: readonly Pattern[]

  constructor(grants: readonly Grant[]) {
    const sets = new Map<string, Set<string>>()
    for (const { name, capabilities } of grants) {
      const set = sets.get(name) ?? new Set()
      for (const capability of capabilities) set.add(capability)
      sets.set(name, set)
    }
    const patterns: Pattern[] = []
    for (const [name, set] of sets) {
      // Deny beats all.
      const capabilities = set.has('deny') ? denied : set
      if (name.includes('*')) patterns.push({ name, parts: name.split('*'), capabilities })
      else this.#exact.set(name, capabilities)
    }
    // Of equally long ones the reference takes the last.
    this.#patterns = patterns.sort(
      (a, b) => literalLength(b) - literalLength(a) || compareBytewise(b.name, a.name),
    )
  }

  /**
   * Returns what is granted for a name: its own rule, else that of the pattern with the longest
   * literal part.
   */
  of(name: string): ReadonlySet<string> {
    const own = this.#exact.get(name)
    if (own !== undefined) return own
    return this.#patterns.find(({ parts }) => matches(parts, name))?.capabilities ?? denied
  }

  /** Tells whether some rule grants a capability. */
  some(capability: string): boolean {
    const sets = [...this.#exact.values(), ...this.#patterns.map((each) => each.capabilities)]
    return sets.some((capabilities) => capabilities.has(capability))
  }
}

interface Pattern {
  readonly name: string
  /** The texts between the stars. */
  readonly parts: readonly string[]
  readonly capabilities: ReadonlySet<string>
}

const denied: ReadonlySet<string> = new Set()

function literalLength({ parts }: Pattern): number {
  return parts.join('').length
}

/** Tells whether a name consists of the parts, with anything between them. */
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
