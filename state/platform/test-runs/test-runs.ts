import { defineTable } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { countBelow, nextKey, rowsBelow } from '../newest-first.ts'
import type { TestSource } from './sources.ts'
import type { TestRunStatus, TestRunTimes } from './test-run-machine.ts'

/** A value for one run: a literal expression, which nobody checks. */
export interface RunVariable {
  readonly key: string
  readonly value: string
}

/** How many tests of a run came out how. */
export interface TestResults {
  readonly passed: number
  readonly failed: number
  readonly errored: number
  readonly skipped: number
}

/** What a run comes to unless somebody stops it. */
export interface TestOutcome {
  readonly status: 'finished' | 'errored'
  /** Of a run that finishes. */
  readonly results: TestResults
}

/** A run of a module's tests (2-platform.md, Test run). Instants in milliseconds since 1970. */
export interface TestRun {
  /** `trun-…` */
  readonly id: string
  /** The module's id. */
  readonly module: string
  /** The configuration version's id. */
  readonly configuration_version: string
  /** The id of the user who made it. */
  readonly created_by: string
  readonly source: TestSource
  readonly message: string
  readonly status: TestRunStatus
  readonly reached: TestRunTimes
  /** When a graceful stop was asked for. */
  readonly cancel_asked_at: number | null
  readonly verbose: boolean
  readonly test_directory: string
  readonly filters: readonly string[]
  /** As they were sent. */
  readonly variables: readonly RunVariable[]
  readonly parallelism: number | null
  /** What is to come of it: what `mock_result`, options or a push said. */
  readonly outcome: TestOutcome
  /** How long it is to run, in milliseconds, when its variable `wait_time` says. */
  readonly wait_time: number | null
  /** How long it runs, in milliseconds; null before it does. */
  readonly running_time: number | null
  /** Null until it is finished. */
  readonly results: TestResults | null
  /** The id of the object that gives the log; null before it runs. */
  readonly log: string | null
  readonly created_at: number
  readonly updated_at: number
}

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const
const instant = { type: 'integer' } as const
const results = {
  type: ['object', 'null'],
  required: ['passed', 'failed', 'errored', 'skipped'],
  additionalProperties: false,
  properties: { passed: count, failed: count, errored: count, skipped: count },
} as const

/**
 * By `<module id>/<place>`, newest first. Those under `open` are not over and keep their configuration
 * version in use: `<configuration version>/<run>`.
 */
export const testRuns = defineTable<TestRun>()({
  service: 'platform',
  name: 'test-runs',
  indexes: {
    byId: ({ id }) => id,
    open: (run) => (isOver(run) ? undefined : `${run.configuration_version}/${run.id}`),
  },
  schema: {
    type: 'object',
    required: [
      'id',
      'module',
      'configuration_version',
      'created_by',
      'source',
      'message',
      'status',
      'reached',
      'cancel_asked_at',
      'verbose',
      'test_directory',
      'filters',
      'variables',
      'parallelism',
      'outcome',
      'wait_time',
      'running_time',
      'results',
      'log',
      'created_at',
      'updated_at',
    ],
    additionalProperties: false,
    properties: {
      id: text,
      module: text,
      configuration_version: text,
      created_by: text,
      source: { enum: ['infra', 'ent-api', 'ent-configuration-version'] },
      message: text,
      status: { enum: ['pending', 'queued', 'running', 'errored', 'canceled', 'finished'] },
      reached: {
        type: 'object',
        additionalProperties: false,
        properties: {
          queued_at: instant,
          started_at: instant,
          finished_at: instant,
          errored_at: instant,
          canceled_at: instant,
          force_canceled_at: instant,
        },
      },
      cancel_asked_at: { type: ['integer', 'null'] },
      verbose: { type: 'boolean' },
      test_directory: text,
      filters: { type: 'array', items: text },
      variables: {
        type: 'array',
        items: {
          type: 'object',
          required: ['key', 'value'],
          additionalProperties: false,
          properties: { key: text, value: text },
        },
      },
      parallelism: { type: ['integer', 'null'] },
      outcome: {
        type: 'object',
        required: ['status', 'results'],
        additionalProperties: false,
        properties: {
          status: { enum: ['finished', 'errored'] },
          results: { ...results, type: 'object' },
        },
      },
      wait_time: { type: ['integer', 'null'] },
      running_time: { type: ['integer', 'null'] },
      results,
      log: { type: ['string', 'null'] },
      created_at: instant,
      updated_at: instant,
    },
  },
})

/** The run of an id, if there is one. */
export function testRunWithId(world: World, id: string): TestRun | undefined {
  return world.table(testRuns).index('byId').get(id)
}

/** Whether a run has come to its end. */
export function isOver({ status }: Pick<TestRun, 'status'>): boolean {
  return status === 'finished' || status === 'errored' || status === 'canceled'
}

/** Adds a run, or puts another state of it; part of a transaction. */
export function putTestRun(world: World, run: TestRun): TestRun {
  const table = world.table(testRuns)
  table.put(table.index('byId').keyOf(run.id) ?? nextKey(table, run.module), run)
  return run
}

/** Whether a run that is not over uses a configuration version. */
export function isInUse(world: World, version: string): boolean {
  return world.table(testRuns).index('open').first(`${version}/`) !== undefined
}

/** A module's runs, newest first, of which only those are read that are asked for. */
export interface TestRunList {
  readonly length: number
  /** From `start` up to, not including, `end`. */
  slice(start: number, end: number): readonly TestRun[]
}

/**
 * A module's runs, newest first (2-platform-decisions.md section 2.2). `sources` leaves in only those
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
