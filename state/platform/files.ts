import type { World } from '../kernel/worlds/world.ts'
import { addObject, objects, putContent, removeContent, type StoredObject } from './objects.ts'

/**
 * Files that are uploaded once to an address of the object store, and downloaded from another one
 * afterwards. A file is named by its subject, such as `provver-…/shasums`.
 */
interface FileAddress {
  /** Id of the object that takes or returns the file. */
  readonly id: string
  readonly isUploaded: boolean
}

/** Returns the address of a file, if it has one. */
export function fileAddress(world: World, subject: string): FileAddress | undefined {
  const object = world.table(objects).index('ofFile').get(subject)
  return object && { id: object.id, isUploaded: object.kind === 'file' }
}

/** Creates the address to which a file is uploaded. Must run inside a transaction. */
export function expectFile(world: World, subject: string): void {
  addObject(world, 'file-upload', subject)
}

/**
 * Stores an uploaded file; from then on it is downloaded from an address of its own. Must run inside
 * a transaction.
 */
export function storeFile(
  world: World,
  { id, subject }: Pick<StoredObject, 'id' | 'subject'>,
  pieces: readonly string[],
): void {
  world.table(objects).delete(id)
  putContent(world, subject, pieces)
  addObject(world, 'file', subject)
}

/** Deletes a file and its address. Must run inside a transaction. */
export function dropFile(world: World, subject: string): void {
  const address = fileAddress(world, subject)
  if (address !== undefined) world.table(objects).delete(address.id)
  removeContent(world, subject)
}
