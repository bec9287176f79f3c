import { bool, instant, nullable, text, word } from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { newId } from '../ids.ts'
import type { Module } from '../modules/modules.ts'
import { addObject } from '../objects.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import type { TestSource } from '../test-runs/test-runs.ts'
import { ingressShape } from './ingress.ts'

/** Origin of a version: a test run, a no-code module, or the provider of the repository. */
const versionSource = word(
  {
    infra: 'terraform',
    'ent-api': 'tfe-api',
    'ent-configuration-version': 'tfe-configuration-version',
    'ent-module': 'tfe-module',
  },
  'github',
  'gitlab',
  'bitbucket',
  'ado',
)

/** Attributes of a configuration version as the API returns them. */
export const versionAttributes = {
  /** Reason why the version is errored: a code and a sentence. */
  error: nullable(text),
  error_message: nullable(text),
  source: versionSource,
  status: word(
    'pending',
    'fetching',
    'uploaded',
    'errored',
    'archived',
    'backing_data_soft_deleted',
    'backing_data_permanently_deleted',
  ),
}

/** Times at which a version reached its states. States that it has not reached are missing. */
export const versionTimes = struct({
  fetching_at: optional(instant),
  uploaded_at: optional(instant),
  errored_at: optional(instant),
  archived_at: optional(instant),
})

const versionShape = struct({
  ...versionAttributes,
  /** Id of the form `cv-…`. */
  id: text,
  /** The organization's name. */
  organization: text,
  /** Id of the module that the version was created for. */
  module: text,
  /** Id of the user who created it. */
  created_by: text,
  reached: versionTimes,
  /** Files that have arrived, processed or not. Files that are `bad` make the version errored. */
  content: word('none', 'good', 'bad'),
  /** Id of the stored object for the upload; null once the object is deleted. */
  upload: nullable(text),
  /** Flags that a caller can set on a workspace's version; a module's version has none. */
  auto_queue_runs: optional(bool),
  speculative: optional(bool),
  provisional: optional(bool),
  /** Whether a run of the version was applied, so that a provisional one can be current. */
  was_applied: optional(bool),
  download: nullable(text),
  /** Commit that the version comes from; missing without a repository. */
  ingress: optional(ingressShape),
  /** Id and version of the module whose archive contains the files. */
  source_module: optional(struct({ module: text, version: text })),
  /** Scheme, host and world prefix with which the version was created; missing if not known. */
  base: optional(text),
})

/** Configuration files to test a module with (behaviour/platform#configuration-versions). */
export interface ConfigurationVersion extends StoredOf<typeof versionShape> {}

/**
 * Configuration versions by `<module id>/<position>`, newest first. The index `uploaded` has the
 * same keys and holds the versions that runs can use.
 */
export const configurationVersions = platformTable('configuration-versions', versionShape, {
  secrets: { members: ['upload', 'download'] },
  indexes: {
    byId: ({ id }) => id,
    uploaded: ({ status }, key) => (status === 'uploaded' ? key : undefined),
  },
})

/**
 * Functions that list the versions of a module or a workspace, newest first, find one by its id,
 * and store versions.
 */
export const {
  of: versionsOf,
  withId: versionWithId,
  put: putVersion,
} = ownedRows(configurationVersions, 'module', 'newest first')

/**
 * Returns the newest version of a module that runs can use, if any
 * (behaviour/platform#create-test-run).
 */
export function newestUploaded(world: World, module: string): ConfigurationVersion | undefined {
  return world.table(configurationVersions).index('uploaded').first(`${module}/`)?.[1]
}

/**
 * Returns the current version of a workspace: the newest one that runs can use, unless it is
 * speculative, or provisional and not applied yet.
 */
export function currentVersionOf(world: World, workspace: string) {
  return firstUsable(world.table(configurationVersions).index('uploaded').rows(`${workspace}/`))
}

/**
 * Returns the version that a workspace names as its current one. Unlike `currentVersionOf`, it may
 * still wait for its files: clients of the product rely on that.
 */
export function namedVersionOf(world: World, workspace: string) {
  return firstUsable(world.table(configurationVersions).rows(`${workspace}/`))
}

/** Returns the first version that is neither speculative nor provisional and not applied. */
function firstUsable(versions: Iterable<ConfigurationVersion>): ConfigurationVersion | undefined {
  for (const version of versions) {
    const { provisional = false, was_applied = false, speculative = false } = version
    if ((!provisional || was_applied) && !speculative) return version
  }
  return undefined
}

/** Flags that a caller can set on a workspace's version. */
type VersionFlags = Pick<ConfigurationVersion, 'auto_queue_runs' | 'speculative' | 'provisional'>

/** Origin of a version: the id of the user, and the kind of request. */
interface Origin extends Pick<ConfigurationVersion, 'source'> {
  readonly user: string
}

/** Creates a version of a module or a workspace that waits for its files. */
export function createConfigurationVersion(
  world: World,
  module: Pick<Module, 'id' | 'organization'>,
  { user, source }: Origin & { readonly source: TestSource },
  flags: VersionFlags & Pick<ConfigurationVersion, 'base'> = {},
): ConfigurationVersion {
  return world.write(() => {
    const version = { ...newConfigurationVersion(world, module, { user, source }), ...flags }
    return putVersion(world, { ...version, upload: addObject(world, 'upload', version.id) })
  })
}

/**
 * Creates the version that represents a module's published source. Runs that name no version use it
 * if nothing was uploaded (behaviour/platform#create-test-run). Must run inside a transaction.
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

/** Returns a version without files, which is not stored yet. */
export function newConfigurationVersion(
  world: World,
  { id, organization }: Pick<Module, 'id' | 'organization'>,
  { user, source }: Origin,
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
