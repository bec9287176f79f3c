import { mountRouter, systemRouter } from './router-mounts.ts'
import { muxRouter } from './router-mux.ts'
import { treeRouter } from './router-tree.ts'
import type { Place, Placed, Router } from './routing.ts'

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
export function createRouter<O extends Placed>(
  operations: readonly O[],
  order: OrderStrategy,
  verbOf: (operation: O) => string,
): Router<O> {
  const places = new Map<string, Place<O> & { readonly operations: Map<string, O> }>()
  for (const operation of operations) {
    const { path } = operation
    const place = places.get(path) ?? { path, operations: new Map<string, O>(), first: operation }
    place.operations.set(verbOf(operation), operation)
    places.set(path, place)
  }
  return strategies[order]([...places.values()])
}

/** The verbs that a path takes, sorted; none for an unknown path. */
export function verbsAt<O>(router: Router<O>, path: string): string[] {
  const verbs = router.all(path).flatMap(({ operations }) => [...operations.keys()])
  return [...new Set(verbs)].sort()
}
