import { canonicalJson } from '../../json/json.ts'
import type { Json } from '../../kernel/json.ts'
import { text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { nextWal, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { holderOf, type Token } from '../tokens/rows.ts'
import { namesInFolder } from './folders.ts'
import { refuse } from './messages.ts'

const cubbyholeEntryShape = struct({
  /** The key-value pairs as JSON text. */
  data: text,
  ...walField,
})
export interface CubbyholeEntry extends StoredOf<typeof cubbyholeEntryShape> {}

/**
 * Entries by `<accessor of the token>/<path>`. Batch tokens, which have no accessor, cannot have
 * entries.
 */
export const cubbyholes = secretsTable('cubbyholes', cubbyholeEntryShape, {
  secrets: { members: ['data'] },
})

export function hasCubbyholeEntry(world: World, token: Token, path: string): boolean {
  return world.table(cubbyholes).has(keyOf(token, path))
}

/**
 * Returns the key-value pairs at a path, as JSON text.
 * @throws Refusal for a batch token and for an empty path, and `absent` if the path has no entry
 */
export function readCubbyhole(world: World, token: Token, path: string): string {
  const key = keyOf(token, path)
  if (path === '') throw refuse('cubbyhole-no-path')
  const entry = world.table(cubbyholes).get(key)
  if (entry === undefined) throw refuse('nothing-here')
  return entry.data
}

/**
 * Replaces all key-value pairs at a path (behaviour/secrets#cubbyhole).
 * @throws Refusal for a batch token, for an empty path and for empty data
 */
export function writeCubbyhole(
  world: World,
  token: Token,
  path: string,
  pairs: Readonly<Record<string, Json>>,
): void {
  const key = keyOf(token, path)
  if (Object.keys(pairs).length === 0) throw refuse('cubbyhole-no-pairs')
  if (path === '') throw refuse('cubbyhole-no-path')
  const data = canonicalJson({ ...pairs })
  world.write(() => world.table(cubbyholes).put(key, { data, wal: nextWal(world) }))
}

/**
 * Deletes the entry at a path. Does nothing if the path has no entry. Throws a refusal for a batch
 * token.
 */
export function deleteCubbyhole(world: World, token: Token, path: string): void {
  const key = keyOf(token, path)
  world.write(() => world.table(cubbyholes).delete(key))
}

/**
 * Lists the names in a folder, sorted bytewise; names of sub-folders end with a slash.
 * @param folder path that ends with a slash; empty for the root
 * @throws Refusal for a batch token, and `absent` if the folder contains nothing
 */
export function listCubbyhole(world: World, token: Token, folder: string): string[] {
  return namesInFolder(world, cubbyholes, keyOf(token, folder))
}

/** Deletes all entries of a token. Called when the token is revoked. */
export function wipeCubbyhole(world: World, token: Token): void {
  world.write(() => world.table(cubbyholes).deleteAll(`${holderOf(token)}/`))
}

function keyOf(token: Token, path: string): string {
  if (token.type === 'batch') throw refuse('cubbyhole-of-batch-token')
  return `${holderOf(token)}/${path}`
}
