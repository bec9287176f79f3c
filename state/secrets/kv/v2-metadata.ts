import { isPrintable, quoteGo } from '../../go/text.ts'
import { compareBytewise } from '../../json/json.ts'
import { setMember } from '../../kernel/json.ts'
import type { Message } from '../../kernel/message.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { errorList } from '../common-messages.ts'
import { type Mount, nextWal } from '../mounts/mounts.ts'
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

/** Custom metadata of a key, which all its versions share. */
export type CustomMetadata = Readonly<Record<string, string>>

const maxKeys = 64
const maxKeyBytes = 128
const maxValueBytes = 512

/**
 * Throws a refusal with all errors of custom metadata: too many keys, or empty, long or unprintable
 * keys and values (behaviour/secrets#custom-metadata).
 */
export function checkCustomMetadata(metadata: CustomMetadata): void {
  const problems = customMetadataProblems(metadata)
  if (problems !== undefined) throw refuse('custom-metadata-invalid', { problems })
}

/**
 * Returns the errors of custom metadata in the order of the keys. If there are too many keys,
 * returns only that error. Returns undefined for valid metadata.
 */
export function customMetadataProblems(metadata: CustomMetadata): Message | undefined {
  const keys = Object.keys(metadata)
  const problems =
    keys.length > maxKeys
      ? [message('metadata-keys', { maxKeys, count: keys.length })]
      : keys.sort(compareBytewise).flatMap((key) => problemsOf(key, metadata[key] ?? ''))
  if (problems.length === 0) return undefined
  return errorList(problems.map((problem) => message('custom-metadata-problem', { problem })))
}

function problemsOf(key: string, value: string): Message[] {
  const name = quoteGo(key)
  const keyBytes = Buffer.byteLength(key)
  const valueBytes = Buffer.byteLength(value)
  const problems: Message[] = []
  if (keyBytes === 0 || keyBytes > maxKeyBytes) {
    problems.push(message('metadata-key-length', { name, bytes: keyBytes, maxKeyBytes }))
  }
  if (valueBytes === 0 || valueBytes > maxValueBytes) {
    problems.push(message('metadata-value-length', { name, bytes: valueBytes, maxValueBytes }))
  }
  if (!isPrintable(key)) problems.push(message('metadata-key-unprintable', { name, key }))
  if (!isPrintable(value)) problems.push(message('metadata-value-unprintable', { name }))
  return problems
}

/** Returns the stored form of custom metadata: sorted bytewise, and null if empty. */
export function storedCustomMetadata(metadata: CustomMetadata): CustomMetadata | null {
  const keys = Object.keys(metadata)
  if (keys.length === 0) return null
  const sorted: Record<string, string> = {}
  for (const key of keys.sort(compareBytewise)) setMember(sorted, key, metadata[key] ?? '')
  return sorted
}

/**
 * Merge patch of custom metadata. Null removes a key; null instead of an object removes all keys.
 */
export type CustomMetadataPatch = Readonly<Record<string, string | null>> | null

/**
 * Applies a patch and returns the custom metadata in stored form. An undefined patch changes
 * nothing.
 */
export function patchedCustomMetadata(
  before: CustomMetadata | null,
  patch: CustomMetadataPatch | undefined,
): CustomMetadata | null {
  if (patch === undefined) return before
  return patch === null ? null : storedCustomMetadata(withoutNulls({ ...before, ...patch }))
}

function withoutNulls(entries: Readonly<Record<string, string | null>>): CustomMetadata {
  const present: Record<string, string> = {}
  for (const [key, value] of Object.entries(entries)) {
    if (value !== null) setMember(present, key, value)
  }
  return present
}

/**
 * A change of a key's settings. Members that are left out keep their values. `delete_version_after`
 * is in seconds.
 */
interface MetadataChange {
  readonly max_versions?: number
  readonly cas_required?: boolean
  readonly delete_version_after?: number
  /** Replacement for all custom metadata. */
  readonly custom_metadata?: CustomMetadata
}

/**
 * Merge patch of a key's settings. In `custom_metadata`, null removes one key; null instead of an
 * object removes all keys.
 */
export interface MetadataPatch extends Omit<MetadataChange, 'custom_metadata'> {
  readonly custom_metadata?: CustomMetadataPatch
}

/**
 * Returns a key with its settings and the state of its versions.
 * @throws Refusal `absent` for an unknown key, and any refusal of `engineConfig`
 */
export function readMetadata(world: World, mount: Mount, path: string): VersionedKey {
  engineConfig(world, mount)
  const key = world.table(kv2Keys).get(storageKey(mount, path))
  if (key === undefined) throw refuse('nothing-here')
  return key
}

/**
 * Changes the settings of a key and returns warnings (behaviour/secrets#kv2-metadata). Creates a
 * missing key. Writes nothing if the change is empty.
 * @throws Refusal for an empty path, a negative number of versions, and custom metadata that exceed
 *   the limits, and any refusal of `engineConfig`
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
 * Applies a merge patch to the settings of a key and returns warnings. As in the reference, the
 * limits of custom metadata apply only to the members of the patch.
 * @throws Refusal for a negative number of versions and for custom metadata that exceed the limits,
 *   `absent` for an unknown key, and any refusal of `engineConfig`
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

/**
 * Deletes a key with all its versions. Does nothing for an unknown key. Throws any refusal of
 * `engineConfig`.
 */
export function deleteMetadata(world: World, mount: Mount, path: string): void {
  engineConfig(world, mount)
  const storage = storageKey(mount, path)
  const key = world.table(kv2Keys).get(storage)
  if (key !== undefined) world.write(() => removeKey(world, storage, key))
}

/**
 * Lists the names in a folder, sorted bytewise; names of sub-folders end with a slash. Includes
 * keys whose versions are all deleted.
 * @param folder path that ends with a slash; empty for the root of the mount
 * @throws Refusal `absent` if the folder contains nothing, and any refusal of `engineConfig`
 */
export function listKeys(world: World, mount: Mount, folder: string): string[] {
  engineConfig(world, mount)
  return namesInFolder(world, kv2Keys, storageKey(mount, folder))
}
