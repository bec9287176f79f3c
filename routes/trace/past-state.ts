import type { Row } from '../../state/kernel/store/table.ts'
import type { TracedChange, TracedState, TracedWorld } from './trace.ts'

/** Mutable copy of a state: rows by table and key. */
type Rows = Map<string, Map<string, Row>>

/**
 * Returns the rows of a world right after a request, by table and key; without a request, the rows
 * at the end of the run. The page and the command line both use this function.
 *
 * @param request id of a request; of several with this id, the latest
 * @returns undefined if the trace has no such request
 */
export function stateAfter(world: TracedWorld, request?: string): TracedState | undefined {
  const { steps } = world
  const last =
    request === undefined
      ? steps.length - 1
      : steps.findLastIndex((step) => step.kind === 'request' && step.entry.id === request)
  if (request !== undefined && last < 0) return undefined
  let rows = rowsOf(world.start)
  for (const step of steps.slice(0, last + 1)) {
    if (step.kind === 'replaced') rows = rowsOf(step.state)
    else if (step.kind === 'changes') for (const change of step.changes) apply(rows, change)
  }
  return Object.fromEntries(
    [...rows]
      .filter(([, table]) => table.size > 0)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([id, table]) => [id, Object.fromEntries(table)]),
  )
}

function rowsOf(state: TracedState): Rows {
  return new Map(
    Object.entries(state).map(([table, rows]) => [table, new Map(Object.entries(rows))]),
  )
}

function apply(rows: Rows, { table, key, after }: TracedChange): void {
  const known = rows.get(table) ?? new Map<string, Row>()
  rows.set(table, known)
  if (after === undefined) known.delete(key)
  else known.set(key, after)
}
