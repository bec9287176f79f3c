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

/** A secret of the unversioned engine (behaviour/secrets#api-kv1). */
const plainSecretShape = struct({
  /** The pairs as canonical JSON text, which reads return unchanged. */
  data: text,
  /** The advisory TTL in the pairs, in seconds; null if the pairs have none that can be parsed. */
  ttl: described(nullable(int), 'Seconds'),
  ...walField,
})
export interface PlainSecret extends StoredOf<typeof plainSecretShape> {}

/** Secrets by mount and path. */
export const kv1Secrets = secretsTable('kv1-secrets', plainSecretShape, {
  secrets: { members: ['data'] },
})

/** The pairs at a path as JSON text, and the advisory TTL in seconds. */
interface SecretWithTtl {
  readonly data: string
  readonly ttl: number
}

function keyOf(mount: Mount, path: string): string {
  return storagePrefix(mount) + path
}

/** Reads a secret. Throws an `absent` refusal if there is none. */
export function readPlainSecret(world: World, mount: Mount, path: string): SecretWithTtl {
  const secret = world.table(kv1Secrets).get(keyOf(mount, path))
  if (secret === undefined) throw refuse('nothing-here')
  return { data: secret.data, ttl: secret.ttl ?? defaultLeaseTtl(mount) }
}

/** Returns whether a secret exists. If so, a write to the path is an update. */
export function hasPlainSecret(world: World, mount: Mount, path: string): boolean {
  return world.table(kv1Secrets).has(keyOf(mount, path))
}

/** Replaces all pairs at a path. Refuses an empty path and an empty set of pairs. */
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

/** Deletes a secret. Does nothing if there is none. */
export function deletePlainSecret(world: World, mount: Mount, path: string): void {
  world.write(() => world.table(kv1Secrets).delete(keyOf(mount, path)))
}

/**
 * Returns the names in a folder, sorted bytewise; names of sub-folders end with a slash. Throws an
 * `absent` refusal if the folder contains nothing.
 *
 * @param folder path that ends with a slash; empty for the root of the mount
 */
export function listPlainSecrets(world: World, mount: Mount, folder: string): string[] {
  return namesInFolder(world, kv1Secrets, keyOf(mount, folder))
}

/**
 * Returns the TTL in the pair `ttl` or else in the pair `lease`, in seconds. Returns null if
 * neither is a duration; the mount's default applies then (behaviour/secrets#key-value).
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
 * Parses a duration as the reference does. Null counts as zero. Returns null for values other than
 * strings and numbers.
 */
function durationSeconds(value: Json): number | null {
  if (value === null) return 0
  if (value instanceof JsonNumber) return toSeconds(parseDuration(value.text))
  if (typeof value !== 'string' && typeof value !== 'number') return null
  return toSeconds(parseDuration(value))
}
