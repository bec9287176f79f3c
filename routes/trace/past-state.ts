import { putRow, rowsOf } from './packed.ts'
import type { RequestStep, TracedState, TracedWorld } from './trace.ts'

/** Returns unique names of the requests of a world, by the positions of their steps. */
export function requestIdsByPosition({ steps }: TracedWorld): ReadonlyMap<number, string> {
  const last = steps.findLast((step): step is RequestStep => step.kind === 'request')
  const named = steps.flatMap((step, at): [number, string][] => {
    if (step.kind !== 'request') return []
    const { entry, round } = step
    // Ids restart with each reset, so older requests get a suffix: the number of resets before
    // them.
    return [[at, round === last?.round ? entry.id : `${entry.id}.${round}`]]
  })
  return new Map(named)
}

/**
 * Returns the position of a request among the steps; -1 if no request has this name or id.
 *
 * @param request name of the request, or its id, which means the latest request with this id
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
 * @param position position of the step; the last one if left out, and -1 for the start
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
