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
import { countBelow, rowsBelow } from '../newest-first.ts'
import { ownedRows } from '../owned-rows.ts'
import { platformTable } from '../table.ts'
import { suiteShape } from './suite.ts'
import { testRunMachine, testRunTimes } from './test-run-machine.ts'

/**
 * Source of a test run or configuration version: the command-line client, the API, or an uploaded
 * version (behaviour/platform#api-test-runs).
 */
export const testSource = word({
  infra: 'terraform',
  'ent-api': 'tfe-api',
  'ent-configuration-version': 'tfe-configuration-version',
})

/** Name of a source. */
export type TestSource = StoredOf<typeof testSource>

const variableShape = struct({ key: text, value: text })

/** A variable of a single run, with a literal expression as its value, which is not checked. */
export interface RunVariable extends StoredOf<typeof variableShape> {}

const resultsShape = struct({ passed: uint, failed: uint, errored: uint, skipped: uint })

/** Number of tests of a run by status. */
export interface TestResults extends StoredOf<typeof resultsShape> {}

const outcomeShape = struct({
  status: word('finished', 'errored'),
  /** Results of a run that finishes. */
  results: resultsShape,
  /**
   * Whether the first test is the one that fails; otherwise the failing tests come after the
   * others.
   */
  fails_first: optional(bool),
})

/** Outcome of a run unless it is canceled. */
export interface TestOutcome extends StoredOf<typeof outcomeShape> {}

/** Attributes of a run as the API returns them (behaviour/platform#api-test-runs). */
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
  /** Id of the module. */
  module: text,
  /** Id of the configuration version. */
  configuration_version: text,
  /** Id of the user who created it. */
  created_by: text,
  reached: testRunTimes,
  /** Time at which a graceful cancel was requested. */
  cancel_asked_at: nullable(instant),
  parallelism: nullable(int),
  /** Tests in its configuration version; missing in old documents. */
  suite: optional(suiteShape),
  /** Planned outcome, set by `mock_result`, the options or a forced transition. */
  outcome: outcomeShape,
  /** Running time in milliseconds that the variable `wait_time` sets; null if it sets none. */
  wait_time: nullable(int),
  /** Actual running time in milliseconds; null until it starts to run. */
  running_time: nullable(int),
  /** Results of the run; null until it is finished. */
  results: nullable(resultsShape),
  /** Id of the object that returns the log; null until the run starts or is canceled. */
  log: nullable(text),
})

/** A run of a module's tests (behaviour/platform#api-test-runs). */
export interface TestRun extends StoredOf<typeof testRunShape> {}

/**
 * Test runs by `<module id>/<position>`, newest first. The index `open` holds the runs that are not
 * over and keep their configuration version in use, as `<configuration version>/<run>`.
 */
export const testRuns = platformTable('test-runs', testRunShape, {
  secrets: { members: ['variables/*/value', 'log'] },
  indexes: {
    byId: ({ id }) => id,
    open: (run) => (isOver(run) ? undefined : `${run.configuration_version}/${run.id}`),
  },
})

/** Functions that find a run by its id, and store a new or changed run. */
export const { withId: testRunWithId, put: putTestRun } = ownedRows(
  testRuns,
  'module',
  'newest first',
)

/** Returns whether a run has reached a final state. */
export function isOver({ status }: Pick<TestRun, 'status'>): boolean {
  return status === 'finished' || status === 'errored' || status === 'canceled'
}

/** Returns whether a run that is not over uses a configuration version. */
export function isInUse(world: World, version: string): boolean {
  return world.table(testRuns).index('open').first(`${version}/`) !== undefined
}

/** Runs of a module, newest first. Only requested runs are read. */
interface TestRunList {
  readonly length: number
  /** Returns the runs from `start` up to, but not including, `end`. */
  slice(start: number, end: number): readonly TestRun[]
}

/**
 * Returns the runs of a module, newest first (behaviour/platform#list-test-runs). With `sources`,
 * only runs from one of these sources.
 */
export function testRunsOf(
  world: World,
  module: string,
  sources?: ReadonlySet<string>,
): TestRunList {
  const table = world.table(testRuns)
  if (sources === undefined) {
    return {
      length: countBelow(table, module),
      slice: (start, end) => rowsBelow(table, module, start, end),
    }
  }
  return Array.from(table.rows(`${module}/`)).filter(({ source }) => sources.has(source))
}
