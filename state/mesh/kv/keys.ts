import { defineMachine } from '../../kernel/machine.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { forgetIndex, indexOf, nextIndex, touch } from '../indexes.ts'
import { namespaceKey, requireNamespaceForData } from '../namespaces/namespaces.ts'
import { type KeyEntry, keyDeletions, keyEntries, rowKeyOf } from './tables.ts'

const spec = 'behaviour/mesh#locks'

/**
 * The session that requests a change of a key's lock, and the session that holds the lock, if any.
 */
interface LockContext {
  readonly requester: string
  readonly holder: string | undefined
}

const isHolder = ({ requester, holder }: LockContext): boolean => requester === holder

/**
 * State machine of a key's lock. Requests for transitions that the machine does not allow are
 * answered with `false`.
 */
export const lockMachine = defineMachine<LockContext>()({
  name: 'lock',
  states: ['free', 'held', 'delayed'],
  moves: [
    { on: 'acquire', from: 'free', to: 'held', spec },
    { on: 'acquire', from: 'held', to: 'held', when: isHolder, spec },
    { on: 'release', from: 'held', to: 'free', when: isHolder, spec },
    { on: 'end of the session', from: 'held', to: 'delayed', when: isHolder, spec },
    { on: 'end of the delay', from: 'delayed', to: 'free', spec },
  ],
})

const delayJob = 'mesh.lock-delay'

/**
 * Handler for the end of a lock delay. The handler does nothing, because a key is delayed only
 * while this job is scheduled.
 */
export const lockJobs: Readonly<Record<string, JobHandler>> = { [delayJob]: () => {} }

/** Maximum lock delay in milliseconds. */
const maxDelay = 60_000

/**
 * Starts the lock delay of a key, at most 60 seconds. Does nothing if `milliseconds` is not
 * positive. Must run inside a transaction.
 */
export function delayLock(world: World, rowKey: string, milliseconds: number): void {
  if (milliseconds <= 0) return
  const at = world.clock.now() + Math.min(milliseconds, maxDelay)
  world.agenda.schedule({ at, job: delayJob, id: rowKey })
}

/** Cancels the lock delay of a key. Called when the namespace of the key is removed. */
function cancelDelay(world: World, rowKey: string): void {
  world.agenda.cancel(delayJob, rowKey)
}

/** Returns whether a lock delay prevents a key from being locked. */
export function isLockDelayed(world: World, rowKey: string): boolean {
  return world.agenda.find(delayJob, rowKey) !== undefined
}

/**
 * Returns whether a session may acquire or release a key. The key is either unlocked, or locked by
 * this or another session. Lock delays are not considered.
 */
export function allowsLock(
  event: 'acquire' | 'release',
  requester: string,
  entry: KeyEntry | undefined,
): boolean {
  const holder = entry?.session
  return lockMachine.allows(holder === undefined ? 'free' : 'held', event, { requester, holder })
}

/** Key under which `dataIndexes` stores the index of the last write to any key in any namespace. */
const keyDataKind = 'kv'

/**
 * Returns the key under which `dataIndexes` stores the index of the last write to the keys of a
 * namespace.
 */
const namespaceDataKind = (namespace: string): string => `${keyDataKind}/${namespaceKey(namespace)}`

/**
 * Returns the index of the last write to any key of a namespace, or of all namespaces; 1 if there
 * was no write.
 */
export function keysIndex(world: World, namespace?: string): number {
  const dataKind = namespace === undefined ? keyDataKind : namespaceDataKind(namespace)
  // The read is not observed, because a wait for a key or prefix must not end when other keys are
  // written (behaviour/mesh#blocking).
  return world.unobserved(() => indexOf(world, dataKind))
}

/**
 * Returns the index of the last write or deletion of a key that begins with `prefix`
 * (behaviour/mesh#kv-index).
 *
 * @returns undefined if there never was such a key; `keysIndex` applies in this case
 */
export function prefixIndex(world: World, namespace: string, prefix: string): number | undefined {
  return lastIndexWithPrefix(world, rowKeyOf(namespace, prefix))
}

/**
 * Returns the index of the last write or deletion of a key whose row key begins with this prefix;
 * undefined if there never was such a key. The read is not observed.
 */
export function lastIndexWithPrefix(world: World, rowKey: string): number | undefined {
  return world.unobserved(() => {
    let last = 0
    for (const { modify_index } of world.table(keyEntries).rows(rowKey)) {
      if (modify_index > last) last = modify_index
    }
    for (const { index } of world.table(keyDeletions).rows(rowKey)) if (index > last) last = index
    return last === 0 ? undefined : last
  })
}

/**
 * Observes the keys on which a wait for an absent key or prefix depends, and returns the common
 * prefix of their row keys. In the reference's radix tree, these are the keys below the last
 * existing node on the path to the wanted key (behaviour/mesh#blocking).
 */
export function observeKeysNear(world: World, namespace: string, wanted: string): string {
  const prefix = world.unobserved(() => observedPrefix(world, namespace, wanted))
  world.table(keyEntries).first(prefix)
  return prefix
}

/** Returns the prefix of the row keys that a wait for an absent key or prefix observes. */
function observedPrefix(world: World, namespace: string, wanted: string): string {
  const table = world.table(keyEntries)
  const rowKey = rowKeyOf(namespace, wanted)
  const start = rowKeyOf(namespace, '').length
  const hasKeysWithPrefix = (length: number) => table.first(rowKey.slice(0, length)) !== undefined
  let length = start
  while (length < rowKey.length && hasKeysWithPrefix(length + 1)) length++
  while (length > start && !keysBranchAt(world, rowKey.slice(0, length))) length--
  return rowKey.slice(
    0,
    length < rowKey.length && hasKeysWithPrefix(length + 1) ? length + 1 : length,
  )
}

/**
 * Returns whether the keys with this prefix branch: they differ in the character after the prefix,
 * or one key equals the prefix and another key is longer.
 */
function keysBranchAt(world: World, prefix: string): boolean {
  const first = world.table(keyEntries).first(prefix)?.[0]
  const last = world.table(keyEntries).last(prefix)?.[0]
  if (first === undefined || last === undefined || first === last) return false
  return first[prefix.length] !== last[prefix.length]
}

/**
 * Looks up a key; undefined if it does not exist. Throws a refusal if the namespace does not exist.
 */
export function keyEntry(world: World, namespace: string, key: string): KeyEntry | undefined {
  requireNamespaceForData(world, namespace)
  return world.table(keyEntries).get(rowKeyOf(namespace, key))
}

/**
 * Returns the keys of a namespace that begin with `prefix`, in order. Throws a refusal if the
 * namespace does not exist.
 */
export function keysWithPrefix(
  world: World,
  namespace: string,
  prefix: string,
): readonly KeyEntry[] {
  requireNamespaceForData(world, namespace)
  return [...world.table(keyEntries).rows(rowKeyOf(namespace, prefix))]
}

/** Content to store in a key. If the session is undefined, the key is not locked. */
interface KeyContent {
  /** Base64-encoded bytes. */
  readonly value: string
  readonly flags: number | string
  readonly lockIndex: number
  readonly session: string | undefined
}

/**
 * Stores a key. Content that equals the stored content is not written. Must run inside a
 * transaction.
 */
export function storeKey(
  world: World,
  namespace: string,
  key: string,
  { value, flags, lockIndex, session }: KeyContent,
): void {
  const rowKey = rowKeyOf(namespace, key)
  const before = world.table(keyEntries).get(rowKey)
  const isUnchanged =
    before !== undefined &&
    before.value === value &&
    before.flags === flags &&
    (before.lock_index ?? 0) === lockIndex &&
    before.session === session
  if (isUnchanged) return
  const index = nextIndex(world)
  world.table(keyEntries).put(rowKey, {
    namespace: namespaceKey(namespace),
    key,
    value,
    flags,
    ...(lockIndex > 0 && { lock_index: lockIndex }),
    ...(session !== undefined && { session }),
    create_index: before?.create_index ?? index,
    modify_index: index,
  })
  if (before === undefined) world.table(keyDeletions).delete(rowKey)
  touchKeys(world, namespace)
}

/**
 * Deletes keys of a namespace and records the index of their deletion. Must run inside a
 * transaction.
 */
export function dropKeys(world: World, namespace: string, entries: readonly KeyEntry[]): void {
  if (entries.length === 0) return
  for (const { key } of entries) {
    const rowKey = rowKeyOf(namespace, key)
    world.table(keyEntries).delete(rowKey)
    world.table(keyDeletions).put(rowKey, { index: nextIndex(world) })
  }
  touchKeys(world, namespace)
}

function touchKeys(world: World, namespace: string): void {
  touch(world, keyDataKind)
  touch(world, namespaceDataKind(namespace))
}

/**
 * Deletes the keys of a namespace that is being removed, with their lock delays and the records of
 * earlier deletions. Returns whether there were any keys.
 */
export function removeKeys(world: World, namespace: string): boolean {
  const rowKey = rowKeyOf(namespace, '')
  const tables = [world.table(keyEntries), world.table(keyDeletions)]
  return world.write(() => {
    for (const table of tables) for (const [key] of table.entries(rowKey)) cancelDelay(world, key)
    const hadKeys = world.table(keyEntries).deleteAll(rowKey) > 0
    world.table(keyDeletions).deleteAll(rowKey)
    if (hadKeys) touchKeys(world, namespace)
    else forgetIndex(world, namespaceDataKind(namespace))
    return hadKeys
  })
}
