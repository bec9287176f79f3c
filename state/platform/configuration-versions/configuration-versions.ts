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

/**
 * Origin of a version: the command-line client, the API, a no-code module, or a version-control
 * provider.
 */
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

export const versionAttributes = {
  /** Error code; null unless the version is errored. */
  error: nullable(text),
  /** Sentence that describes the error; null unless the version is errored. */
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

/** Times at which a version reached its states. States that were not reached are missing. */
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
  /** Id of the module or workspace that the version belongs to. */
  module: text,
  /** User id. */
  created_by: text,
  reached: versionTimes,
  /**
   * State of the upload. If the files are `bad`, they cannot be processed and the version becomes
   * errored.
   */
  content: word('none', 'good', 'bad'),
  /** Id of the upload address in `objects`; null if the files do not come from an upload. */
  upload: nullable(text),
  /**
   * Whether the upload of the files starts a run; true if missing. Versions of modules do not have
   * the members `auto_queue_runs`, `speculative` and `provisional`.
   */
  auto_queue_runs: optional(bool),
  /** Whether runs of the version are plan-only by default; false if missing. */
  speculative: optional(bool),
  /** Whether the version becomes current only after a run has applied it; false if missing. */
  provisional: optional(bool),
  /** Whether a run has applied the version. */
  was_applied: optional(bool),
  download: nullable(text),
  /**
   * Commit that the version was created from; missing if the version does not come from a
   * repository.
   */
  ingress: optional(ingressShape),
  /** Id of the module whose archive contains the files, and number of the module's version. */
  source_module: optional(struct({ module: text, version: text })),
  /** Scheme, host and world prefix of the request that created the version; missing if unknown. */
  base: optional(text),
})

/**
 * Configuration files of a workspace, or of a module's tests
 * (behaviour/platform#configuration-versions).
 */
export interface ConfigurationVersion extends StoredOf<typeof versionShape> {}

/**
 * Configuration versions by `<module or workspace id>/<position>`, newest first. The index
 * `uploaded` has keys of that form and contains the versions with the status `uploaded`.
 */
export const configurationVersions = platformTable('configuration-versions', versionShape, {
  secrets: { members: ['upload', 'download'] },
  indexes: {
    byId: ({ id }) => id,
    uploaded: ({ status }, key) => (status === 'uploaded' ? key : undefined),
  },
})

/** Functions of `ownedRows` for the versions of a module or a workspace. Lists are newest first. */
export const {
  of: versionsOf,
  withId: versionWithId,
  put: putConfigurationVersion,
} = ownedRows(configurationVersions, 'module', 'newest first')

/**
 * Returns the newest uploaded version of a module, which test runs use by default, or undefined if
 * the module has no uploaded version (behaviour/platform#create-test-run).
 */
export function newestUploadedVersion(
  world: World,
  module: string,
): ConfigurationVersion | undefined {
  return world.table(configurationVersions).index('uploaded').first(`${module}/`)?.[1]
}

/**
 * Returns the current version of a workspace: the newest uploaded version that is neither
 * speculative nor provisional. A provisional version can be current after a run has applied it.
 * Returns undefined if the workspace has no such version.
 */
export function currentVersionOf(world: World, workspace: string) {
  return firstCurrentVersion(
    world.table(configurationVersions).index('uploaded').rows(`${workspace}/`),
  )
}

/**
 * Returns the version that the API reports as the current version of a workspace; undefined if the
 * workspace has no such version. Unlike the result of `currentVersionOf`, this version may have any
 * status, because clients expect to see a version before its files are uploaded.
 */
export function reportedVersionOf(world: World, workspace: string) {
  return firstCurrentVersion(world.table(configurationVersions).rows(`${workspace}/`))
}

function firstCurrentVersion(
  versions: Iterable<ConfigurationVersion>,
): ConfigurationVersion | undefined {
  for (const version of versions) {
    const { provisional = false, was_applied = false, speculative = false } = version
    if ((!provisional || was_applied) && !speculative) return version
  }
  return undefined
}

/** Flags of a workspace's configuration version that a request can set. */
type VersionFlags = Pick<ConfigurationVersion, 'auto_queue_runs' | 'speculative' | 'provisional'>

interface VersionOrigin extends Pick<ConfigurationVersion, 'source'> {
  readonly user: string
}

/** Creates a version of a module or a workspace, with an address for the upload of its files. */
export function createConfigurationVersion(
  world: World,
  owner: Pick<Module, 'id' | 'organization'>,
  { user, source }: VersionOrigin & { readonly source: TestSource },
  flags: VersionFlags & Pick<ConfigurationVersion, 'base'> = {},
): ConfigurationVersion {
  return world.write(() => {
    const version = { ...newConfigurationVersion(world, owner, { user, source }), ...flags }
    return putConfigurationVersion(world, {
      ...version,
      upload: addObject(world, 'upload', version.id),
    })
  })
}

/**
 * Creates the version that represents the published source of a module. Test runs use it if the
 * request names no version and the module has no uploaded version. Must run inside a transaction.
 */
export function createPublishedVersion(
  world: World,
  module: Module,
  user: string,
): ConfigurationVersion {
  const version = newConfigurationVersion(world, module, { user, source: 'ent-api' })
  return putConfigurationVersion(world, {
    ...version,
    status: 'uploaded',
    reached: { uploaded_at: world.clock.now() },
    download: addObject(world, 'download', version.id),
  })
}

/** Returns a new configuration version without files. The caller stores the version. */
export function newConfigurationVersion(
  world: World,
  { id, organization }: Pick<Module, 'id' | 'organization'>,
  { user, source }: VersionOrigin,
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
