import type { Checkpoint } from '../store/checkpoints.ts'
import type { StoreSnapshot } from '../store/open-table.ts'
import type { Store } from '../store/store.ts'
import type { Row, TableDefinition } from '../store/table.ts'
import type { ClockState } from '../time/clock.ts'
import { timings } from '../time/transitions.ts'
import { faultTables } from './fault-tables.ts'
import type { IdState } from './ids.ts'

/** One universe at one moment: state, pending work, time and the position of the id generator. */
export interface WorldSnapshot {
  readonly store: StoreSnapshot
  readonly clock: ClockState
  readonly ids: IdState
}

/** A moment of a world that somebody may want to see again. */
export interface WorldCheckpoint extends Omit<WorldSnapshot, 'store'> {
  readonly store: Checkpoint
}

/** The parts of a world that a reset can put back. */
export type ResetPart = 'state' | 'clock' | 'ids' | 'transitions' | 'faults'

/** What a reset puts back unless it is told otherwise. */
export const allParts: readonly ResetPart[] = ['state', 'clock', 'ids', 'transitions', 'faults']

/** Rows that a reset decides about by themselves, apart from the state. */
export type PartRows = readonly (readonly [TableDefinition, readonly [string, Row][]])[]

/**
 * The paces and faults that a world has after a reset: those of its beginning where that part is put
 * back, else those of now.
 */
export function rowsAfterReset(
  store: Store,
  initial: WorldSnapshot,
  parts: ReadonlySet<ResetPart>,
): PartRows {
  const rowsOf = (part: ResetPart, definition: TableDefinition): [string, Row][] => {
    const rows = parts.has(part)
      ? (initial.store.tables.get(definition.id)?.tree.entries() ?? [])
      : store.table(definition).entries()
    return [...rows]
  }
  return [
    [timings, rowsOf('transitions', timings)],
    ...faultTables.map((table: TableDefinition) => [table, rowsOf('faults', table)] as const),
  ]
}

/** Makes these the rows of their tables; a table that has never been opened stays closed for none. */
export function replaceRows(store: Store, tables: PartRows): void {
  for (const [definition, rows] of tables) {
    if (rows.length === 0 && !store.hasRows(definition)) continue
    const table = store.table(definition)
    table.deleteAll('')
    for (const [key, row] of rows) table.put(key, row)
  }
}
