import { uint } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import { defineTable } from '../kernel/store/table.ts'
import type { World } from '../kernel/worlds/world.ts'

/** Service name under which the store counts the mesh's writes. */
export const meshName = 'mesh'

/** Index of the last write to each kind of data, including deletions. */
export const dataIndexes = defineTable({
  service: meshName,
  name: 'indexes',
  secrets: 'none',
  shape: struct({ index: uint }),
})

/**
 * Returns the index of the open transaction, which becomes the CreateIndex and ModifyIndex of its
 * rows (behaviour/mesh#index).
 */
export function nextIndex(world: World): number {
  return world.store.nextIndex(meshName)
}

/** Records within the open transaction that it writes to a kind of data. */
export function touch(world: World, kind: string): void {
  world.table(dataIndexes).put(kind, { index: nextIndex(world) })
}

/**
 * Returns the index of the last write to a kind of data, or 1 if there was no write. Clients would
 * poll without waiting if it were 0.
 */
export function indexOf(world: World, kind: string): number {
  return Math.max(1, world.table(dataIndexes).get(kind)?.index ?? 0)
}

/** Removes the index of a kind of data that is gone for good, within the open transaction. */
export function forgetIndex(world: World, kind: string): void {
  world.table(dataIndexes).delete(kind)
}
