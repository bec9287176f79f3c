import type { World } from '../../kernel/worlds/world.ts'
import { requireWritableNamespace } from '../namespaces/namespaces.ts'
import { dropKeys, keyEntry, keysWithPrefix, storeKey } from './keys.ts'
import { allowsLock, isDelayed } from './locks.ts'
import { sessionWithId } from './sessions.ts'
import { rowKeyOf } from './tables.ts'

/** A value to store. */
export interface KeyWrite {
  readonly value: Buffer
  /** A text where a number would not be exact. */
  readonly flags: number | string
  /** The ModifyIndex that the key must have; 0 for one that must not be there. */
  readonly cas?: number | undefined
}

/**
 * Stores a value; false when `cas` does not fit. Who holds the key goes on to hold it, and its lock
 * index is 0 from then on (behaviour/mesh#removal).
 */
export function putKey(world: World, namespace: string, key: string, write: KeyWrite): boolean {
  requireWritableNamespace(world, namespace)
  const before = keyEntry(world, namespace, key)
  const { value, flags, cas } = write
  if (cas !== undefined && cas !== (before?.modify_index ?? 0)) return false
  const session = before?.session
  world.write(() => {
    storeKey(world, namespace, key, { value: toBase64(value), flags, lockIndex: 0, session })
  })
  return true
}

/** Why a key could not be locked. */
type LockFailure = 'delayed' | 'held' | 'session missing' | 'session unknown'

/**
 * Stores a value and locks the key for a session of the namespace (behaviour/mesh#locks).
 *
 * @returns why not, or undefined when it is locked
 */
export function acquireKey(
  world: World,
  namespace: string,
  key: string,
  { value, flags }: KeyWrite,
  session: string,
): LockFailure | undefined {
  requireWritableNamespace(world, namespace)
  if (isDelayed(world, rowKeyOf(namespace, key))) return 'delayed'
  if (session === '') return 'session missing'
  if (sessionWithId(world, namespace, session) === undefined) return 'session unknown'
  const before = keyEntry(world, namespace, key)
  if (!allowsLock('acquire', session, before)) return 'held'
  const lockIndex = (before?.lock_index ?? 0) + (before?.session === undefined ? 1 : 0)
  world.write(() => {
    storeKey(world, namespace, key, { value: toBase64(value), flags, lockIndex, session })
  })
  return undefined
}

/** Stores a value and unlocks the key; false when the session does not hold it. */
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
      value: toBase64(value),
      flags,
      lockIndex,
      session: undefined,
    })
  })
  return true
}

/** Deletes a key, if it is there; false when `cas` does not fit. */
export function deleteKey(world: World, namespace: string, key: string, cas?: number): boolean {
  requireWritableNamespace(world, namespace)
  const before = keyEntry(world, namespace, key)
  // With 0 nothing is deleted, as in the reference: no key has this index.
  if (cas !== undefined && before !== undefined && before.modify_index !== cas) return false
  if (before === undefined) return true
  world.write(() => dropKeys(world, namespace, [before]))
  return true
}

/** Deletes every key that begins like `prefix`. */
export function deleteKeysWithPrefix(world: World, namespace: string, prefix: string): void {
  requireWritableNamespace(world, namespace)
  const entries = keysWithPrefix(world, namespace, prefix)
  world.write(() => dropKeys(world, namespace, entries))
}

const toBase64 = (value: Buffer): string => value.toString('base64')
