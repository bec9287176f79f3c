import { comparePatterns, patternOf } from '../../state/secrets/policies/rules.ts'
import type { ServiceState } from '../pure/items.ts'

/** Rule that matches a path, with its position in the text of the policy. */
interface MatchingRule {
  /** Line number, from 1. */
  readonly line: number
  readonly pattern: string
  readonly capabilities: readonly string[]
}

export interface PolicyRule extends MatchingRule {
  readonly policy: string
  /** Key of the policy's row. */
  readonly key: string
}

/**
 * Rules that match a path: those that share the most precise pattern decide, and override the
 * others.
 */
interface Decision {
  readonly deciding: readonly PolicyRule[]
  readonly overridden: readonly PolicyRule[]
}

/**
 * Finds the rules that match a path, in the policies with the given names. The rules with the most
 * precise pattern decide together, even if they are in different policies.
 *
 * @param path path below `/v1/`
 * @param namespace namespace of the path; empty for the root namespace
 */
export function decisionOf(
  { tables }: ServiceState,
  names: readonly string[],
  path: string,
  namespace = '',
): Decision {
  const rules = Object.entries(tables['policies'] ?? {}).flatMap(([key, row]) => {
    const { name, namespace_path: namespacePath = '', policy } = row
    const applies = names.includes(String(name)) && namespace.startsWith(String(namespacePath))
    if (!applies) return []
    const relativePath = namespace.slice(String(namespacePath).length) + path
    return matchingRules(String(policy), relativePath).map((rule) => ({
      ...rule,
      policy: String(namespacePath) + String(name),
      key,
    }))
  })
  const [first] = rules.toSorted((a, b) => comparePatternTexts(b.pattern, a.pattern))
  const decides = ({ pattern }: PolicyRule) => pattern === first?.pattern
  return { deciding: rules.filter(decides), overridden: rules.filter((rule) => !decides(rule)) }
}

/** Returns the rules of a policy that match a path, the most precise first. */
export function matchingRules(policy: string, path: string): readonly MatchingRule[] {
  const text = policy.replaceAll(/^[^\S\n]*(?:#|\/\/).*$/gm, '')
  const heads = [...text.matchAll(/\bpath\s+"([^"]*)"\s*\{/g)]
  const rules = heads.map((match, index) => {
    const body = text.slice(match.index, heads[index + 1]?.index)
    const capabilityList = /capabilities\s*=\s*\[([^\]]*)\]/.exec(body)?.[1] ?? ''
    return {
      line: text.slice(0, match.index).split('\n').length,
      pattern: match[1] ?? '',
      capabilities: [...capabilityList.matchAll(/"([^"]*)"/g)].map(([, name = '']) => name),
    }
  })
  return rules
    .filter(({ pattern }) => matchesPath(pattern, path))
    .sort((a, b) => comparePatternTexts(b.pattern, a.pattern))
}

function matchesPath(pattern: string, path: string): boolean {
  const isPrefix = pattern.endsWith('*')
  const parts = (isPrefix ? pattern.slice(0, -1) : pattern).split('/')
  const segments = path.split('/')
  if (segments.length < parts.length || (!isPrefix && segments.length !== parts.length))
    return false
  return parts.every((part, index) => {
    if (part === '+') return true
    const isLast = isPrefix && index === parts.length - 1
    return isLast ? (segments[index] ?? '').startsWith(part) : segments[index] === part
  })
}

/**
 * Compares two patterns that match a path. The result is positive if `one` is more precise, which
 * means that its rule applies. A pattern without wildcards is the most precise.
 */
function comparePatternTexts(one: string, other: string): number {
  const [a, b] = [patternOf(one), patternOf(other)]
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined)
  return comparePatterns(a, b)
}
