import type { World } from '../../kernel/worlds/world.ts'
import {
  type ConfigurationVersion,
  createPublishedVersion,
  newestUploadedVersion,
  versionWithId,
} from '../configuration-versions/configuration-versions.ts'
import { newId } from '../ids.ts'
import { refuse } from '../messages.ts'
import { type Module, moduleWithId } from '../modules/modules.ts'
import { optionsOf } from '../options.ts'
import { testRunPlanOf } from './outcome.ts'
import { readSuite } from './suite.ts'
import type { TestSource } from './test-runs.ts'
import { putTestRun, type TestRun, type TestRunVariable } from './test-runs.ts'
import { applyTestRunEvent } from './timing.ts'

/** Members of a request that creates a test run. Missing members have defaults. */
interface TestRunInput {
  /** Id of the configuration version to test. */
  readonly configurationVersion?: string | undefined
  readonly verbose?: boolean | undefined
  /** Null or blank means the directory `tests`. */
  readonly testDirectory?: string | null | undefined
  readonly filters?: readonly string[] | undefined
  readonly variables?: readonly TestRunVariable[] | undefined
  readonly parallelism?: number | undefined
}

interface TestRunOrigin {
  /** User id. */
  readonly user: string
  readonly source: TestSource
}

/** Message of a test run for each source. */
const creationMessages: Readonly<Record<TestSource, string>> = {
  infra: 'Queued manually via the API',
  'ent-api': 'Queued manually via the API',
  'ent-configuration-version': 'Queued automatically from a configuration version',
}

/**
 * Creates a test run (behaviour/platform#create-test-run). If the request names no configuration
 * version, the run tests the newest uploaded version. If no version was uploaded, the run tests a
 * new version that represents the published source of the module. Throws 404 if the named
 * configuration version is unknown or in another organization, and 422 if that version is not
 * uploaded. Throws 422 if the option `requireTestsEnabled` is set and the tests of the module are
 * disabled.
 */
export function createTestRun(
  world: World,
  module: Module,
  input: TestRunInput,
  { user, source }: TestRunOrigin,
): TestRun {
  const versionId = input.configurationVersion
  const version = versionId === undefined ? undefined : requireVersion(world, module, versionId)
  if (!mayRunTests(world, module)) throw refuse('tests-disabled')
  if (version !== undefined && version.status !== 'uploaded') {
    throw refuse('version-not-uploaded')
  }
  return world.write(() => {
    const testedVersion =
      version ??
      newestUploadedVersion(world, module.id) ??
      createPublishedVersion(world, module, user)
    return addTestRun(world, module, input, { user, source, version: testedVersion.id })
  })
}

/**
 * Creates the test run that an upload starts, unless the options or the module's test configuration
 * prevent test runs (behaviour/platform#configuration-versions). Does nothing if the version
 * belongs to a workspace. Must run inside a transaction.
 */
export function createTestRunForUpload(world: World, version: ConfigurationVersion): void {
  const module = moduleWithId(world, version.module)
  const { autoCreateTestRunOnUpload } = optionsOf(world)
  if (!autoCreateTestRunOnUpload || module === undefined || !mayRunTests(world, module)) return
  const { id, created_by: user } = version
  addTestRun(world, module, {}, { user, source: 'ent-configuration-version', version: id })
}

function requireVersion(world: World, module: Module, id: string): ConfigurationVersion {
  const version = versionWithId(world, id)
  if (version?.organization !== module.organization) throw refuse('not-found')
  return version
}

function mayRunTests(world: World, { test_config }: Module): boolean {
  return !optionsOf(world).requireTestsEnabled || test_config?.tests_enabled === true
}

function addTestRun(
  world: World,
  module: Module,
  input: TestRunInput,
  { user, source, version }: TestRunOrigin & { readonly version: string },
): TestRun {
  const { verbose = false, testDirectory, filters = [], variables = [], parallelism } = input
  const now = world.clock.now()
  const test_directory = testDirectory?.trim() ? testDirectory : 'tests'
  const suite = readSuite(world, version, { test_directory, filters })
  const run = putTestRun(world, {
    id: newId(world, 'trun'),
    module: module.id,
    configuration_version: version,
    created_by: user,
    source,
    message: creationMessages[source],
    status: 'pending',
    reached: {},
    cancel_asked_at: null,
    verbose,
    test_directory,
    filters,
    variables,
    parallelism: parallelism ?? null,
    suite,
    ...testRunPlanOf(world, module.id, variables, suite),
    running_time: null,
    results: null,
    log: null,
    created_at: now,
    updated_at: now,
  })
  return optionsOf(world).holdTestRuns ? run : applyTestRunEvent(world, run, 'queue')
}
