import { type Checkpoint, checkpointsFrom } from './checkpoints.ts'
import type { StoreSnapshot } from './open-table.ts'
import { Store } from './store.ts'

/**
 * Returns the content of a store at a checkpoint, and keeps it in the checkpoint for the next call.
 * The first call starts from the next later checkpoint with known content and undoes the writes
 * between that checkpoint and this one.
 *
 * @param currentStore the store to which the checkpoint belongs; its present content is the end of
 *   the chain
 */
export function snapshotAt(currentStore: Store, checkpoint: Checkpoint): StoreSnapshot {
  const [last = checkpoint, ...steps] = checkpointsFrom(checkpoint).toReversed()
  const store = new Store()
  store.restore(last.content ?? currentStore.snapshot())
  for (const { changes, indexes } of steps) {
    for (const { openTable, key, before } of changes.toReversed()) {
      store.table(openTable.definition).revert(key, before)
    }
    for (const [service, index] of indexes.toReversed()) store.setIndex(service, index)
  }
  store.feed.restart(checkpoint.sequence)
  checkpoint.content = store.snapshot()
  return checkpoint.content
}
