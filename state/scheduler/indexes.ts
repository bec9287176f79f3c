import { uint } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import { defineTable } from '../kernel/store/table.ts'
import type { World } from '../kernel/worlds/world.ts'

/** The name under which the store counts the scheduler's writes. */
export const schedulerName = 'scheduler'

/**
 * The kinds of data that have an index of their own (behaviour/scheduler#blocking).
 */
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

/** The index of the last write to each kind of data, removals included. */
export const dataIndexes = defineTable({
  service: schedulerName,
  name: 'indexes',
  shape: struct({ index: uint }),
})

/**
 * The index that the open transaction gets: all that it writes shares it (behaviour/scheduler#versions).
 */
export function nextIndex(world: World): number {
  return world.store.nextIndex(schedulerName)
}

/** The index of the last commit. */
export function lastIndex(world: World): number {
  return world.store.index(schedulerName)
}

/** The index of the last commit, that of the open transaction included: what a write tells. */
export function writtenIndex(world: World): number {
  return world.store.writtenIndex(schedulerName)
}

/**
 * Notes in the open transaction that it writes to a kind of data: data-indexes.ts does for every row
 * that is written, so this is for requests that count as writes without one.
 *
 * @param index the transaction's unless given
 */
export function touchIndex(world: World, kind: DataKind, index = nextIndex(world)): void {
  world.table(dataIndexes).put(kind, { index })
}

/** The row of a kind of data, another one after each write to it: what is derived from it is up to date. */
export function dataIndexRow(world: World, kind: DataKind): object | undefined {
  return world.table(dataIndexes).get(kind)
}

/** Kinds of data that tell index 0 before they are written to; of all others it is 1 (behaviour/scheduler#blocking). */
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

/** The index of the last write to a kind of data; 0 or 1 where there was none. */
export function dataIndex(world: World, kind: DataKind): number {
  return world.table(dataIndexes).get(kind)?.index ?? (kindsStartingAtZero.has(kind) ? 0 : 1)
}
