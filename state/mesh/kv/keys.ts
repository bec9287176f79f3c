import type { World } from '../../kernel/worlds/world.ts'
import { forgetIndex, indexOf, nextIndex, touch } from '../indexes.ts'
import { namespaceKey, requireNamespaceForData } from '../namespaces/namespaces.ts'
import { forgetDelay } from './locks.ts'
import { type KeyEntry, keyDeletions, keyEntries, rowKeyOf } from './tables.ts'

/** The kind of data that keys of all namespaces are, and those of one, as their index is noted. */
const keyDataKind = 'kv'
const namespaceDataKind = (namespace: string): string => `${keyDataKind}/${namespaceKey(namespace)}`

/** The index of the last write to any key of a namespace, or of any; 1 where there was none. */
export function keysIndex(world: World, namespace?: string): number {
  const dataKind = namespace === undefined ? keyDataKind : namespaceDataKind(namespace)
  // Who waits for a key, or for those below a prefix, does not wake for others (behaviour/mesh#removal, Blocking).
  return world.unobserved(() => indexOf(world, dataKind))
}

/**
 * The index of the last write or deletion of a key that begins like `prefix` (behaviour/mesh#kv-index).
 *
 * @returns undefined where no such key is or was: `keysIndex` counts there
 */
export function prefixIndex(world: World, namespace: string, prefix: string): number | undefined {
  const rowKey = rowKeyOf(namespace, prefix)
  return world.unobserved(() => {
    let last = 0
    for (const { modify_index } of world.table(keyEntries).rows(rowKey)) {
      if (modify_index > last) last = modify_index
    }
    for (const { index } of world.table(keyDeletions).rows(rowKey)) if (index > last) last = index
    return last === 0 ? undefined : last
  })
}

/** A key of a namespace that exists, else refuses. */
export function keyEntry(world: World, namespace: string, key: string): KeyEntry | undefined {
  requireNamespaceForData(world, namespace)
  return world.table(keyEntries).get(rowKeyOf(namespace, key))
}

/** Every key of a namespace that begins like `prefix`, in order. */
export function keysWithPrefix(
  world: World,
  namespace: string,
  prefix: string,
): readonly KeyEntry[] {
  requireNamespaceForData(world, namespace)
  return [...world.table(keyEntries).rows(rowKeyOf(namespace, prefix))]
}

/** What a key is to be; without a session nobody holds it. */
interface KeyContent {
  /** Base64. */
  readonly value: string
  readonly flags: number | string
  readonly lockIndex: number
  readonly session: string | undefined
}

/** Stores a key; part of a transaction. What is stored already is not written again. */
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

/** Takes keys of a namespace away and remembers when; part of a transaction. */
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

/** Deletes a namespace's keys, for its removal; true while there were some. */
export function removeKeys(world: World, namespace: string): boolean {
  const rowKey = rowKeyOf(namespace, '')
  const tables = [world.table(keyEntries), world.table(keyDeletions)]
  return world.write(() => {
    for (const table of tables) for (const [key] of table.entries(rowKey)) forgetDelay(world, key)
    const hadKeys = world.table(keyEntries).deleteAll(rowKey) > 0
    world.table(keyDeletions).deleteAll(rowKey)
    if (hadKeys) touchKeys(world, namespace)
    else forgetIndex(world, namespaceDataKind(namespace))
    return hadKeys
  })
}
