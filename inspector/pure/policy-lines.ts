/** A rule of a policy that fits a path. */
export interface FittingRule {
  /** From 1. */
  readonly line: number
  readonly pattern: string
  readonly capabilities: readonly string[]
}

/**
 * The rules of a policy's text that fit a path, the one that decides first: patterns without wildcards
 * go before those with, then the later the first wildcard the better.
 */
export function fittingRules(policy: string, path: string): readonly FittingRule[] {
  const rules = [...policy.matchAll(/\bpath\s+"([^"]*)"\s*\{([^}]*)\}/g)].map((found) => {
    const [, pattern = '', body = ''] = found
    const line = policy.slice(0, found.index).split('\n').length
    const listed = /capabilities\s*=\s*\[([^\]]*)\]/.exec(body)?.[1] ?? ''
    return {
      line,
      pattern,
      capabilities: [...listed.matchAll(/"([^"]*)"/g)].map(([, a = '']) => a),
    }
  })
  return rules.filter(({ pattern }) => fits(pattern, path)).sort((a, b) => rank(b) - rank(a))
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

function rank({ pattern }: FittingRule): number {
  const wildcard = pattern.search(/[+*]/)
  return wildcard < 0 ? Number.MAX_SAFE_INTEGER : wildcard * 1000 + pattern.length
}
