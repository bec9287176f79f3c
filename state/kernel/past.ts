import { type Moment, wayFrom } from './moments.ts'
import type { StoreSnapshot } from './open-table.ts'
import { Store } from './store.ts'

/** Everything as it was at a moment of a store. Costs what was written since, or less. */
export function contentAt(present: Store, moment: Moment): StoreSnapshot {
  const [last = moment, ...steps] = wayFrom(moment).toReversed()
  const past = new Store()
  past.restore(last.content ?? present.snapshot())
  for (const { changes, indexes } of steps) {
    for (const { openTable: opened, key, before } of changes.toReversed()) {
      past.table(opened.definition).revert(key, before)
    }
    for (const [service, index] of indexes.toReversed()) past.startIndex(service, index)
  }
  past.feed.restart(moment.sequence)
  moment.content = past.snapshot()
  return moment.content
}
