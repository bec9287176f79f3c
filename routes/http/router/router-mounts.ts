import type { Params, Route, RouteMatch, Router } from './routes.ts'

/** Names in paths (behaviour/secrets#conventions), as a regular expression without ends. */
export const namePattern = '\\w(?:[\\w.-]*\\w)?'

/** A pattern with parameters as a test of paths. */
interface PathPattern<O> {
  /** Returns undefined when the path does not fit, null when it does but has a value that none can have. */
  match(path: string): RouteMatch<O> | null | undefined
}

/**
 * Makes a router with the strategy `mounts`. A parameter that ends in a period matches nothing
 * (behaviour/secrets#api-periods).
 */
export function mountRouter<O>(routes: readonly Route<O>[]): Router<O> {
  return routerOf(routes, '.*')
}

/** The same with the strategy `system`. */
export function systemRouter<O>(routes: readonly Route<O>[]): Router<O> {
  return routerOf(routes, '.+')
}

function routerOf<O>(routes: readonly Route<O>[], rest: '.*' | '.+'): Router<O> {
  /** Patterns without parameters. */
  const exact = new Map<string, RouteMatch<O>>()
  /** Those with some, by a first segment that is a word, in the order of their declarations. */
  const byFirstSegment = new Map<string, PathPattern<O>[]>()
  const leadingParameter: PathPattern<O>[] = []
  for (const route of routes) {
    const { path } = route
    if (/(^|\/)[:*]/.test(path)) {
      const pattern = patternOf(route, rest)
      const first = firstSegment(path)
      if (/^[:*]/.test(first)) leadingParameter.push(pattern)
      else byFirstSegment.set(first, [...(byFirstSegment.get(first) ?? []), pattern])
      continue
    }
    // A pattern in front of it may take its path.
    const before = byFirstSegment.get(firstSegment(path)) ?? []
    // A closing slash is part of a path; that of a folder is there or not.
    for (const spelling of isFolder(route) ? [path, `${path}/`] : [path]) {
      if (exact.has(spelling) || before.some(({ match }) => match(spelling) !== undefined)) continue
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
    for (const { match } of leadingParameter) {
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

function isFolder({ operations }: Route<unknown>): boolean {
  return operations.has('list')
}

const none: Params = {}
const noPatterns: readonly never[] = []

/** Tells whether a parameter ends in a period; that of a list may have its closing slash. */
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
    // Most requests are for such paths: those of secrets.
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
