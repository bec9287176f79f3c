import type { World } from '../../kernel/worlds/world.ts'
import { type ReplicatedChange, replicatedTables } from './feed.ts'

/**
 * Applies changed and deleted rows of the primary. Must run inside a transaction. Throws an error
 * for a table that is not replicated.
 */
export function applyChanges(world: World, changes: Iterable<ReplicatedChange>): void {
  const tables = replicatedTables(world)
  for (const { table: id, key, row } of changes) {
    const definition = tables.get(id)
    if (definition === undefined) throw new Error(`the primary sent a row of ${id}`)
    if (row === null) world.table(definition).delete(key)
    else world.table(definition).put(key, row)
  }
}

/**
 * Raises the write-ahead index to that of the primary, so that the positions of new writes continue
 * from the primary's index after a promotion. Never lowers the index.
 */
export function raiseIndex(world: World, wal: number): void {
  if (world.store.index('secrets') < wal) world.store.setIndex('secrets', wal)
}
