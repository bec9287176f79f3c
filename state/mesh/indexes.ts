import { uint } from '../kernel/shape/kinds.ts'
import { struct } from '../kernel/shape/members.ts'
import { tablesFor } from '../kernel/store/table.ts'
import type { World } from '../kernel/worlds/world.ts'

/** Service name under which the store counts the mesh's writes. */
export const meshName = 'mesh'

/**
 * Declares a table whose writes count toward the mesh's index, unless the declaration sets
 * `keepsIndex`. The arguments are the name of the table, the shape of its rows, and the other
 * members of the declaration.
 */
export const meshTable = tablesFor(meshName)

/** Index of the last write to each kind of data, including deletions. */
export const dataIndexes = meshTable('indexes', struct({ index: uint }), { secrets: 'none' })

/**
 * Returns the index of the open transaction. This index becomes the ModifyIndex of each row that
 * the transaction writes, and the CreateIndex of each row that it adds (behaviour/mesh#index).
 */
export function nextIndex(world: World): number {
  return world.store.nextIndex(meshName)
}

/** Records that the open transaction writes to a kind of data. */
export function touch(world: World, kind: string): void {
  world.table(dataIndexes).put(kind, { index: nextIndex(world) })
}

/**
 * Returns the index of the last write to a kind of data. Returns 1 if there was no write, because
 * clients that receive the index 0 would poll without waiting.
 */
export function indexOf(world: World, kind: string): number {
  return Math.max(1, world.table(dataIndexes).get(kind)?.index ?? 0)
}

/**
 * Removes the index of a kind of data that will never exist again. Must run inside a transaction.
 */
export function forgetIndex(world: World, kind: string): void {
  world.table(dataIndexes).delete(kind)
}
