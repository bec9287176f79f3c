import { uint } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import { defineTable } from '../kernel/store/table.ts'
import type { World } from '../kernel/worlds/world.ts'

/** The name under which the store counts the mesh's writes. */
export const meshName = 'mesh'

/** The index of the last write to each kind of data, removals included. */
export const dataIndexes = defineTable({
  service: meshName,
  name: 'indexes',
  shape: struct({ index: uint }),
})

/**
 * The index that the open transaction gets: CreateIndex and ModifyIndex of what it writes
 * (behaviour/mesh#index).
 */
export function nextIndex(world: World): number {
  return world.store.nextIndex(meshName)
}

/** Notes in the open transaction that it writes to a kind of data. */
export function touch(world: World, kind: string): void {
  world.table(dataIndexes).put(kind, { index: nextIndex(world) })
}

/** The index of the last write to a kind of data; 1 where there was none, because 0 would make clients spin. */
export function indexOf(world: World, kind: string): number {
  return Math.max(1, world.table(dataIndexes).get(kind)?.index ?? 0)
}

/** Notes in the open transaction that a kind of data is gone for good. */
export function forgetIndex(world: World, kind: string): void {
  world.table(dataIndexes).delete(kind)
}
