import { decodePath } from '../decode-path.ts'
import { mountRouter, systemRouter } from './router-mounts.ts'
import type { HasPath, Params, Route, RouteMatch, Router } from './routes.ts'

/**
 * Way in which a router matches the path of a request against the declared patterns:
 *
 * - `tree`: literal segments take precedence over parameters, and parameters over a wildcard (`*`).
 *   A pattern that lacks the verb of the request is skipped. Parameters are decoded after matching.
 * - `mux`: as Go's routers do. A pattern without parameters takes precedence, then the pattern with
 *   the longer literal parts. Only the first parameter may contain slashes. The verb does not select
 *   a pattern, so an unsupported verb yields 405. The path is decoded before matching.
 * - `mounts`: patterns are relative to an engine's mount, without a leading slash. `:name` matches
 *   one name; `*name` matches text that may contain slashes. The first match wins; patterns with a
 *   literal first segment are tried first. Patterns with a list operation or with `allowsSlash`
 *   also match with a trailing slash. The path is decoded before matching.
 * - `system`: as `mounts`, but a wildcard at the end of a pattern must not match an empty text.
 */
export type OrderStrategy = 'tree' | 'mux' | 'mounts' | 'system'

const strategies = {
  tree: treeRouter,
  mux: muxRouter,
  mounts: mountRouter,
  system: systemRouter,
} as const

/**
 * Compiles operations into one router per API. Building the router costs a fraction of building a
 * Fastify route for each operation, which would slow the start of the server.
 *
 * @param verbOf returns the method of an operation, or the API's own verb
 */
export function createRouter<O extends HasPath>(
  operations: readonly O[],
  order: OrderStrategy,
  verbOf: (operation: O) => string,
): Router<O> {
  const routes = new Map<string, Route<O> & { readonly operations: Map<string, O> }>()
  for (const operation of operations) {
    const { path, allowsSlash } = operation
    const route = routes.get(path) ?? {
      path,
      allowsSlash,
      operations: new Map<string, O>(),
      first: operation,
    }
    route.operations.set(verbOf(operation), operation)
    routes.set(path, route)
  }
  return strategies[order]([...routes.values()])
}

/** Returns the sorted verbs that a path supports; an empty list for an unknown path. */
export function verbsAt<O>(router: Router<O>, path: string): string[] {
  const verbs = router.all(path).flatMap(({ operations }) => [...operations.keys()])
  return [...new Set(verbs)].sort()
}

/** A route at a node of the tree, with the names of the parameters in its path in order. */
interface Leaf<O> {
  readonly route: Route<O>
  readonly names: readonly string[]
}

/** A node of the tree of routes. The children of a node differ in the next segment of the path. */
class TreeNode<O> {
  readonly literalChildren = new Map<string, TreeNode<O>>()
  /** The child for any segment; undefined if no path has a parameter here. */
  parameterChild: TreeNode<O> | undefined
  /**
   * The routes whose path ends here. There are several if their parameters have different names.
   */
  readonly leaves: Leaf<O>[] = []
  /** The routes whose wildcard takes the rest of the path. */
  readonly wildcards: Leaf<O>[] = []
}

/** The state of a search down the tree. Literal segments are tried first. */
interface Search<O> {
  readonly path: string
  /** Values of the parameters that were matched so far. */
  readonly values: string[]
  /** Receives each matching route. Returning true ends the search. */
  visit(leaf: Leaf<O>): boolean
}

function treeRouter<O>(routes: readonly Route<O>[]): Router<O> {
  const root = new TreeNode<O>()
  const exact = new Map<string, Route<O>>()
  for (const route of routes) {
    insertRoute(root, route)
    if (!/[:*]/.test(route.path)) exact.set(route.path, route)
  }
  return {
    routes,
    find(path, verb) {
      // A path without parameters takes precedence over all other paths if it supports the verb.
      const literal = exact.get(path)
      if (literal?.operations.has(verb) === true) return { route: literal, params: none }
      const values: string[] = []
      let first: RouteMatch<O> | undefined
      let found: RouteMatch<O> | undefined
      const visit = (leaf: Leaf<O>): boolean => {
        const hasVerb = leaf.route.operations.has(verb)
        if (hasVerb) found = { route: leaf.route, params: paramsFrom(leaf, values) }
        else first ??= { route: leaf.route, params: paramsFrom(leaf, values) }
        return hasVerb
      }
      descend(root, firstSegmentStart(path), { path, values, visit })
      return found ?? first
    },
    all(path) {
      const all: Route<O>[] = []
      const visit = ({ route }: Leaf<O>): boolean => {
        all.push(route)
        return false
      }
      descend(root, firstSegmentStart(path), { path, values: [], visit })
      return all
    },
  }
}

const none: Params = {}

function insertRoute<O>(root: TreeNode<O>, route: Route<O>): void {
  const names: string[] = []
  let node = root
  const { path } = route
  for (const segment of path === '/' || path === '' ? [] : path.slice(1).split('/')) {
    if (segment.startsWith('*')) {
      node.wildcards.push({ route, names: [...names, segment.slice(1) || '*'] })
      return
    }
    if (segment.startsWith(':')) {
      names.push(segment.slice(1))
      node.parameterChild ??= new TreeNode()
      node = node.parameterChild
    } else {
      const next = node.literalChildren.get(segment) ?? new TreeNode()
      node.literalChildren.set(segment, next)
      node = next
    }
  }
  node.leaves.push({ route, names })
}

/**
 * Returns the index at which the first segment starts; an index beyond the end if there is no
 * segment.
 */
function firstSegmentStart(path: string): number {
  return path === '/' || path === '' ? path.length + 1 : 1
}

/**
 * Visits the routes below a node that match the rest of the path, which begins at index `from`.
 * Returns true if a visit has ended the search.
 */
function descend<O>(node: TreeNode<O>, from: number, search: Search<O>): boolean {
  const { path, values, visit } = search
  if (from > path.length) {
    for (const leaf of node.leaves) if (visit(leaf)) return true
  } else {
    const slash = path.indexOf('/', from)
    const end = slash < 0 ? path.length : slash
    const segment = path.slice(from, end)
    const next = node.literalChildren.get(segment)
    if (next !== undefined && descend(next, end + 1, search)) return true
    if (node.parameterChild !== undefined && segment !== '') {
      values.push(segment)
      if (descend(node.parameterChild, end + 1, search)) return true
      values.pop()
    }
  }
  if (node.wildcards.length === 0) return false
  values.push(path.slice(from))
  for (const leaf of node.wildcards) if (visit(leaf)) return true
  values.pop()
  return false
}

function paramsFrom<O>({ names }: Leaf<O>, values: readonly string[]): Params {
  if (names.length === 0) return none
  const params: Record<string, string> = {}
  let at = 0
  for (const name of names) params[name] = decodePath(values[at++] ?? '')
  return params
}

/** Path split into literal parts and parameters. */
interface ParameterizedPath<O> {
  /** The literal part before the first parameter. */
  readonly before: string
  readonly names: readonly string[]
  /** The literal parts between parameters. */
  readonly between: readonly string[]
  /** The literal part after the last parameter; empty if the path ends with a parameter. */
  readonly after: string
  readonly route: Route<O>
}

function muxRouter<O>(routes: readonly Route<O>[]): Router<O> {
  const exact = new Map<string, Route<O>>()
  /** Paths with parameters, by first segment. In each list, the most specific paths come first. */
  const parameterized = new Map<string, ParameterizedPath<O>[]>()
  for (const route of routes) {
    const { path } = route
    // Literal parts and parameter names alternate.
    const [before = '', ...rest] = path.split(/:([^/:]+)/)
    if (rest.length === 0) exact.set(path, route)
    else {
      const names = rest.filter((_, at) => at % 2 === 0)
      const between = rest.filter((_, at) => at % 2 === 1)
      const after = between.pop() ?? ''
      const first = firstSegment(path)
      parameterized.set(first, [
        ...(parameterized.get(first) ?? []),
        { before, names, between, after, route },
      ])
    }
  }
  for (const group of parameterized.values()) {
    group.sort(
      (a, b) =>
        b.before.length - a.before.length ||
        b.after.length - a.after.length ||
        b.names.length - a.names.length,
    )
  }

  return {
    routes,
    find(path) {
      const route = exact.get(path)
      if (route !== undefined) return { route, params: none }
      for (const each of parameterized.get(firstSegment(path)) ?? []) {
        const params = paramsOf(each, path)
        if (params !== undefined) return { route: each.route, params }
      }
      return undefined
    },
    all(path) {
      const route = exact.get(path)
      const others = (parameterized.get(firstSegment(path)) ?? []).filter(
        (each) => paramsOf(each, path) !== undefined,
      )
      return [...(route === undefined ? [] : [route]), ...others.map((each) => each.route)]
    },
  }
}

/**
 * Returns the parameters of a path, the first of which may contain slashes; undefined if the path
 * does not match.
 */
function paramsOf<O>(parameterized: ParameterizedPath<O>, path: string): Params | undefined {
  const { before, names, between, after } = parameterized
  const isLongEnough = path.length >= before.length + after.length
  if (!isLongEnough || !path.startsWith(before) || !path.endsWith(after)) return undefined
  let rest = path.slice(before.length, path.length - after.length)
  const params: Record<string, string> = {}
  for (let at = names.length - 1; at > 0; at--) {
    const fixed = between[at - 1] ?? ''
    const firstSegmentStart = rest.lastIndexOf(fixed)
    const value = rest.slice(firstSegmentStart + fixed.length)
    if (firstSegmentStart < 0 || value.includes('/')) return undefined
    params[names[at] ?? ''] = value
    rest = rest.slice(0, firstSegmentStart)
  }
  params[names[0] ?? ''] = rest
  return params
}

/** Returns the first segment of a path, such as `job` for `/job/x/y`. */
function firstSegment(path: string): string {
  const slash = path.indexOf('/', 1)
  return slash < 0 ? path.slice(1) : path.slice(1, slash)
}
