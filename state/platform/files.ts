import type { World } from '../kernel/worlds/world.ts'
import { addObject, objects, putContent, removeContent, type StoredObject } from './objects.ts'

/**
 * Current address of a file in the object store: its upload address until the file is uploaded,
 * then its download address. A subject such as `provver-…/shasums` identifies the file.
 */
interface FileAddress {
  /** Id of the row in `objects`, which is the secret part of the URL. */
  readonly id: string
  readonly isUploaded: boolean
}

/**
 * Returns the current address of a file. Returns undefined if neither an upload is expected nor a
 * file is stored for the subject.
 */
export function fileAddress(world: World, subject: string): FileAddress | undefined {
  const object = world.table(objects).index('ofFile').get(subject)
  return object && { id: object.id, isUploaded: object.kind === 'file' }
}

/** Creates the upload address of a file. Must run inside a transaction. */
export function createUploadAddress(world: World, subject: string): void {
  addObject(world, 'file-upload', subject)
}

/**
 * Stores an uploaded file and replaces its upload address by a download address. Must run inside a
 * transaction.
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
