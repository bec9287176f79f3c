import type { Checkpoint } from '../store/checkpoints.ts'
import type { StoreSnapshot } from '../store/open-table.ts'
import type { Store } from '../store/store.ts'
import type { Row, TableDefinition } from '../store/table.ts'
import type { ClockState } from '../time/clock.ts'
import { timings } from '../time/transitions.ts'
import { faultTables } from './fault-tables.ts'
import type { IdState } from './ids.ts'

/**
 * The whole state of a world at one point: rows, pending jobs, time and the position of the id
 * generator.
 */
export interface WorldSnapshot {
  readonly store: StoreSnapshot
  readonly clock: ClockState
  readonly ids: IdState
}

/** A point in the history of a world that may be needed again; see `World.at`. */
export interface WorldCheckpoint extends Omit<WorldSnapshot, 'store'> {
  readonly store: Checkpoint
}

/** The members of a world that make up a checkpoint. */
interface CheckpointedWorld {
  readonly store: { checkpoint(): Checkpoint }
  readonly clock: { readonly state: ClockState }
  readonly ids: { readonly state: IdState }
}

/**
 * Returns a checkpoint of the present state. If nothing has changed since `last`, returns `last`,
 * because each request keeps a checkpoint, and one shared object costs the garbage collector
 * nothing.
 */
export function currentCheckpoint(
  world: CheckpointedWorld,
  last: WorldCheckpoint | undefined,
): WorldCheckpoint {
  const store = world.store.checkpoint()
  const clock = world.clock.state
  const ids = world.ids.state
  const isSame = last?.store === store && last.clock === clock && last.ids === ids
  return isSame ? last : { store, clock, ids }
}

/** Parts of a world that a reset can restore. */
export type ResetPart = 'state' | 'clock' | 'ids' | 'transitions' | 'faults'

/** Parts that a reset restores by default. */
export const allParts: readonly ResetPart[] = ['state', 'clock', 'ids', 'transitions', 'faults']

/** Tables that a reset handles separately from the state, each with its keys and rows. */
type PartRows = readonly (readonly [TableDefinition, readonly [string, Row][]])[]

/**
 * Returns the rows of timings, faults and presets after a reset: the initial rows of the parts that
 * the reset restores, and the current rows of the others.
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

/**
 * Replaces all rows of the given tables, inside a transaction. A table that is empty and gets no
 * rows is not opened.
 */
export function replaceRows(store: Store, tables: PartRows): void {
  for (const [definition, rows] of tables) {
    if (rows.length === 0 && !store.hasRows(definition)) continue
    const table = store.table(definition)
    table.deleteAll('')
    for (const [key, row] of rows) table.put(key, row)
  }
}
