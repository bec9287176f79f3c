import { putRow, rowsOf } from './packed.ts'
import type { TracedState, TracedWorld } from './trace.ts'

/** Returns the position of a request among the steps, the latest of several; -1 if there is none. */
export function positionOf({ steps }: TracedWorld, request: string): number {
  return steps.findLastIndex((step) => step.kind === 'request' && step.entry.id === request)
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
