import type { Row } from '../../state/kernel/store/table.ts'
import { applyPatch, type RowPatch } from './row-patch.ts'
import type { ChangesStep, Trace, TracedChange, TracedState, TraceStep } from './trace.ts'

/**
 * Trace in the form that is stored in its file. A changed row is stored as a difference from its
 * previous version.
 */
export type PackedTrace = Omit<Trace, 'worlds'> & { readonly worlds: readonly PackedWorld[] }

export type PackedWorld = Omit<Trace['worlds'][number], 'steps'> & {
  readonly steps: readonly PackedStep[]
}

export type PackedStep = Exclude<TraceStep, ChangesStep> | PackedChangesStep

type PackedChangesStep = Omit<ChangesStep, 'changes'> & {
  readonly changes: readonly PackedChange[]
}

/**
 * Change of a row: a patch of the previous version, a new row, or neither if the row was deleted.
 * The previous version is left out if it follows from the preceding steps.
 */
export interface PackedChange extends TracedChange {
  readonly patch?: RowPatch
}

/** Mutable rows, by table and key. */
type Rows = Map<string, Map<string, Row>>

/** Unpacks a trace: returns it with both versions of each changed row instead of patches. */
export function unpackTrace({ worlds, ...trace }: PackedTrace): Trace {
  return {
    ...trace,
    worlds: worlds.map((world) => ({ ...world, steps: unpackSteps(world) })),
  }
}

function unpackSteps({ start, steps }: PackedWorld): readonly TraceStep[] {
  let rows = rowsOf(start)
  return steps.map((step) => {
    if (step.kind === 'replaced') rows = rowsOf(step.state)
    if (step.kind !== 'changes') return step
    return { ...step, changes: step.changes.map((change) => unpackChange(change, rows)) }
  })
}

function unpackChange({ patch, ...change }: PackedChange, rows: Rows): TracedChange {
  const { table, key } = change
  const known = rows.get(table)?.get(key)
  const after = patch === undefined ? change.after : applyPatch(known ?? {}, patch)
  const isNew = patch === undefined && change.after !== undefined
  const before = change.before ?? (isNew ? undefined : known)
  putRow(rows, change, after)
  return {
    table,
    key,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  }
}

/** Returns a mutable copy of a state. */
export function rowsOf(state: TracedState): Rows {
  return new Map(
    Object.entries(state).map(([table, rows]) => [table, new Map(Object.entries(rows))]),
  )
}

/** Stores a row at its key, or removes the row at the key if `row` is undefined. */
export function putRow(
  rows: Rows,
  { table, key }: Pick<TracedChange, 'table' | 'key'>,
  row: Row | undefined,
): void {
  const known = rows.get(table) ?? new Map<string, Row>()
  rows.set(table, known)
  if (row === undefined) known.delete(key)
  else known.set(key, row)
}
