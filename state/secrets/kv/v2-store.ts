import { bool, int, intOf, list, map, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { described, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { type Mount, nextWal, storagePrefix, walField } from '../mounts/mounts.ts'
import { refuse } from './messages.ts'

/** The facts of one version, its data apart. Instants in milliseconds since 1970. */
const versionShape = struct({
  created_time: int,
  /** From when on it is not readable; null when there is no such time. */
  deletion_time: nullable(int),
  destroyed: bool,
})
export interface Version extends StoredOf<typeof versionShape> {}

/** A key of a versioned engine: settings, and its versions without their data. */
const versionedKeyShape = struct({
  created_time: int,
  updated_time: int,
  /** The number of the latest version; 0 before the first. Never restarts. */
  current_version: uint,
  /** 0 until the first pruning. */
  oldest_version: uint,
  /** null when there is none. */
  custom_metadata: nullable(map(text)),
  /** The versions kept, without gaps, the last of them the current one. */
  versions: list(versionShape),
  max_versions: uint,
  cas_required: bool,
  delete_version_after: described(uint, 'Seconds'),
  ...walField,
})
export interface VersionedKey extends StoredOf<typeof versionedKeyShape> {}

/** By mount and path, so that the folders of a mount are the children of its prefix. */
export const kv2Keys = defineTable({
  service: 'secrets',
  name: 'kv2-keys',
  shape: versionedKeyShape,
})

/** The data of one version as canonical JSON text: reads send it as it is. */
const versionDataShape = struct({
  data: text,
  ...walField,
})
export interface VersionData extends StoredOf<typeof versionDataShape> {}

/** By mount, path and version: a write touches no other version's data. */
export const kv2Data = defineTable({
  service: 'secrets',
  name: 'kv2-data',
  shape: versionDataShape,
})

/** A key as it is before anything is written to it. */
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
    // Of no write yet; there from the beginning so that all keys are of one hidden class.
    wal: 0,
  }
}

/** Where a key stands in the keys table. */
export function storageKey(mount: Mount, path: string): string {
  return storagePrefix(mount) + path
}

/** Tells whether a write to this path would change a key rather than make one. */
export function hasKey(world: World, mount: Mount, path: string): boolean {
  return world.table(kv2Keys).has(storageKey(mount, path))
}

/** Where a version's data stands. A version number has no NUL in it, so no two keys can meet. */
export function dataKey(storage: string, version: number): string {
  return `${storage}\0${version}`
}

/** The number of the first version kept, if any are. */
export function firstVersion(key: VersionedKey): number {
  return key.current_version - key.versions.length + 1
}

/** A version by number; undefined when it was never made or is pruned. */
export function versionOf(key: VersionedKey, version: number): Version | undefined {
  return key.versions[version - firstVersion(key)]
}

/** Tells whether a version's data can be read now. */
export function isReadable(version: Version, now: number): boolean {
  return !version.destroyed && (version.deletion_time === null || version.deletion_time > now)
}

/** The agenda's name for the moment at which a version's time is up. */
const deleteVersionJob = 'secrets.kv2.delete-version'

/**
 * Keeps the agenda in step with a version's deletion time. The job itself has nothing to do, since
 * reads compare times: the appointment makes the moment show in what advancing the clock reports.
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

/** The jobs of versioned engines that have to do with single versions. */
export const versionJobs: Readonly<Record<string, JobHandler>> = { [deleteVersionJob]: () => {} }

/** Deletes a key with everything that belongs to it; part of a transaction. */
export function removeKey(world: World, storage: string, key: VersionedKey): void {
  key.versions.forEach((_, position) => {
    const number = firstVersion(key) + position
    world.table(kv2Data).delete(dataKey(storage, number))
    scheduleDeletion(world, storage, number, undefined)
  })
  world.table(kv2Keys).delete(storage)
}

/** The value of `delete_version_after` when it is switched off. */
const neverDelete = -1

/** Settings of a versioned key-value engine (behaviour/secrets#api-kv2). */
const engineConfigShape = struct({
  /** Versions kept of each key; 0 means the default. */
  max_versions: uint,
  cas_required: bool,
  /** Seconds; 0 is unset, `neverDelete` switches it off for the whole engine. */
  delete_version_after: described(intOf({ minimum: neverDelete }), 'Seconds'),
  /** While version 1 data is being moved, everything else is refused. */
  upgrading: bool,
  ...walField,
})
export interface EngineConfig extends StoredOf<typeof engineConfigShape> {}

/** Versions kept when neither key nor engine say how many (behaviour/secrets#api-limits). */
const defaultMaxVersions = 10

const defaults: EngineConfig = {
  max_versions: 0,
  cas_required: false,
  delete_version_after: 0,
  upgrading: false,
}

/** By mount; an engine without a row has the defaults. */
export const kv2Configs = defineTable({
  service: 'secrets',
  name: 'kv2-configs',
  shape: engineConfigShape,
})

/** The settings of an engine. Refuses while its data is being upgraded, as everything does then. */
export function engineConfig(world: World, mount: Mount): EngineConfig {
  const config = world.table(kv2Configs).get(storagePrefix(mount)) ?? defaults
  if (config.upgrading) {
    throw refuse('engine-upgrading')
  }
  return config
}

/** Tells whether an engine is being upgraded. */
export function isUpgrading(world: World, mount: Mount): boolean {
  return world.table(kv2Configs).get(storagePrefix(mount))?.upgrading ?? false
}

/** Marks an engine as being upgraded, or as ready again. */
export function setUpgrading(world: World, prefix: string, upgrading: boolean): void {
  const table = world.table(kv2Configs)
  world.write(() => {
    const config = table.get(prefix) ?? defaults
    table.put(prefix, { ...config, upgrading, wal: nextWal(world) })
  })
}

/** The settings that a caller may change; what is left out stays. */
type EngineConfigChange = Partial<Omit<EngineConfig, 'upgrading' | 'wal'>>

/**
 * Changes the settings that are given. A negative `delete_version_after` switches it off for every
 * key, zero clears it (behaviour/secrets#kv2-config).
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

/** Refuses a number of versions below zero, of engine or key. */
export function requireNonNegative(maxVersions: number | undefined): void {
  if (maxVersions !== undefined && maxVersions < 0) {
    throw refuse('max-versions-negative')
  }
}

/** The settings of a key that may differ from its engine's. */
export interface KeySettings {
  readonly max_versions: number
  readonly cas_required: boolean
  readonly delete_version_after: number
}

/**
 * Returns how many versions a key keeps: its own number, else the engine's, else ten. The reference
 * takes the larger of the two (behaviour/secrets#kv2-pruning).
 */
export function retainedVersionCount(config: EngineConfig, key: KeySettings): number {
  return key.max_versions || config.max_versions || defaultMaxVersions
}

/** Tells whether writes to a key need `cas`: when either side says so. */
export function needsCas(config: EngineConfig, key: KeySettings): boolean {
  return config.cas_required || key.cas_required
}

/**
 * When a version that becomes readable at `from` is to be deleted: after the smaller of the times
 * that are set, or never (null). Milliseconds since 1970.
 */
export function deletionTime(config: EngineConfig, key: KeySettings, from: number): number | null {
  if (config.delete_version_after === neverDelete) return null
  const set = [config.delete_version_after, key.delete_version_after].filter((time) => time > 0)
  return set.length === 0 ? null : from + Math.min(...set) * 1000
}
