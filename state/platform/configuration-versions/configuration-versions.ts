import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { newId } from '../ids.ts'
import type { Module } from '../modules/modules.ts'
import { nextKey } from '../newest-first.ts'
import { addObject } from '../objects.ts'
import type { TestSource } from '../test-runs/sources.ts'

/** States of a configuration version (2-platform-decisions.md section 3). */
export type VersionStatus = 'pending' | 'fetching' | 'uploaded' | 'errored' | 'archived'

/** When a version reached its states; what it has not reached is missing. */
export interface VersionTimes {
  readonly fetching_at?: number
  readonly uploaded_at?: number
  readonly errored_at?: number
  readonly archived_at?: number
}

/**
 * Configuration files to test a module with (2-platform-decisions.md section 3). Instants in
 * milliseconds since 1970.
 */
export interface ConfigurationVersion {
  /** `cv-…` */
  readonly id: string
  /** The organization's name. */
  readonly organization: string
  /** The id of the module it was made for. */
  readonly module: string
  /** The id of the user who made it. */
  readonly created_by: string
  readonly source: TestSource
  readonly status: VersionStatus
  readonly reached: VersionTimes
  /** Why it is errored: a word and a sentence. */
  readonly error: string | null
  readonly error_message: string | null
  /** What has arrived, processed or not: `bad` are files that make the version errored. */
  readonly content: 'none' | 'good' | 'bad'
  /** Ids of the objects to upload to and to download from, while there are such. */
  readonly upload: string | null
  readonly download: string | null
}

const text = { type: 'string' } as const
const textOrNull = { type: ['string', 'null'] } as const
const instant = { type: 'integer' } as const

/** By `<module id>/<place>`, newest first. Those under `uploaded`, by the same keys, are what runs can use. */
export const configurationVersions = defineTable<ConfigurationVersion>()({
  service: 'platform',
  name: 'configuration-versions',
  indexes: {
    byId: ({ id }) => id,
    uploaded: ({ status }, key) => (status === 'uploaded' ? key : undefined),
  },
  schema: {
    type: 'object',
    required: [
      'id',
      'organization',
      'module',
      'created_by',
      'source',
      'status',
      'reached',
      'error',
      'error_message',
      'content',
      'upload',
      'download',
    ],
    additionalProperties: false,
    properties: {
      id: text,
      organization: text,
      module: text,
      created_by: text,
      source: { enum: ['infra', 'ent-api', 'ent-configuration-version'] },
      status: { enum: ['pending', 'fetching', 'uploaded', 'errored', 'archived'] },
      reached: {
        type: 'object',
        additionalProperties: false,
        properties: {
          fetching_at: instant,
          uploaded_at: instant,
          errored_at: instant,
          archived_at: instant,
        },
      },
      error: textOrNull,
      error_message: textOrNull,
      content: { enum: ['none', 'good', 'bad'] },
      upload: textOrNull,
      download: textOrNull,
    },
  },
})

/** The version of an id, if there is one. */
export function versionWithId(world: World, id: string): ConfigurationVersion | undefined {
  return world.table(configurationVersions).index('byId').get(id)
}

/** The newest version of a module that runs can use, if there is one (section 2.1). */
export function newestUploaded(world: World, module: string): ConfigurationVersion | undefined {
  return world.table(configurationVersions).index('uploaded').first(`${module}/`)?.[1]
}

/** Puts another state of a version; part of a transaction. */
export function putVersion(world: World, version: ConfigurationVersion): ConfigurationVersion {
  const table = world.table(configurationVersions)
  table.put(table.index('byId').keyOf(version.id) ?? nextKey(table, version.module), version)
  return version
}

/** Makes a version that waits for its files. */
export function createConfigurationVersion(
  world: World,
  module: Module,
  { user, source }: { readonly user: string; readonly source: TestSource },
): ConfigurationVersion {
  return world.write(() => {
    const version = freshVersion(world, module, { user, source })
    return putVersion(world, { ...version, upload: addObject(world, 'upload', version.id) })
  })
}

/**
 * Makes the version that stands for a module's published source, for runs that name none where
 * nothing was uploaded (section 2.1); part of a transaction.
 */
export function publishedVersion(world: World, module: Module, user: string): ConfigurationVersion {
  const version = freshVersion(world, module, { user, source: 'ent-api' })
  return putVersion(world, {
    ...version,
    status: 'uploaded',
    reached: { uploaded_at: world.clock.now() },
    download: addObject(world, 'download', version.id),
  })
}

function freshVersion(
  world: World,
  { id, organization }: Module,
  { user, source }: { readonly user: string; readonly source: TestSource },
): ConfigurationVersion {
  return {
    id: newId(world, 'cv'),
    organization,
    module: id,
    created_by: user,
    source,
    status: 'pending',
    reached: {},
    error: null,
    error_message: null,
    content: 'none',
    upload: null,
    download: null,
  }
}
