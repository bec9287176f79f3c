import { canonicalJson, mergePatch, parseJson } from '../../json/json.ts'
import { isJsonObject, type JsonObject, setMember } from '../../kernel/json.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, nextWal } from '../mounts/mounts.ts'
import { refuse } from './messages.ts'
import {
  dataKey,
  deletionTime,
  type EngineConfig,
  engineConfig,
  firstVersion,
  isReadable,
  kv2Data,
  kv2Keys,
  needsCas,
  newKey,
  retainedVersionCount,
  scheduleDeletion,
  storageKey,
  type Version,
  type VersionedKey,
  versionOf,
} from './v2-store.ts'

/**
 * The check-and-set number in a request; `unreadable` if the value in the request is not a number,
 * undefined if the request has no value.
 */
export type Cas = number | 'unreadable' | undefined

/** A version, its number and its key. */
export interface VersionOfKey {
  readonly number: number
  readonly version: Version
  readonly key: VersionedKey
}

/** A version with its data as JSON text. `data` is null if the version is deleted or destroyed. */
export interface VersionReading extends VersionOfKey {
  readonly data: string | null
}

/**
 * Reads a version. A number of 0 or less selects the latest version.
 * @throws Refusal `absent` for a missing version, and any refusal of `engineConfig`
 */
export function readVersion(
  world: World,
  mount: Mount,
  path: string,
  requested = 0,
): VersionReading {
  engineConfig(world, mount)
  const storage = storageKey(mount, path)
  const key = world.table(kv2Keys).get(storage)
  if (key === undefined) throw refuse('nothing-here')
  const number = requested > 0 ? requested : key.current_version
  const version = versionOf(key, number)
  if (version === undefined) throw refuse('nothing-here')
  const data = isReadable(version, world.clock.now())
    ? (world.table(kv2Data).get(dataKey(storage, number))?.data ?? null)
    : null
  return { number, version, key, data }
}

/**
 * Writes a new version. Creates a missing key.
 * @throws Refusal for an empty path, missing data and a failed check-and-set, and any refusal of
 *   `engineConfig`
 */
export function writeVersion(
  world: World,
  mount: Mount,
  path: string,
  data: Readonly<JsonObject> | undefined,
  cas?: Cas,
): VersionOfKey {
  const config = engineConfig(world, mount)
  if (path === '') throw refuse('missing-path')
  if (data === undefined) throw refuse('no-data')
  const storage = storageKey(mount, path)
  const key = world.table(kv2Keys).get(storage) ?? newKey(world.clock.now())
  checkCas(config, key, cas)
  return addVersion(world, config, storage, key, canonicalJson(data))
}

/**
 * Result of a patch: the new version, or the current version if it cannot be patched because it is
 * deleted or destroyed.
 */
interface PatchResult {
  readonly patched: boolean
  readonly current: VersionOfKey
}

/**
 * Writes a new version by applying a merge patch (RFC 7396) to the current version. If the current
 * version is deleted or destroyed, writes nothing and returns that version. Unlike for
 * `writeVersion`, a `cas` of 0 always fails (behaviour/secrets#api-kv2, PATCH data).
 * @throws Refusal for a missing patch and a failed check-and-set, `absent` for a missing version,
 *   and any refusal of `engineConfig`
 */
export function patchVersion(
  world: World,
  mount: Mount,
  path: string,
  patch: JsonObject | undefined,
  cas?: Cas,
): PatchResult {
  const config = engineConfig(world, mount)
  if (patch === undefined) throw refuse('no-data')
  const storage = storageKey(mount, path)
  const key = world.table(kv2Keys).get(storage)
  if (key === undefined) throw refuse('nothing-here')
  checkCas(config, key, cas === 0 ? -1 : cas)
  const number = key.current_version
  const version = versionOf(key, number)
  if (version === undefined) throw refuse('nothing-here')
  const row = world.table(kv2Data).get(dataKey(storage, number))
  if (row === undefined || !isReadable(version, world.clock.now())) {
    return { patched: false, current: { number, version, key } }
  }
  const text = canonicalJson(mergePatch(parseJson(row.data), patch))
  return { patched: true, current: addVersion(world, config, storage, key, text) }
}

/**
 * Requires that `cas` equals the number of the current version, even if that version is deleted or
 * destroyed (behaviour/secrets#kv2). A request without `cas` is refused only if the engine or
 * the key requires `cas`.
 */
function checkCas(config: EngineConfig, key: VersionedKey, cas: Cas): void {
  if (cas === undefined) {
    if (needsCas(config, key)) {
      throw refuse('cas-required').withDetails({ current: key.current_version })
    }
    return
  }
  if (cas === 'unreadable')
    throw refuse('cas-unreadable').withDetails({ current: key.current_version })
  if (cas !== key.current_version) {
    throw refuse('cas-mismatch').withDetails({ current: key.current_version, cas })
  }
}

/**
 * Adds a new current version, and schedules its deletion if it has a deletion time. Then prunes old
 * versions: if the number of versions since `oldest_version` reaches the limit, deletes all but the
 * newest `limit` versions (behaviour/secrets#kv2-pruning).
 */
function addVersion(
  world: World,
  config: EngineConfig,
  storage: string,
  key: VersionedKey,
  data: string,
): VersionOfKey {
  const now = world.clock.now()
  const number = key.current_version + 1
  const version: Version = {
    created_time: now,
    deletion_time: deletionTime(config, key, now),
    destroyed: false,
  }
  const limit = retainedVersionCount(config, key)
  const first = firstVersion(key)
  const oldest = number - key.oldest_version >= limit ? number - limit + 1 : key.oldest_version
  const firstRetained = Math.max(first, oldest)
  const wal = nextWal(world)
  // Lists all members instead of spreading `key`, because the result of a nested spread would get a
  // separate hidden class in the JavaScript engine. `Required` makes the compiler find a missing
  // member.
  const changed: Required<VersionedKey> = {
    created_time: key.created_time,
    updated_time: now,
    current_version: number,
    oldest_version: oldest,
    max_versions: key.max_versions,
    cas_required: key.cas_required,
    delete_version_after: key.delete_version_after,
    custom_metadata: key.custom_metadata,
    versions: [...key.versions.slice(firstRetained - first), version],
    wal,
  }
  world.write(() => {
    for (let dropped = first; dropped < firstRetained; dropped++) {
      world.table(kv2Data).delete(dataKey(storage, dropped))
      if (versionOf(key, dropped)?.deletion_time != null) {
        scheduleDeletion(world, storage, dropped, undefined)
      }
    }
    world.table(kv2Data).put(dataKey(storage, number), { data, wal })
    world.table(kv2Keys).put(storage, changed)
    if (version.deletion_time !== null) scheduleDeletion(world, storage, number, version)
  })
  return { number, version, key: changed }
}

/**
 * Marks the latest version as deleted but keeps its data. Does nothing for an unknown key. Throws
 * any refusal of `engineConfig`.
 */
export function deleteLatest(world: World, mount: Mount, path: string): void {
  engineConfig(world, mount)
  const key = world.table(kv2Keys).get(storageKey(mount, path))
  if (key !== undefined) changeVersions(world, mount, path, [key.current_version], markDeleted)
}

/**
 * Marks versions as deleted but keeps their data. Ignores missing versions.
 * @throws Refusal for an empty list, and any refusal of `engineConfig`
 */
export function deleteVersions(
  world: World,
  mount: Mount,
  path: string,
  numbers: readonly number[],
): void {
  engineConfig(world, mount)
  if (numbers.length === 0) throw refuse('no-versions')
  changeVersions(world, mount, path, numbers, markDeleted)
}

/**
 * Restores deleted versions. Calculates a new deletion time if the key or the engine sets
 * `delete_version_after`. Ignores missing and destroyed versions.
 * @throws Refusal for an empty list, and any refusal of `engineConfig`
 */
export function undeleteVersions(
  world: World,
  mount: Mount,
  path: string,
  numbers: readonly number[],
): void {
  const config = engineConfig(world, mount)
  if (numbers.length === 0) throw refuse('no-versions')
  changeVersions(world, mount, path, numbers, (version, key, now) =>
    version.destroyed ? version : { ...version, deletion_time: deletionTime(config, key, now) },
  )
}

/**
 * Destroys the data of versions irrevocably. Ignores missing versions.
 * @throws Refusal for an empty list, and any refusal of `engineConfig`
 */
export function destroyVersions(
  world: World,
  mount: Mount,
  path: string,
  numbers: readonly number[],
): void {
  engineConfig(world, mount)
  if (numbers.length === 0) throw refuse('no-versions-to-destroy')
  changeVersions(world, mount, path, numbers, (version) =>
    version.destroyed ? version : { ...version, destroyed: true },
  )
}

/**
 * Returns a version with the deletion time `now`, or the unchanged version if it is unreadable
 * already.
 */
function markDeleted(version: Version, _key: VersionedKey, now: number): Version {
  return isReadable(version, now) ? { ...version, deletion_time: now } : version
}

/**
 * Applies `change` to versions of a key. Writes only the versions for which `change` returns a new
 * object: deletes the data of destroyed versions, and schedules or cancels deletions.
 */
function changeVersions(
  world: World,
  mount: Mount,
  path: string,
  numbers: readonly number[],
  change: (version: Version, key: VersionedKey, now: number) => Version,
): void {
  const storage = storageKey(mount, path)
  const key = world.table(kv2Keys).get(storage)
  if (key === undefined) return
  const now = world.clock.now()
  const versions = [...key.versions]
  const changed = new Map<number, Version>()
  for (const number of numbers) {
    const position = number - firstVersion(key)
    const before = versions[position]
    if (before === undefined) continue
    const after = change(before, key, now)
    if (after === before) continue
    versions[position] = after
    changed.set(number, after)
  }
  if (changed.size === 0) return
  world.write(() => {
    for (const [number, version] of changed) {
      if (version.destroyed) world.table(kv2Data).delete(dataKey(storage, number))
      scheduleDeletion(world, storage, number, version)
    }
    world.table(kv2Keys).put(storage, { ...key, versions, wal: nextWal(world) })
  })
}

/** Parses a version's data from JSON text. Returns an empty object for other JSON values. */
export function parseVersionData(text: string): JsonObject {
  const data = parseJson(text)
  return isJsonObject(data) ? data : {}
}

/**
 * Returns the structure of a secret without its values: objects keep their keys; all other values,
 * including empty objects and arrays, become null. Objects below level `depth` also become null;
 * `data` is level 1, and a depth of 0 means no limit (behaviour/secrets#api-kv2, GET subkeys). Uses
 * a loop instead of recursion, so that deep nesting does not overflow the stack.
 */
export function subkeysOf(data: Readonly<JsonObject>, depth: number): JsonObject {
  const subkeys: JsonObject = {}
  const pending = [{ from: data, target: subkeys, level: 1 }]
  for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
    const level = step.level + 1
    for (const [key, value] of Object.entries(step.from)) {
      const isLeaf =
        !isJsonObject(value) || Object.keys(value).length === 0 || (depth !== 0 && level > depth)
      if (isLeaf) {
        setMember(step.target, key, null)
        continue
      }
      const target: JsonObject = {}
      setMember(step.target, key, target)
      pending.push({ from: value, target, level })
    }
  }
  return subkeys
}
