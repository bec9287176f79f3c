import type { TableDefinition } from '../../state/kernel/table.ts'
import type { Unwatch } from '../../state/kernel/watchers.ts'
import type { World } from '../../state/kernel/world.ts'
import type { Capability } from '../../state/scheduler/acl/capabilities.ts'
import { type DataKind, dataIndexes } from '../../state/scheduler/indexes.ts'
import { denied } from '../../state/scheduler/refusals.ts'
import { unwatchAll } from '../http/blocking.ts'
import type { SchedulerContext } from './operation.ts'

/** Refuses a caller without a capability in a namespace (3b-scheduler-decisions.md section 1, Auth). */
export function demand(
  { caller }: SchedulerContext,
  namespace: string,
  capability: Capability,
): void {
  if (!caller.may(namespace, capability)) throw denied()
}

/** Refuses a caller that is not management (section 10: writes of namespaces, ACLs, nodes). */
export function demandManagement({ caller }: SchedulerContext): void {
  if (!caller.isManagement) throw denied()
}

/** Wakes at each commit that concerns one of these kinds of data, for reads whose index is theirs. */
export function watchKinds(
  world: World,
  kinds: readonly DataKind[],
): (wake: () => void) => Unwatch {
  const { watchers } = world.store
  return (wake) => unwatchAll(kinds.map((kind) => watchers.watchKey(dataIndexes.id, kind, wake)))
}

/**
 * Wakes when a row changes, and, while there is none, at each commit that concerns its kind of data: the
 * index of what does not exist is that of its table (3b-scheduler-decisions.md section 1, Blocking).
 */
export function watchRow(
  world: World,
  table: TableDefinition,
  key: string,
  kind: DataKind,
): (wake: () => void) => Unwatch {
  const isThere = () => world.table(table).has(key)
  return (wake) =>
    watchUntilGone(wake, isThere, watchKinds(world, [kind]), (changed) =>
      world.store.watchers.watchKey(table.id, key, changed),
    )
}

/**
 * Wakes at each change of something, and from the moment when it is gone at what `watchAbsent` watches,
 * too.
 */
export function watchUntilGone(
  wake: () => void,
  isThere: () => boolean,
  watchAbsent: (wake: () => void) => Unwatch,
  watch: (changed: () => void) => Unwatch,
): Unwatch {
  let absent: Unwatch | undefined
  const look = () => {
    if (!isThere()) absent ??= watchAbsent(wake)
  }
  const present = watch(() => {
    look()
    wake()
  })
  look()
  return () => {
    present()
    absent?.()
  }
}
