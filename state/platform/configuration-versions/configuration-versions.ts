import { bool, instant, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import type { Module } from '../modules/modules.ts'
import { nextKey } from '../newest-first.ts'
import { addObject } from '../objects.ts'
import { type TestSource, testSource } from '../test-runs/sources.ts'

/** Renders what a version tells of itself, by the attributes' names. */
export const versionAttributes = {
  /** Why it is errored: a word and a sentence. */
  error: nullable(text),
  error_message: nullable(text),
  source: testSource,
  status: word('pending', 'fetching', 'uploaded', 'errored', 'archived'),
}

/** When a version reached its states; what it has not reached is missing. */
export const versionTimes = struct({
  fetching_at: optional(instant),
  uploaded_at: optional(instant),
  errored_at: optional(instant),
  archived_at: optional(instant),
})

const versionShape = struct({
  ...versionAttributes,
  /** `cv-…` */
  id: text,
  /** The organization's name. */
  organization: text,
  /** The id of the module it was made for. */
  module: text,
  /** The id of the user who made it. */
  created_by: text,
  reached: versionTimes,
  /**
   * The files that have arrived, processed or not: `bad` are files that make the version errored.
   */
  content: word('none', 'good', 'bad'),
  /** Ids of the objects to upload to and to download from, while there are such. */
  upload: nullable(text),
  /** What a caller said of a workspace's version; of a module's nothing. */
  auto_queue_runs: optional(bool),
  speculative: optional(bool),
  provisional: optional(bool),
  download: nullable(text),
})

/** Configuration files to test a module with (behaviour/platform#configuration-versions). */
export interface ConfigurationVersion extends StoredOf<typeof versionShape> {}

/** By `<module id>/<place>`, newest first. Those under `uploaded`, by the same keys, are what runs can use. */
export const configurationVersions = defineTable({
  service: 'platform',
  name: 'configuration-versions',
  shape: versionShape,
  indexes: {
    byId: ({ id }) => id,
    uploaded: ({ status }, key) => (status === 'uploaded' ? key : undefined),
  },
})

/** The version of an id, if there is one. */
export function versionWithId(world: World, id: string): ConfigurationVersion | undefined {
  return world.table(configurationVersions).index('byId').get(id)
}

/** The newest version of a module that runs can use, if there is one (behaviour/platform#create-test-run). */
export function newestUploaded(world: World, module: string): ConfigurationVersion | undefined {
  return world.table(configurationVersions).index('uploaded').first(`${module}/`)?.[1]
}

/** The versions of a module or a workspace, newest first. */
export function versionsOf(world: World, parent: string): ConfigurationVersion[] {
  return Array.from(world.table(configurationVersions).rows(`${parent}/`))
}

/** Puts another state of a version; part of a transaction. */
export function putVersion(world: World, version: ConfigurationVersion): ConfigurationVersion {
  const table = world.table(configurationVersions)
  table.put(table.index('byId').keyOf(version.id) ?? nextKey(table, version.module), version)
  return version
}

/** What a caller can say of a workspace's version. */
type VersionFlags = Pick<ConfigurationVersion, 'auto_queue_runs' | 'speculative' | 'provisional'>

/** Makes a version of a module or a workspace that waits for its files. */
export function createConfigurationVersion(
  world: World,
  module: Pick<Module, 'id' | 'organization'>,
  { user, source }: { readonly user: string; readonly source: TestSource },
  flags: VersionFlags = {},
): ConfigurationVersion {
  return world.write(() => {
    const version = { ...newConfigurationVersion(world, module, { user, source }), ...flags }
    return putVersion(world, { ...version, upload: addObject(world, 'upload', version.id) })
  })
}

/**
 * Makes the version that stands for a module's published source, for runs that name none where
 * nothing was uploaded (behaviour/platform#create-test-run); part of a transaction.
 */
export function createPublishedVersion(
  world: World,
  module: Module,
  user: string,
): ConfigurationVersion {
  const version = newConfigurationVersion(world, module, { user, source: 'ent-api' })
  return putVersion(world, {
    ...version,
    status: 'uploaded',
    reached: { uploaded_at: world.clock.now() },
    download: addObject(world, 'download', version.id),
  })
}

function newConfigurationVersion(
  world: World,
  { id, organization }: Pick<Module, 'id' | 'organization'>,
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
