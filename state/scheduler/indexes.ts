import { uint } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import { tablesFor } from '../kernel/store/table.ts'
import type { World } from '../kernel/worlds/world.ts'

/** The service name under which the store counts the scheduler's indexes. */
export const schedulerName = 'scheduler'

export const schedulerTable = tablesFor(schedulerName)

/** Kinds of data, each of which has a separate index (behaviour/scheduler#blocking). */
export type DataKind =
  | 'jobs'
  | 'versions'
  | 'submissions'
  | 'summaries'
  | 'evaluations'
  | 'allocations'
  | 'deployments'
  | 'nodes'
  | 'node-pools'
  | 'scaling-events'
  | 'scaling-policies'
  | 'services'
  | 'namespaces'
  | 'acl-policies'
  | 'acl-tokens'
  | 'acl-roles'
  | 'variables'
  | 'root-keys'

/** Index of the last write or deletion, by kind of data. */
export const dataIndexes = schedulerTable('indexes', struct({ index: uint }), { secrets: 'none' })

/**
 * Returns the index of the open transaction or, if no transaction is open, of the next transaction.
 * All writes of a transaction share one index (behaviour/scheduler#versions).
 */
export function nextIndex(world: World): number {
  return world.store.nextIndex(schedulerName)
}

export function lastIndex(world: World): number {
  return world.store.index(schedulerName)
}

/**
 * Returns the index for replies to writes: the transaction's index if a transaction is open and has
 * written, otherwise the index of the last commit.
 */
export function writtenIndex(world: World): number {
  return world.store.writtenIndex(schedulerName)
}

/**
 * Sets the index of a kind of data as if a row had been written. Needed only for requests that
 * change the index but write no row; the service's `dataIndexRule` sets the index for all writes of
 * rows.
 *
 * @param index by default the index of the transaction
 */
export function touchIndex(world: World, kind: DataKind, index = nextIndex(world)): void {
  world.table(dataIndexes).put(kind, { index })
}

/**
 * Returns the row that contains the index of a kind of data, or undefined before the first write.
 * Every write creates a new row object, so the object can be the key of a cache.
 */
export function dataIndexRow(world: World, kind: DataKind): object | undefined {
  return world.table(dataIndexes).get(kind)
}

/**
 * Kinds of data whose index is 0 before the first write. All other kinds have the index 1
 * (behaviour/scheduler#blocking).
 */
const kindsStartingAtZero: ReadonlySet<DataKind> = new Set([
  'jobs',
  'versions',
  'submissions',
  'summaries',
  'evaluations',
  'allocations',
  'deployments',
  'nodes',
])

export function dataIndex(world: World, kind: DataKind): number {
  return world.table(dataIndexes).get(kind)?.index ?? (kindsStartingAtZero.has(kind) ? 0 : 1)
}
