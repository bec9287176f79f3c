import { least } from '../../kernel/lists.ts'
import { bool, int, intOf, list, map, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { described, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, nextWal, storagePrefix, walField } from '../mounts/mounts.ts'
import { secretsTable } from '../table.ts'
import { refuse } from './messages.ts'

/** State of a version, without its data. Timestamps in milliseconds since 1970. */
const versionShape = struct({
  created_time: int,
  /** Time from which the version is unreadable; null if the version has no such time. */
  deletion_time: nullable(int),
  destroyed: bool,
})
export interface Version extends StoredOf<typeof versionShape> {}

/** A key of a versioned engine: settings, and its versions without their data. */
const versionedKeyShape = struct({
  created_time: int,
  updated_time: int,
  /** Number of the latest version; 0 before the first write. Numbers are never reused. */
  current_version: uint,
  /**
   * Number of the oldest version. 0 until the first pruning, unless an upgrade from version 1 of
   * the engine created the key.
   */
  oldest_version: uint,
  /** Null if empty. */
  custom_metadata: nullable(map(text)),
  /** The retained versions in order, without gaps; the last element is the current version. */
  versions: list(versionShape),
  max_versions: uint,
  cas_required: bool,
  delete_version_after: described(uint, 'Seconds'),
  ...walField,
})
export interface VersionedKey extends StoredOf<typeof versionedKeyShape> {}

/** Keys by `<mount uuid>/<path>`, so that a folder of a mount is a key prefix. */
export const kv2Keys = secretsTable('kv2-keys', versionedKeyShape, { secrets: 'none' })

/** The data of one version as canonical JSON text, which reads return unchanged. */
const versionDataShape = struct({ data: text, ...walField })
export interface VersionData extends StoredOf<typeof versionDataShape> {}

/**
 * Data by `<mount uuid>/<path>`, NUL and version number. Each version has a separate row, so that a
 * write of one version does not rewrite the data of the other versions.
 */
export const kv2Data = secretsTable('kv2-data', versionDataShape, {
  secrets: { members: ['data'] },
})

/** Builds a key that has no version yet. */
export function newKey(now: number): VersionedKey {
  return {
    created_time: now,
    updated_time: now,
    current_version: 0,
    oldest_version: 0,
    max_versions: 0,
    cas_required: false,
    delete_version_after: 0,
    custom_metadata: null,
    versions: [],
    // `wal` is set before the first write, so that all keys have the same members and share one
    // hidden class of the JavaScript engine.
    wal: 0,
  }
}

export function storageKey(mount: Mount, path: string): string {
  return storagePrefix(mount) + path
}

/**
 * Returns whether the key exists. A write to an existing key is an update, and needs a different
 * capability than a creation.
 */
export function hasKey(world: World, mount: Mount, path: string): boolean {
  return world.table(kv2Keys).has(storageKey(mount, path))
}

/**
 * Returns the row key of a version's data. Keys of different secrets cannot collide, because the
 * version is the part after the last NUL.
 */
export function dataKey(storage: string, version: number): string {
  return `${storage}\0${version}`
}

/**
 * Returns the number of the oldest retained version, or the number of the next version if there are
 * no versions.
 */
export function firstVersion(key: VersionedKey): number {
  return key.current_version - key.versions.length + 1
}

/** Returns the state of a version; undefined for a version that never existed or was pruned. */
export function versionOf(key: VersionedKey, version: number): Version | undefined {
  return key.versions[version - firstVersion(key)]
}

/** Returns false if a version is destroyed or deleted, or if its deletion time has passed. */
export function isReadable(version: Version, now: number): boolean {
  return !version.destroyed && (version.deletion_time === null || version.deletion_time > now)
}

/** Name of the job that is due at the deletion time of a version. */
const deleteVersionJob = 'secrets.kv2.delete-version'

/**
 * Schedules or cancels the job for a version's deletion time. The job does nothing, because reads
 * compare the deletion time with the clock. The job exists so that the deletion appears in the
 * agenda, the list of the world's pending jobs.
 */
export function scheduleDeletion(
  world: World,
  storage: string,
  number: number,
  version: Version | undefined,
): void {
  const id = `${storage}@${number}`
  const at = version?.deletion_time ?? null
  if (version === undefined || version.destroyed || at === null || at <= world.clock.now()) {
    world.agenda.cancel(deleteVersionJob, id)
  } else world.agenda.schedule({ at, job: deleteVersionJob, id })
}

/** Handler of `deleteVersionJob`, which does nothing: see `scheduleDeletion`. */
export const versionJobs: Readonly<Record<string, JobHandler>> = { [deleteVersionJob]: () => {} }

/**
 * Deletes a key with all its versions, and cancels their scheduled deletions. Must run inside a
 * transaction.
 */
export function removeKey(world: World, storage: string, key: VersionedKey): void {
  key.versions.forEach((_, position) => {
    const number = firstVersion(key) + position
    world.table(kv2Data).delete(dataKey(storage, number))
    scheduleDeletion(world, storage, number, undefined)
  })
  world.table(kv2Keys).delete(storage)
}

/** Value of `delete_version_after` that disables automatic deletion. */
const neverDelete = -1

/** Settings of a versioned key-value engine (behaviour/secrets#api-kv2). */
const engineConfigShape = struct({
  /** Number of versions that each key retains; 0 means `defaultMaxVersions`. */
  max_versions: uint,
  cas_required: bool,
  /** Duration in seconds; 0 if unset; `neverDelete` disables deletion for the whole engine. */
  delete_version_after: described(intOf({ minimum: neverDelete }), 'Seconds'),
  /**
   * True while the engine converts data of version 1. Every operation on the engine is refused
   * until the conversion ends.
   */
  upgrading: bool,
  ...walField,
})
export interface EngineConfig extends StoredOf<typeof engineConfigShape> {}

/**
 * Number of retained versions if neither the key nor the engine sets a number
 * (behaviour/secrets#api-limits).
 */
const defaultMaxVersions = 10

const defaults: EngineConfig = {
  max_versions: 0,
  cas_required: false,
  delete_version_after: 0,
  upgrading: false,
}

/** Settings by `<mount uuid>/`. An engine without a row has the defaults. */
export const kv2Configs = secretsTable('kv2-configs', engineConfigShape, { secrets: 'none' })

/**
 * Returns the settings of an engine. Every operation calls this function first.
 * @throws Refusal while the engine is being upgraded from version 1
 */
export function engineConfig(world: World, mount: Mount): EngineConfig {
  const config = world.table(kv2Configs).get(storagePrefix(mount)) ?? defaults
  if (config.upgrading) throw refuse('engine-upgrading')
  return config
}

export function isUpgrading(world: World, mount: Mount): boolean {
  return world.table(kv2Configs).get(storagePrefix(mount))?.upgrading ?? false
}

/** Sets whether the engine refuses every operation because an upgrade is in progress. */
export function setUpgrading(world: World, prefix: string, upgrading: boolean): void {
  const table = world.table(kv2Configs)
  world.write(() => {
    const config = table.get(prefix) ?? defaults
    table.put(prefix, { ...config, upgrading, wal: nextWal(world) })
  })
}

/** A change of the settings; members that are left out keep their values. */
type EngineConfigChange = Partial<Omit<EngineConfig, 'upgrading' | 'wal'>>

/**
 * Changes the settings of an engine. A negative `delete_version_after` disables automatic deletion
 * for every key; 0 removes the engine's limit (behaviour/secrets#kv2-config). Writes nothing if the
 * change is empty.
 * @throws Refusal for a negative number of versions, and any refusal of `engineConfig`
 */
export function changeEngineConfig(world: World, mount: Mount, change: EngineConfigChange): void {
  const config = engineConfig(world, mount)
  requireNonNegative(change.max_versions)
  if (Object.keys(change).length === 0) return
  const changed: EngineConfig = { ...config, ...change }
  const delete_version_after = Math.max(changed.delete_version_after, neverDelete)
  world.write(() => {
    const wal = nextWal(world)
    world.table(kv2Configs).put(storagePrefix(mount), { ...changed, delete_version_after, wal })
  })
}

/** Throws a refusal for a negative number of versions. */
export function requireNonNegative(maxVersions: number | undefined): void {
  if (maxVersions !== undefined && maxVersions < 0) throw refuse('max-versions-negative')
}

/** Settings of a key that override or tighten those of the engine. */
export interface KeySettings {
  readonly max_versions: number
  readonly cas_required: boolean
  readonly delete_version_after: number
}

/**
 * Returns how many versions a key retains: the key's own number, otherwise the engine's number,
 * otherwise ten (behaviour/secrets#kv2-pruning). Unlike this server, the reference takes the larger
 * of the key's and the engine's number.
 */
export function retainedVersionCount(config: EngineConfig, key: KeySettings): number {
  return key.max_versions || config.max_versions || defaultMaxVersions
}

export function needsCas(config: EngineConfig, key: KeySettings): boolean {
  return config.cas_required || key.cas_required
}

/**
 * Returns the deletion time of a version that becomes readable at `from`. The times are in
 * milliseconds since 1970. If both the key and the engine set a duration, the shorter duration
 * applies. Returns null if the version is never deleted automatically.
 */
export function deletionTime(config: EngineConfig, key: KeySettings, from: number): number | null {
  if (config.delete_version_after === neverDelete) return null
  const delays = [config.delete_version_after, key.delete_version_after].filter((time) => time > 0)
  return delays.length === 0 ? null : from + least(delays) * 1000
}
