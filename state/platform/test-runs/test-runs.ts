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
import { defineTable } from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { countBelow, nextKey, rowsBelow } from '../newest-first.ts'
import { testSource } from './sources.ts'
import { suiteShape } from './suite.ts'
import { testRunMachine, testRunTimes } from './test-run-machine.ts'

const variableShape = struct({ key: text, value: text })

/** A value for one run: a literal expression, which nobody checks. */
export interface RunVariable extends StoredOf<typeof variableShape> {}

const resultsShape = struct({ passed: uint, failed: uint, errored: uint, skipped: uint })

/** Counts how many tests of a run came out how. */
export interface TestResults extends StoredOf<typeof resultsShape> {}

const outcomeShape = struct({
  status: word('finished', 'errored'),
  /** Of a run that finishes. */
  results: resultsShape,
  /** True when the first test is the one that fails; else those that fail come after the others. */
  fails_first: optional(bool),
})

/** The outcome of a run unless somebody stops it. */
export interface TestOutcome extends StoredOf<typeof outcomeShape> {}

/** Renders what a run tells of itself, by the attributes' names (behaviour/platform#api-test-runs). */
export const testRunAttributes = {
  status: word(...testRunMachine.states),
  created_at: instant,
  updated_at: instant,
  /** As they were sent. */
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
  /** `trun-…` */
  id: text,
  /** The module's id. */
  module: text,
  /** The configuration version's id. */
  configuration_version: text,
  /** The id of the user who made it. */
  created_by: text,
  reached: testRunTimes,
  /** When a graceful stop was asked for. */
  cancel_asked_at: nullable(instant),
  parallelism: nullable(int),
  /** The tests that its version asks for; missing in old documents. */
  suite: optional(suiteShape),
  /** The outcome that it is to have: what `mock_result`, options or a push said. */
  outcome: outcomeShape,
  /** The time that it is to run, in milliseconds, when its variable `wait_time` says. */
  wait_time: nullable(int),
  /** The time that it runs, in milliseconds; null before it does. */
  running_time: nullable(int),
  /** Null until it is finished. */
  results: nullable(resultsShape),
  /** The id of the object that returns the log; null before it runs or is canceled. */
  log: nullable(text),
})

/** A run of a module's tests (behaviour/platform#api-test-runs). */
export interface TestRun extends StoredOf<typeof testRunShape> {}

/**
 * By `<module id>/<place>`, newest first. Those under `open` are not over and keep their configuration
 * version in use: `<configuration version>/<run>`.
 */
export const testRuns = defineTable({
  service: 'platform',
  name: 'test-runs',
  shape: testRunShape,
  indexes: {
    byId: ({ id }) => id,
    open: (run) => (isOver(run) ? undefined : `${run.configuration_version}/${run.id}`),
  },
})

/** The run of an id, if there is one. */
export function testRunWithId(world: World, id: string): TestRun | undefined {
  return world.table(testRuns).index('byId').get(id)
}

/** Tells whether a run has come to its end. */
export function isOver({ status }: Pick<TestRun, 'status'>): boolean {
  return status === 'finished' || status === 'errored' || status === 'canceled'
}

/** Adds a run, or puts another state of it; part of a transaction. */
export function putTestRun(world: World, run: TestRun): TestRun {
  const table = world.table(testRuns)
  table.put(table.index('byId').keyOf(run.id) ?? nextKey(table, run.module), run)
  return run
}

/** Tells whether a run that is not over uses a configuration version. */
export function isInUse(world: World, version: string): boolean {
  return world.table(testRuns).index('open').first(`${version}/`) !== undefined
}

/** A module's runs, newest first, of which only those are read that are asked for. */
interface TestRunList {
  readonly length: number
  /** From `start` up to, not including, `end`. */
  slice(start: number, end: number): readonly TestRun[]
}

/**
 * A module's runs, newest first (behaviour/platform#list-test-runs). `sources` leaves in only those
 * that come from one of them.
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
