import { putRow, rowsOf } from './packed.ts'
import type { RequestStep, TracedState, TracedWorld } from './trace.ts'

/** Returns a unique name for each request of a world, by the position of the request's step. */
export function requestIdsByPosition({ steps }: TracedWorld): ReadonlyMap<number, string> {
  const last = steps.findLast((step): step is RequestStep => step.kind === 'request')
  const named = steps.flatMap((step, at): [number, string][] => {
    if (step.kind !== 'request') return []
    const { entry, round } = step
    // Ids restart with each reset. The names of requests before the last reset have a suffix: the
    // number of resets before the request.
    return [[at, round === last?.round ? entry.id : `${entry.id}.${round}`]]
  })
  return new Map(named)
}

/**
 * Returns the position of a request among the steps; -1 if no request has this name or id.
 *
 * @param request name of the request or, for the latest request with an id, this id
 */
export function positionOf(world: TracedWorld, request: string): number {
  const [exact] = [...requestIdsByPosition(world)].find(([, name]) => name === request) ?? []
  return (
    exact ??
    world.steps.findLastIndex((step) => step.kind === 'request' && step.entry.id === request)
  )
}

/**
 * Returns the rows of a world right after a step, by table and key. The page and the command line
 * both use this function.
 *
 * @param position position of the step; by default the last one; -1 for the start
 */
export function stateAfter(world: TracedWorld, position = world.steps.length - 1): TracedState {
  let rows = rowsOf(world.start)
  for (const step of world.steps.slice(0, position + 1)) {
    if (step.kind === 'replaced') rows = rowsOf(step.state)
    else if (step.kind === 'changes') {
      for (const change of step.changes) putRow(rows, change, change.after)
    }
  }
  return Object.fromEntries(
    [...rows]
      .filter(([, table]) => table.size > 0)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([id, table]) => [id, Object.fromEntries(table)]),
  )
}
