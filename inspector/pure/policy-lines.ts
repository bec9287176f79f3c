import { comparePatterns, patternOf } from '../../state/secrets/policies/rules.ts'
import type { ServiceState } from './things.ts'

/** A rule of a policy that fits a path. */
export interface FittingRule {
  /** From 1. */
  readonly line: number
  readonly pattern: string
  readonly capabilities: readonly string[]
}

/** A rule, and the policy that has it. */
export interface PolicyRule extends FittingRule {
  readonly policy: string
  /** The key of the policy's row. */
  readonly key: string
}

/** The rules that fit a path: those that decide, which have the same pattern, and those that give way. */
export interface Decision {
  readonly deciding: readonly PolicyRule[]
  readonly others: readonly PolicyRule[]
}

/**
 * Finds the rules of policies that fit a path. Of all that fit, those with the most precise pattern
 * decide together, whichever policy they are in.
 *
 * @param path below `/v1/`
 * @param namespace to which the path belongs; empty for the outermost
 */
export function decisionOf(
  { tables }: ServiceState,
  names: readonly string[],
  path: string,
  namespace = '',
): Decision {
  const rules = Object.entries(tables['policies'] ?? {}).flatMap(([key, row]) => {
    const { name, namespace_path: at = '', policy } = row
    const isMeant = names.includes(String(name)) && namespace.startsWith(String(at))
    if (!isMeant) return []
    const below = namespace.slice(String(at).length) + path
    return fittingRules(String(policy), below).map((rule) => ({
      ...rule,
      policy: String(at) + String(name),
      key,
    }))
  })
  const [first] = rules.toSorted((a, b) => compare(b.pattern, a.pattern))
  const decides = ({ pattern }: PolicyRule) => pattern === first?.pattern
  return { deciding: rules.filter(decides), others: rules.filter((rule) => !decides(rule)) }
}

/** The rules of a policy's text that fit a path, the most precise first. */
export function fittingRules(policy: string, path: string): readonly FittingRule[] {
  const text = policy.replaceAll(/^\s*(?:#|\/\/).*$/gm, '')
  const heads = [...text.matchAll(/\bpath\s+"([^"]*)"\s*\{/g)]
  const rules = heads.map((found, at) => {
    const body = text.slice(found.index, heads[at + 1]?.index)
    const listed = /capabilities\s*=\s*\[([^\]]*)\]/.exec(body)?.[1] ?? ''
    return {
      line: text.slice(0, found.index).split('\n').length,
      pattern: found[1] ?? '',
      capabilities: [...listed.matchAll(/"([^"]*)"/g)].map(([, name = '']) => name),
    }
  })
  return rules
    .filter(({ pattern }) => fits(pattern, path))
    .sort((a, b) => compare(b.pattern, a.pattern))
}

function fits(pattern: string, path: string): boolean {
  const isPrefix = pattern.endsWith('*')
  const parts = (isPrefix ? pattern.slice(0, -1) : pattern).split('/')
  const asked = path.split('/')
  if (asked.length < parts.length || (!isPrefix && asked.length !== parts.length)) return false
  return parts.every((part, at) => {
    if (part === '+') return true
    const isLast = isPrefix && at === parts.length - 1
    return isLast ? (asked[at] ?? '').startsWith(part) : asked[at] === part
  })
}

/** Compares how precise two patterns are, as the secrets API does: an exact path goes before all. */
function compare(one: string, other: string): number {
  const [a, b] = [patternOf(one), patternOf(other)]
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return comparePatterns(a, b)
}
