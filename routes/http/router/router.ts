import { mountRouter, systemRouter } from './router-mounts.ts'
import type { HasPath, Params, Route, RouteMatch, Router } from './routes.ts'

/**
 * The order in which paths are tried:
 *
 * - `tree`: literal segments go before parameters, parameters before the rest of a path (`*`); a path
 *   that does not have the verb leaves it to the next. Paths are as sent, parameters are decoded.
 * - `mux`: as the routers of Go do: an exact path goes before one with parameters, the first of which
 *   may hold slashes, and what is longer before and behind them goes before what is shorter. Verbs do not matter,
 *   so that a wrong one is 405 there and never another path's. Paths are decoded.
 * - `mounts`: patterns of an engine, from its mount and without a leading slash: `:name` is one name,
 *   `*name` the rest or, in the middle, anything with slashes; the first pattern that fits counts, those
 *   that begin with a word first. Paths are decoded; those that can be listed may end with a slash.
 * - `system`: as `mounts`, but the rest of a path has something in it.
 */
export type OrderStrategy = 'tree' | 'mux' | 'mounts' | 'system'

const strategies = {
  tree: treeRouter,
  mux: muxRouter,
  mounts: mountRouter,
  system: systemRouter,
} as const

/**
 * Compiles operations to a router. It costs a fraction of as many routes of the framework, and is made
 * for all of an API at once: adding a route costs a server's start, not its requests.
 *
 * @param verbOf how an operation is called: its method, or a verb of the API's own
 */
export function createRouter<O extends HasPath>(
  operations: readonly O[],
  order: OrderStrategy,
  verbOf: (operation: O) => string,
): Router<O> {
  const routes = new Map<string, Route<O> & { readonly operations: Map<string, O> }>()
  for (const operation of operations) {
    const { path } = operation
    const route = routes.get(path) ?? { path, operations: new Map<string, O>(), first: operation }
    route.operations.set(verbOf(operation), operation)
    routes.set(path, route)
  }
  return strategies[order]([...routes.values()])
}

/** The verbs that a path takes, sorted; none for an unknown path. */
export function verbsAt<O>(router: Router<O>, path: string): string[] {
  const verbs = router.all(path).flatMap(({ operations }) => [...operations.keys()])
  return [...new Set(verbs)].sort()
}

/** A place in the tree, with the names of its path's parameters in order. */
interface Leaf<O> {
  readonly route: Route<O>
  readonly names: readonly string[]
}

/** A segment of the paths that begin alike. */
class TreeNode<O> {
  readonly literal = new Map<string, TreeNode<O>>()
  /** Any one segment, if some path has a parameter here. */
  parameter: TreeNode<O> | undefined
  /** Those whose path ends here; more than one where parameters have several names. */
  readonly leaves: Leaf<O>[] = []
  /** Those that take the rest of the path. */
  readonly wildcards: Leaf<O>[] = []
}

/** Looks for places on the way down a tree, the most literal first. */
interface Search<O> {
  readonly path: string
  /** The values of the parameters so far. */
  readonly values: string[]
  /** Called at each place that fits; true ends the search. */
  visit(leaf: Leaf<O>): boolean
}

/** Makes a router with the strategy `tree`. */
export function treeRouter<O>(routes: readonly Route<O>[]): Router<O> {
  const root = new TreeNode<O>()
  const exact = new Map<string, Route<O>>()
  for (const route of routes) {
    insertRoute(root, route)
    if (!/[:*]/.test(route.path)) exact.set(route.path, route)
  }
  return {
    routes,
    find(path, verb) {
      // What is literal throughout goes before everything else.
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
    if (segment === '*') {
      node.wildcards.push({ route, names: [...names, '*'] })
      return
    }
    if (segment.startsWith(':')) {
      names.push(segment.slice(1))
      node.parameter ??= new TreeNode()
      node = node.parameter
    } else {
      const next = node.literal.get(segment) ?? new TreeNode()
      node.literal.set(segment, next)
      node = next
    }
  }
  node.leaves.push({ route, names })
}

/** Where the first segment begins; behind the end when there is none. */
function firstSegmentStart(path: string): number {
  return path === '/' || path === '' ? path.length + 1 : 1
}

/** Goes on below a branch with the segment that begins at a position; true ends the search. */
function descend<O>(node: TreeNode<O>, from: number, search: Search<O>): boolean {
  const { path, values, visit } = search
  if (from > path.length) {
    for (const leaf of node.leaves) if (visit(leaf)) return true
  } else {
    const slash = path.indexOf('/', from)
    const end = slash < 0 ? path.length : slash
    const segment = path.slice(from, end)
    const next = node.literal.get(segment)
    if (next !== undefined && descend(next, end + 1, search)) return true
    if (node.parameter !== undefined && segment !== '') {
      values.push(segment)
      if (descend(node.parameter, end + 1, search)) return true
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
  for (const name of names) params[name] = decode(values[at++] ?? '')
  return params
}

/**
 * Decodes a part of a path. What cannot be decoded stays as it is: no id is written so, so nothing
 * is found.
 */
function decode(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A path with parameters between fixed parts. */
interface ParameterizedPath<O> {
  /** The fixed part in front of the first parameter. */
  readonly before: string
  readonly names: readonly string[]
  /** The fixed parts between two parameters. */
  readonly between: readonly string[]
  /** The fixed part behind the last; empty where that takes the rest of the path. */
  readonly after: string
  readonly route: Route<O>
}

/** Makes a router with the strategy `mux`. */
export function muxRouter<O>(routes: readonly Route<O>[]): Router<O> {
  const exact = new Map<string, Route<O>>()
  /** By first segment, the most particular first. */
  const open = new Map<string, ParameterizedPath<O>[]>()
  for (const route of routes) {
    const { path } = route
    // Fixed parts and names, by turns.
    const [before = '', ...rest] = path.split(/:([^/:]+)/)
    if (rest.length === 0) exact.set(path, route)
    else {
      const names = rest.filter((_, at) => at % 2 === 0)
      const between = rest.filter((_, at) => at % 2 === 1)
      const after = between.pop() ?? ''
      const first = firstSegment(path)
      open.set(first, [...(open.get(first) ?? []), { before, names, between, after, route }])
    }
  }
  for (const group of open.values()) {
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
      for (const each of open.get(firstSegment(path)) ?? []) {
        const params = paramsOf(each, path)
        if (params !== undefined) return { route: each.route, params }
      }
      return undefined
    },
    all(path) {
      const route = exact.get(path)
      const others = (open.get(firstSegment(path)) ?? []).filter(
        (each) => paramsOf(each, path) !== undefined,
      )
      return [...(route === undefined ? [] : [route]), ...others.map((each) => each.route)]
    },
  }
}

/** The values of a path's parameters, of which the first may hold slashes; undefined where it does not fit. */
function paramsOf<O>(open: ParameterizedPath<O>, path: string): Params | undefined {
  const { before, names, between, after } = open
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

/** `job` of `/job/x/y`. */
function firstSegment(path: string): string {
  const slash = path.indexOf('/', 1)
  return slash < 0 ? path.slice(1) : path.slice(1, slash)
}
