import { namePattern } from '../../http/router/router-mounts.ts'
import type { SecretsRoute } from '../operation.ts'

/** A route that serves a path or paths below it. */
export interface RouteBelow {
  readonly route: SecretsRoute
  /** The rest of the route's pattern below the path; empty for the path itself. */
  readonly segments: readonly string[]
}

const parameterPattern = new RegExp(`^${namePattern}$`)

/**
 * Returns the routes that serve a path (relative to the mount, without a trailing slash) or paths
 * below it, in the order of the router. A pattern `…/*rest` can match with the path inside `rest`,
 * and also with paths below the path inside `rest`, so its route can appear several times. If the
 * segments of several results differ only in the names of parameters, only the first of these
 * results is returned.
 */
export function routesBelow(routes: readonly SecretsRoute[], path: string): RouteBelow[] {
  const queriedSegments = segmentsOf(path)
  const seen = new Set<string>()
  const below: RouteBelow[] = []
  for (const route of routerOrder(routes)) {
    for (const segments of remainders(segmentsOf(route.path), queriedSegments)) {
      const shape = segments.map((segment) => (isParameter(segment) ? '*' : segment)).join('/')
      if (seen.has(shape)) continue
      seen.add(shape)
      below.push({ route, segments })
    }
  }
  return below
}

/** Returns whether a segment is a parameter: `:name` or `*rest`. */
export function isParameter(segment: string): boolean {
  return segment.startsWith(':') || segment.startsWith('*')
}

/** Splits a path or pattern at slashes. An empty path has no segments. */
export function segmentsOf(path: string): string[] {
  return path === '' ? [] : path.split('/')
}

/**
 * Returns routes in the order in which the router tries them: patterns whose first segment is
 * literal come first.
 */
function routerOrder(routes: readonly SecretsRoute[]): readonly SecretsRoute[] {
  const beginsWithWord = ({ path }: SecretsRoute) => !isParameter(path)
  return [...routes.filter(beginsWithWord), ...routes.filter((route) => !beginsWithWord(route))]
}

/**
 * Matches the path against the first segments of a pattern, and returns the remaining segments of
 * the pattern. The result has one element for each possible way to match.
 */
function remainders(pattern: readonly string[], path: readonly string[]): string[][] {
  const [here, ...after] = pattern
  const [first, ...rest] = path
  if (first === undefined) return [[...pattern]]
  if (here === undefined) return []
  if (here.startsWith('*')) {
    const ends = path.flatMap((_segment, at) => remainders(after, path.slice(at + 1)))
    return [...ends, [...pattern]]
  }
  const fits = here.startsWith(':') ? parameterPattern.test(first) : here === first
  return fits ? remainders(after, rest) : []
}
