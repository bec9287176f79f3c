import type { Params, Route, RouteMatch, Router } from './routes.ts'

/** Regular expression for names in paths, without anchors (behaviour/secrets#names). */
export const namePattern = '\\w(?:[\\w.-]*\\w)?'

/** Matcher for a path that has parameters. */
interface PathPattern<O> {
  /**
   * Returns the match. Returns undefined if the path does not match, and null if the path matches
   * but a parameter is invalid.
   */
  match(path: string): RouteMatch<O> | null | undefined
}

/**
 * Creates a router with the strategy `mounts`. A parameter that ends in a period never matches
 * (behaviour/secrets#api-periods).
 */
export function mountRouter<O>(routes: readonly Route<O>[]): Router<O> {
  return routerOf(routes, '.*')
}

export function systemRouter<O>(routes: readonly Route<O>[]): Router<O> {
  return routerOf(routes, '.+')
}

function routerOf<O>(routes: readonly Route<O>[], rest: '.*' | '.+'): Router<O> {
  /** Matches of the paths without parameters, by path. */
  const exact = new Map<string, RouteMatch<O>>()
  /**
   * Patterns whose first segment is literal, by that segment, in the order of their declaration.
   */
  const byFirstSegment = new Map<string, PathPattern<O>[]>()
  const patternsFromParameter: PathPattern<O>[] = []
  for (const route of routes) {
    const { path } = route
    if (/(^|\/)[:*]/.test(path)) {
      const pattern = patternOf(route, rest)
      const first = firstSegment(path)
      if (/^[:*]/.test(first)) patternsFromParameter.push(pattern)
      else byFirstSegment.set(first, [...(byFirstSegment.get(first) ?? []), pattern])
      continue
    }
    // An earlier pattern with the same first segment takes precedence over this exact path.
    const precedingPatterns = byFirstSegment.get(firstSegment(path)) ?? []
    // For a folder, the trailing slash is optional; for other paths it is a part of the path.
    for (const spelling of isFolder(route) ? [path, `${path}/`] : [path]) {
      if (
        exact.has(spelling) ||
        precedingPatterns.some(({ match }) => match(spelling) !== undefined)
      )
        continue
      exact.set(spelling, { route, params: none })
    }
  }

  function find(path: string): RouteMatch<O> | undefined {
    const exactMatch = exact.get(path)
    if (exactMatch !== undefined) return exactMatch
    for (const { match } of byFirstSegment.get(firstSegment(path)) ?? noPatterns) {
      const matched = match(path)
      if (matched !== undefined) return matched ?? undefined
    }
    for (const { match } of patternsFromParameter) {
      const matched = match(path)
      if (matched !== undefined) return matched ?? undefined
    }
    return undefined
  }

  return {
    routes,
    find,
    all(path) {
      const exactMatch = find(path)
      return exactMatch === undefined ? [] : [exactMatch.route]
    },
  }
}

function isFolder({ operations, allowsSlash = false }: Route<unknown>): boolean {
  return allowsSlash || operations.has('list')
}

const none: Params = {}
const noPatterns: readonly never[] = []

/** Returns true if a parameter ends in a period, ignoring the trailing slash of a folder. */
export function endsInPeriod(parameter: string): boolean {
  return parameter.endsWith('.') || parameter.endsWith('./')
}

function firstSegment(path: string): string {
  const slash = path.indexOf('/')
  return slash < 0 ? path : path.slice(0, slash)
}

function patternOf<O>(route: Route<O>, rest: '.*' | '.+'): PathPattern<O> {
  const { path } = route
  const tail = /^([^:*]*)\*([^/]+)$/.exec(path)
  if (tail !== null) {
    // Fast path for patterns whose only parameter is a wildcard at the end. Most requests read or
    // write secrets, whose paths match such patterns.
    const [, before = '', name = ''] = tail
    const minLength = before.length + (rest === '.+' ? 1 : 0)
    return {
      match(requestPath) {
        if (requestPath.length < minLength || !requestPath.startsWith(before)) return undefined
        const value = requestPath.slice(before.length)
        if (endsInPeriod(value)) return null
        const params: Record<string, string> = {}
        params[name] = value
        return { route, params }
      },
    }
  }
  const names: string[] = []
  const segments = path.split('/').map((segment) => {
    if (!/^[:*]/.test(segment)) return segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    names.push(segment.slice(1))
    return segment.startsWith(':') ? `(${namePattern})` : `(${rest})`
  })
  const pattern = new RegExp(`^${segments.join('/')}${isFolder(route) ? '/?' : ''}$`, 's')
  return {
    match(requestPath) {
      const values = pattern.exec(requestPath)
      if (values === null) return undefined
      const params: Record<string, string> = {}
      let at = 1
      for (const name of names) {
        const value = values[at++] ?? ''
        if (endsInPeriod(value)) return null
        params[name] = value
      }
      return { route, params }
    },
  }
}
