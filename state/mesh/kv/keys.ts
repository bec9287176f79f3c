import { name, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { Stored } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { forget, indexOf, meshName, nextIndex, touch } from '../indexes.ts'
import { namespaceKey } from '../namespaces/names.ts'
import { existingNamespace, writableNamespace } from '../namespaces/namespaces.ts'

const keyShape = struct({
  /** The namespace, as `namespaceKey` has it. */
  namespace: text,
  key: name,
  /** Base64. */
  value: text,
  flags: uint,
  create_index: uint,
  modify_index: uint,
})

/** One key with its value (3a-mesh-decisions.md section 6, KV). */
export interface KeyEntry extends Stored<typeof keyShape> {}

/** By namespace and key: `team-1/app/db`. */
export const keyEntries = defineTable({ service: meshName, name: 'keys', shape: keyShape })

/** The indexes of the deletions of keys that are not there, under the same keys; kept for good. */
export const keyDeletions = defineTable({
  service: meshName,
  name: 'key-deletions',
  shape: struct({ index: uint }),
})

/** Where a key, or whatever begins like it, stands in the tables. */
function keyPlace(namespace: string, key: string): string {
  return `${namespaceKey(namespace)}/${key}`
}

/** The kind of data that keys of all namespaces are, and those of one, as their index is noted. */
const keyData = 'kv'
const dataOf = (namespace: string): string => `${keyData}/${namespaceKey(namespace)}`

/** The index of the last write to any key of a namespace, or of any; 1 where there was none. */
export function keysIndex(world: World, namespace?: string): number {
  const data = namespace === undefined ? keyData : dataOf(namespace)
  // Who waits for a key, or for those below a prefix, does not wake for others (section 6, Blocking).
  return world.unobserved(() => indexOf(world, data))
}

/**
 * The index of the last write or deletion of a key that begins like `prefix` (section 6, Index).
 *
 * @returns undefined where no such key is or was: `keysIndex` counts there
 */
export function indexBelow(world: World, namespace: string, prefix: string): number | undefined {
  const place = keyPlace(namespace, prefix)
  return world.unobserved(() => {
    let last = 0
    for (const { modify_index } of world.table(keyEntries).rows(place)) {
      if (modify_index > last) last = modify_index
    }
    for (const { index } of world.table(keyDeletions).rows(place)) if (index > last) last = index
    return last === 0 ? undefined : last
  })
}

function touchKeys(world: World, namespace: string): void {
  touch(world, keyData)
  touch(world, dataOf(namespace))
}

/** A key of a namespace that exists, else refuses. */
export function keyEntry(world: World, namespace: string, key: string): KeyEntry | undefined {
  existingNamespace(world, namespace)
  return world.table(keyEntries).get(keyPlace(namespace, key))
}

/** Every key of a namespace that begins like `prefix`, in order. */
export function keysBelow(world: World, namespace: string, prefix: string): readonly KeyEntry[] {
  existingNamespace(world, namespace)
  return [...world.table(keyEntries).rows(keyPlace(namespace, prefix))]
}

/** A value to store. */
interface KeyWrite {
  readonly value: Buffer
  readonly flags: number
  /** The ModifyIndex that the key must have; 0 for one that must not be there. */
  readonly cas?: number | undefined
}

/** Stores a value; false when `cas` does not fit. What is stored already is not written again. */
export function putKey(world: World, namespace: string, key: string, write: KeyWrite): boolean {
  writableNamespace(world, namespace)
  const before = keyEntry(world, namespace, key)
  if (!fits(before, write.cas)) return false
  const value = write.value.toString('base64')
  if (before !== undefined && before.value === value && before.flags === write.flags) return true
  const place = keyPlace(namespace, key)
  world.write(() => {
    const index = nextIndex(world)
    world.table(keyEntries).put(place, {
      namespace: namespaceKey(namespace),
      key,
      value,
      flags: write.flags,
      create_index: before?.create_index ?? index,
      modify_index: index,
    })
    if (before === undefined) world.table(keyDeletions).delete(place)
    touchKeys(world, namespace)
  })
  return true
}

/** Deletes a key, if it is there; false when `cas` does not fit. */
export function deleteKey(world: World, namespace: string, key: string, cas?: number): boolean {
  writableNamespace(world, namespace)
  const before = keyEntry(world, namespace, key)
  // With 0 nothing is deleted, as in the reference: no key has this index.
  if (cas !== undefined && before !== undefined && before.modify_index !== cas) return false
  if (before === undefined) return true
  world.write(() => {
    drop(world, keyPlace(namespace, key))
    touchKeys(world, namespace)
  })
  return true
}

/** Deletes every key that begins like `prefix`. */
export function deleteKeysBelow(world: World, namespace: string, prefix: string): void {
  writableNamespace(world, namespace)
  const places = [...world.table(keyEntries).entries(keyPlace(namespace, prefix))]
  if (places.length === 0) return
  world.write(() => {
    for (const [place] of places) drop(world, place)
    touchKeys(world, namespace)
  })
}

/** Takes a key away and remembers when; part of a transaction. */
function drop(world: World, place: string): void {
  world.table(keyEntries).delete(place)
  world.table(keyDeletions).put(place, { index: nextIndex(world) })
}

/** Deletes a namespace's keys, for its removal; true while there were some. */
export function removeKeys(world: World, namespace: string): boolean {
  const place = keyPlace(namespace, '')
  return world.write(() => {
    const isSome = world.table(keyEntries).deleteAll(place) > 0
    world.table(keyDeletions).deleteAll(place)
    if (isSome) touchKeys(world, namespace)
    else forget(world, dataOf(namespace))
    return isSome
  })
}

function fits(before: KeyEntry | undefined, cas: number | undefined): boolean {
  return cas === undefined || cas === (before?.modify_index ?? 0)
}
