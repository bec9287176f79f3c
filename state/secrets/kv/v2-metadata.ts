import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, nextWal } from '../mounts/mounts.ts'
import {
  type CustomMetadata,
  type CustomMetadataPatch,
  checkCustomMetadata,
  patchedCustomMetadata,
  storedCustomMetadata,
} from './custom-metadata.ts'
import { namesInFolder } from './folders.ts'
import { message, refuse } from './messages.ts'
import {
  engineConfig,
  kv2Keys,
  newKey,
  removeKey,
  requireNonNegative,
  storageKey,
  type VersionedKey,
} from './v2-store.ts'

/**
 * A change of a key's settings; members that are left out keep their values. `delete_version_after`
 * in seconds.
 */
interface MetadataChange {
  readonly max_versions?: number
  readonly cas_required?: boolean
  readonly delete_version_after?: number
  /** Replacement of all custom metadata. */
  readonly custom_metadata?: CustomMetadata
}

/** A merge patch of a key's settings: null removes one custom metadata key, or all of them. */
export interface MetadataPatch extends Omit<MetadataChange, 'custom_metadata'> {
  readonly custom_metadata?: CustomMetadataPatch
}

/** Returns a key with its settings and versions; refuses with `absent` if there is none. */
export function readMetadata(world: World, mount: Mount, path: string): VersionedKey {
  engineConfig(world, mount)
  const key = world.table(kv2Keys).get(storageKey(mount, path))
  if (key === undefined) throw refuse('nothing-here')
  return key
}

/**
 * Changes the settings of a key, creating the key if necessary; does nothing without any setting.
 * Returns warnings (behaviour/secrets#kv2-metadata). Refuses custom metadata beyond their limits.
 */
export function writeMetadata(
  world: World,
  mount: Mount,
  path: string,
  change: MetadataChange,
): readonly Message[] {
  const config = engineConfig(world, mount)
  if (path === '') throw refuse('missing-path')
  if (Object.keys(change).length === 0) return []
  if (change.custom_metadata !== undefined) checkCustomMetadata(change.custom_metadata)
  requireNonNegative(change.max_versions)
  const storage = storageKey(mount, path)
  const key = world.table(kv2Keys).get(storage) ?? newKey(world.clock.now())
  const custom_metadata =
    change.custom_metadata === undefined
      ? key.custom_metadata
      : storedCustomMetadata(change.custom_metadata)
  const changed = { ...key, ...change, custom_metadata }
  world.write(() => world.table(kv2Keys).put(storage, { ...changed, wal: nextWal(world) }))
  return casWarnings(config.cas_required, change.cas_required)
}

/**
 * Applies a merge patch to the settings of a key; refuses with `absent` if there is none. As in the
 * reference, the limits apply only to the custom metadata in the patch.
 */
export function patchMetadata(
  world: World,
  mount: Mount,
  path: string,
  patch: MetadataPatch,
): readonly Message[] {
  const config = engineConfig(world, mount)
  const { custom_metadata: customPatch, ...change } = patch
  checkCustomMetadata(patchedCustomMetadata(null, customPatch) ?? {})
  requireNonNegative(change.max_versions)
  const storage = storageKey(mount, path)
  const key = world.table(kv2Keys).get(storage)
  if (key === undefined) throw refuse('nothing-here')
  const custom_metadata = patchedCustomMetadata(key.custom_metadata, customPatch)
  const changed = { ...key, ...change, custom_metadata }
  world.write(() => world.table(kv2Keys).put(storage, { ...changed, wal: nextWal(world) }))
  return casWarnings(config.cas_required, change.cas_required)
}

function casWarnings(isCasRequired: boolean, requested: boolean | undefined): readonly Message[] {
  return isCasRequired && requested === false ? [message('cas-required-by-engine')] : []
}

/** Deletes a key with all its versions, if there is one. */
export function deleteMetadata(world: World, mount: Mount, path: string): void {
  engineConfig(world, mount)
  const storage = storageKey(mount, path)
  const key = world.table(kv2Keys).get(storage)
  if (key !== undefined) world.write(() => removeKey(world, storage, key))
}

/**
 * Returns the names in a folder, sorted bytewise, sub-folders with a closing slash, including keys
 * without a readable version. The folder ends with a slash or is empty; refuses with `absent` an
 * empty folder.
 */
export function listKeys(world: World, mount: Mount, folder: string): string[] {
  engineConfig(world, mount)
  return namesInFolder(world, kv2Keys, storageKey(mount, folder))
}
