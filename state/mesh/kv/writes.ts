import { forEachPiece, type InParts } from '../../kernel/parts.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { requireWritableNamespace } from '../namespaces/namespaces.ts'
import { allowsLock, dropKeys, isLockDelayed, keyEntry, keysWithPrefix, storeKey } from './keys.ts'
import { sessionWithId } from './sessions.ts'
import { rowKeyOf } from './tables.ts'

/**
 * Value and flags to store in a key, and an optional check-and-set index. `acquireKey` and
 * `releaseKey` ignore `cas`.
 */
export interface KeyWrite {
  readonly value: Buffer
  /**
   * Number that the client chooses; a string of digits if a JavaScript number would lose precision.
   */
  readonly flags: number | string
  /** Required ModifyIndex of the stored key; 0 if the key must not exist. */
  readonly cas?: number | undefined
}

/**
 * Stores a value in a key. A locked key stays locked, but its lock index becomes 0. Stores nothing
 * and returns false if `cas` does not match. Throws a refusal if the namespace cannot be written.
 */
export function putKey(world: World, namespace: string, key: string, write: KeyWrite): boolean {
  requireWritableNamespace(world, namespace)
  const before = keyEntry(world, namespace, key)
  const { value, flags, cas } = write
  if (cas !== undefined && cas !== (before?.modify_index ?? 0)) return false
  const session = before?.session
  world.write(() => {
    storeKey(world, namespace, key, { value: encodeValue(value), flags, lockIndex: 0, session })
  })
  return true
}

/** Reason why a key could not be locked. */
type LockFailure = 'delayed' | 'held' | 'session missing' | 'session unknown'

/**
 * Stores a value and locks the key for a session of the namespace (behaviour/mesh#locks). Throws a
 * refusal if the namespace cannot be written.
 *
 * @returns the reason why the key could not be locked; undefined on success
 */
export function acquireKey(
  world: World,
  namespace: string,
  key: string,
  { value, flags }: KeyWrite,
  session: string,
): LockFailure | undefined {
  requireWritableNamespace(world, namespace)
  if (isLockDelayed(world, rowKeyOf(namespace, key))) return 'delayed'
  if (session === '') return 'session missing'
  if (sessionWithId(world, namespace, session) === undefined) return 'session unknown'
  const before = keyEntry(world, namespace, key)
  if (!allowsLock('acquire', session, before)) return 'held'
  const lockIndex = (before?.lock_index ?? 0) + (before?.session === undefined ? 1 : 0)
  world.write(() => {
    storeKey(world, namespace, key, { value: encodeValue(value), flags, lockIndex, session })
  })
  return undefined
}

/**
 * Stores a value in a key and unlocks the key. Returns false if the session does not hold the lock.
 * Throws a refusal if the namespace cannot be written.
 */
export function releaseKey(
  world: World,
  namespace: string,
  key: string,
  { value, flags }: KeyWrite,
  session: string,
): boolean {
  requireWritableNamespace(world, namespace)
  const before = keyEntry(world, namespace, key)
  if (!allowsLock('release', session, before)) return false
  const lockIndex = before?.lock_index ?? 0
  world.write(() => {
    storeKey(world, namespace, key, {
      value: encodeValue(value),
      flags,
      lockIndex,
      session: undefined,
    })
  })
  return true
}

/**
 * Deletes a key if it exists. Returns false if the key exists and `cas` does not match. Throws a
 * refusal if the namespace cannot be written.
 */
export function deleteKey(world: World, namespace: string, key: string, cas?: number): boolean {
  requireWritableNamespace(world, namespace)
  const before = keyEntry(world, namespace, key)
  // As in the reference, a `cas` of 0 deletes nothing, because no key has this index.
  if (cas !== undefined && before !== undefined && before.modify_index !== cas) return false
  if (before === undefined) return true
  world.write(() => dropKeys(world, namespace, [before]))
  return true
}

/**
 * Deletes every key that begins with `prefix`, with pauses so that other requests are served.
 * Throws a refusal if the namespace cannot be written.
 */
export function deleteKeysWithPrefix(world: World, namespace: string, prefix: string): void {
  requireWritableNamespace(world, namespace)
  world.inParts(() => dropKeysWithPrefix(world, namespace, prefix), 'kept')
}

function* dropKeysWithPrefix(world: World, namespace: string, prefix: string): InParts<void> {
  const entries = keysWithPrefix(world, namespace, prefix)
  yield
  yield* forEachPiece(entries, (piece) => dropKeys(world, namespace, piece))
}

const encodeValue = (value: Buffer): string => value.toString('base64')
