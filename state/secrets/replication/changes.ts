import type { World } from '../../kernel/worlds/world.ts'
import { type ReplicatedChange, replicatedTables } from './feed.ts'

/** Writes and deletes rows as the primary did; part of a transaction. */
export function applyChanges(world: World, changes: Iterable<ReplicatedChange>): void {
  const tables = replicatedTables(world)
  for (const { table: id, key, row } of changes) {
    const definition = tables.get(id)
    if (definition === undefined) throw new Error(`the primary sent a row of ${id}`)
    if (row === null) world.table(definition).delete(key)
    else world.table(definition).put(key, row)
  }
}

/** After a promotion the write-ahead position goes on where the primary's stood. */
export function raiseIndex(world: World, wal: number): void {
  if (world.store.index('secrets') < wal) world.store.startIndex('secrets', wal)
}
