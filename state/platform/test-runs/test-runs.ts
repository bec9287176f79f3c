import {
  bool,
  instant,
  int,
  list,
  nullable,
  text,
  translatedText,
  uint,
  word,
} from '../../kernel/shape/kinds.ts'
import { optional, struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { countRows, rowRange } from '../newest-first.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { suiteShape } from './suite.ts'
import { testRunMachine, testRunTimes } from './test-run-machine.ts'

/**
 * Source of a test run or a configuration version: the command-line client, the API, or an upload
 * (behaviour/platform#api-test-runs).
 */
export const testSource = word({
  infra: 'terraform',
  'ent-api': 'tfe-api',
  'ent-configuration-version': 'tfe-configuration-version',
})

export type TestSource = StoredOf<typeof testSource>

const variableShape = struct({ key: text, value: text })

/** A variable of one test run. The value is a literal expression and is not checked. */
export interface TestRunVariable extends StoredOf<typeof variableShape> {}

const resultsShape = struct({ passed: uint, failed: uint, errored: uint, skipped: uint })

/** Number of tests by result. */
export interface TestResults extends StoredOf<typeof resultsShape> {}

const testOutcomeShape = struct({
  status: word('finished', 'errored'),
  /** Number of tests by result, used only if the run finishes. */
  results: resultsShape,
  /** Whether a failing test comes first. By default, failing tests follow the passing tests. */
  fails_first: optional(bool),
})

/**
 * Planned outcome of a test run. If the run is canceled, the outcome has no effect on its status.
 */
export interface TestOutcome extends StoredOf<typeof testOutcomeShape> {}

/** Attributes of a test run (behaviour/platform#api-test-runs). */
export const testRunAttributes = {
  status: word(...testRunMachine.states),
  created_at: instant,
  updated_at: instant,
  /** Variables as the client sent them. */
  variables: list(variableShape),
  filters: list(text),
  test_directory: text,
  verbose: bool,
  source: testSource,
  message: translatedText({
    'Queued manually via the API': 'Queued manually via the Terraform Enterprise API',
  }),
}

const testRunShape = struct({
  ...testRunAttributes,
  /** Id of the form `trun-…`. */
  id: text,
  /** Module id. */
  module: text,
  /** Configuration version id. */
  configuration_version: text,
  /** User id. */
  created_by: text,
  reached: testRunTimes,
  /**
   * Time at which a graceful cancel of the running test run was requested; null without such a
   * request.
   */
  cancel_asked_at: nullable(instant),
  parallelism: nullable(int),
  /** Tests of the configuration version; missing in documents of old releases. */
  suite: optional(suiteShape),
  /** Planned outcome, from `mock_result`, the options or a forced transition. */
  outcome: testOutcomeShape,
  /** Running time in milliseconds from the variable `wait_time`; null without the variable. */
  wait_time: nullable(int),
  /** Planned running time in milliseconds; null until the run starts. */
  running_time: nullable(int),
  /** Results of the run; null unless it has finished. */
  results: nullable(resultsShape),
  /**
   * Object-store id of the address at which clients read the log; null until the run starts or is
   * canceled.
   */
  log: nullable(text),
})

/** A simulated run of a module's tests; no test is executed (behaviour/platform#test-runs). */
export interface TestRun extends StoredOf<typeof testRunShape> {}

/**
 * Test runs by `<module id>/<position>`, newest first. The index `open` contains the runs that have
 * not ended, by `<configuration version id>/<run id>`.
 */
export const testRuns = platformTable('test-runs', testRunShape, {
  secrets: { members: ['variables/*/value', 'log'] },
  indexes: {
    byId: ({ id }) => id,
    open: (run) => (isTestRunOver(run) ? undefined : `${run.configuration_version}/${run.id}`),
  },
})

/** Functions of `ownedRows` for the test runs of a module. */
export const { withId: testRunWithId, put: putTestRun } = ownedRows(
  testRuns,
  'module',
  'newest first',
)

export function isTestRunOver({ status }: Pick<TestRun, 'status'>): boolean {
  return status === 'finished' || status === 'errored' || status === 'canceled'
}

/** Returns whether a test run that has not ended uses the configuration version. */
export function isUsedByTestRun(world: World, version: string): boolean {
  return world.table(testRuns).index('open').first(`${version}/`) !== undefined
}

/**
 * Test runs of a module, newest first. Without a filter by source, only the requested rows are
 * read.
 */
interface TestRunList {
  readonly length: number
  /** Returns the runs from index `start` up to, but not including, `end`. */
  slice(start: number, end: number): readonly TestRun[]
}

/**
 * Returns the test runs of a module, newest first. If `sources` is given, returns only the runs
 * from these sources (behaviour/platform#list-test-runs).
 */
export function testRunsOf(
  world: World,
  module: string,
  sources?: ReadonlySet<string>,
): TestRunList {
  const table = world.table(testRuns)
  if (sources === undefined) {
    return {
      length: countRows(table, module),
      slice: (start, end) => rowRange(table, module, start, end),
    }
  }
  return Array.from(table.rows(`${module}/`)).filter(({ source }) => sources.has(source))
}
