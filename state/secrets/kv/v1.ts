import { parseDuration, toSeconds } from '../../go/duration.ts'
import { canonicalJson } from '../../json/json.ts'
import { type Json, JsonNumber, type JsonObject } from '../../kernel/json.ts'
import { Refusal } from '../../kernel/refusal.ts'
import { int, nullable, text } from '../../kernel/shape/kinds.ts'
import { described, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { defaultLeaseTtl, type Mount, nextWal, storagePrefix, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { namesInFolder } from './folders.ts'
import { refuse } from './messages.ts'

const plainSecretShape = struct({
  /** The key-value pairs as canonical JSON text, which reads return unchanged. */
  data: text,
  /** Advisory TTL in seconds, parsed from the pairs; null if they contain no valid TTL. */
  ttl: described(nullable(int), 'Seconds'),
  ...walField,
})
export interface PlainSecret extends StoredOf<typeof plainSecretShape> {}

/** Secrets by `<mount uuid>/<path>`. */
export const kv1Secrets = secretsTable('kv1-secrets', plainSecretShape, {
  secrets: { members: ['data'] },
})

/** The key-value pairs at a path as JSON text, and the advisory TTL in seconds. */
interface SecretWithTtl {
  readonly data: string
  readonly ttl: number
}

function keyOf(mount: Mount, path: string): string {
  return storagePrefix(mount) + path
}

/**
 * Reads the secret at a path. The TTL is the mount's default unless the pairs contain a valid TTL.
 * @throws Refusal `absent` if the path has no secret
 */
export function readPlainSecret(world: World, mount: Mount, path: string): SecretWithTtl {
  const secret = world.table(kv1Secrets).get(keyOf(mount, path))
  if (secret === undefined) throw refuse('nothing-here')
  return { data: secret.data, ttl: secret.ttl ?? defaultLeaseTtl(mount) }
}

/**
 * Returns whether the path has a secret. A write to such a path is an update, and needs a different
 * capability than a creation.
 */
export function hasPlainSecret(world: World, mount: Mount, path: string): boolean {
  return world.table(kv1Secrets).has(keyOf(mount, path))
}

/**
 * Replaces all key-value pairs at a path.
 * @throws Refusal for an empty path and for empty data
 */
export function writePlainSecret(
  world: World,
  mount: Mount,
  path: string,
  pairs: Readonly<JsonObject>,
): void {
  if (path === '') throw refuse('missing-path')
  if (Object.keys(pairs).length === 0) throw refuse('no-pairs')
  const secret = { data: canonicalJson(pairs), ttl: suggestedTtl(pairs) }
  const key = keyOf(mount, path)
  world.write(() => world.table(kv1Secrets).put(key, { ...secret, wal: nextWal(world) }))
}

/** Deletes the secret at a path. Does nothing if the path has no secret. */
export function deletePlainSecret(world: World, mount: Mount, path: string): void {
  world.write(() => world.table(kv1Secrets).delete(keyOf(mount, path)))
}

/**
 * Lists the names in a folder, sorted bytewise; names of sub-folders end with a slash.
 *
 * @param folder path that ends with a slash; empty for the root of the mount
 * @throws Refusal `absent` if the folder contains nothing
 */
export function listPlainSecrets(world: World, mount: Mount, folder: string): string[] {
  return namesInFolder(world, kv1Secrets, keyOf(mount, folder))
}

/**
 * Returns the advisory TTL in seconds, from the pair `ttl` or else from the pair `lease`. Returns
 * null if neither pair exists or the value is not a duration; replies then contain the mount's
 * default (behaviour/secrets#kv1).
 */
function suggestedTtl(pairs: Readonly<JsonObject>): number | null {
  const name = ['ttl', 'lease'].find((key) => Object.hasOwn(pairs, key))
  const ttlText = name === undefined ? undefined : pairs[name]
  if (ttlText === undefined) return null
  try {
    return durationSeconds(ttlText)
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/**
 * Parses a duration as the reference does, and returns seconds. Returns 0 for null. Returns null
 * for booleans, lists and objects. Throws a refusal for a string that is not a duration.
 */
function durationSeconds(value: Json): number | null {
  if (value === null) return 0
  if (value instanceof JsonNumber) return toSeconds(parseDuration(value.text))
  if (typeof value !== 'string' && typeof value !== 'number') return null
  return toSeconds(parseDuration(value))
}
