import type { Job } from '../../kernel/service.ts'
import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { type Mount, storagePrefix } from '../mounts/mounts.ts'
import type { CustomMetadata } from './custom-metadata.ts'
import type { KeySettings } from './v2-config.ts'

/** What is known of one version, its data apart. Instants in milliseconds since 1970. */
export interface Version {
  readonly created_time: number
  /** From when on it is not readable; null when there is no such time. */
  readonly deletion_time: number | null
  readonly destroyed: boolean
}

/** A key of a versioned engine: settings, and its versions without their data. */
export interface VersionedKey extends KeySettings {
  readonly created_time: number
  readonly updated_time: number
  /** The number of the latest version; 0 before the first. Never restarts. */
  readonly current_version: number
  /** 0 until the first pruning. */
  readonly oldest_version: number
  /** null when there is none. */
  readonly custom_metadata: CustomMetadata | null
  /** The versions kept, without gaps, the last of them the current one. */
  readonly versions: readonly Version[]
}

/** By mount and path, so that the folders of a mount are the children of its prefix. */
export const kv2Keys = defineTable<VersionedKey>({
  service: 'secrets',
  name: 'kv2-keys',
  schema: {
    type: 'object',
    required: [
      'created_time',
      'updated_time',
      'current_version',
      'oldest_version',
      'max_versions',
      'cas_required',
      'delete_version_after',
      'custom_metadata',
      'versions',
    ],
    additionalProperties: false,
    properties: {
      created_time: { type: 'integer' },
      updated_time: { type: 'integer' },
      current_version: { type: 'integer', minimum: 0 },
      oldest_version: { type: 'integer', minimum: 0 },
      max_versions: { type: 'integer', minimum: 0 },
      cas_required: { type: 'boolean' },
      delete_version_after: { type: 'integer', minimum: 0, description: 'Seconds' },
      custom_metadata: { type: ['object', 'null'], additionalProperties: { type: 'string' } },
      versions: {
        type: 'array',
        items: {
          type: 'object',
          required: ['created_time', 'deletion_time', 'destroyed'],
          additionalProperties: false,
          properties: {
            created_time: { type: 'integer' },
            deletion_time: { type: ['integer', 'null'] },
            destroyed: { type: 'boolean' },
          },
        },
      },
    },
  },
})

/** The data of one version as canonical JSON text: reads send it as it is. */
export interface VersionData {
  readonly data: string
}

/** By mount, path and version: a write touches no other version's data. */
export const kv2Data = defineTable<VersionData>({
  service: 'secrets',
  name: 'kv2-data',
  schema: {
    type: 'object',
    required: ['data'],
    additionalProperties: false,
    properties: { data: { type: 'string', contentMediaType: 'application/json' } },
  },
})

/** Where a key stands in the keys table. */
export function storageKey(mount: Mount, path: string): string {
  return storagePrefix(mount) + path
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

/** Whether a version's data can be read now. */
export function isReadable(version: Version, now: number): boolean {
  return !version.destroyed && (version.deletion_time === null || version.deletion_time > now)
}

/** The agenda's name for the moment at which a version's time is up. */
const deleteVersionJob = 'secrets.kv2.delete-version'

/**
 * Keeps the agenda in step with a version's deletion time. The job itself has nothing to do, since
 * reads compare times: the appointment makes the moment show in what advancing the clock reports.
 */
export function arrangeDeletion(
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
export const versionJobs: Readonly<Record<string, Job>> = { [deleteVersionJob]: () => {} }

/** Deletes a key with everything that belongs to it; part of a transaction. */
export function removeKey(world: World, storage: string, key: VersionedKey): void {
  key.versions.forEach((_, position) => {
    const number = firstVersion(key) + position
    world.table(kv2Data).delete(dataKey(storage, number))
    arrangeDeletion(world, storage, number, undefined)
  })
  world.table(kv2Keys).delete(storage)
}
