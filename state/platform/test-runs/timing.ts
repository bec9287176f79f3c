import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { addObject } from '../objects.ts'
import { optionsOf } from '../options.ts'
import { milliseconds, timingOf } from '../timing.ts'
import { type TestRunEvent, testRunAfterEvent } from './test-run-machine.ts'
import {
  isTestRunOver,
  putTestRun,
  type TestResults,
  type TestRun,
  testRunWithId,
} from './test-runs.ts'

/**
 * Name of the kind of test run transitions that a client can force. Also the name of the job that
 * applies the next event to a run.
 */
export const testRunKind = 'platform.test-run'

/** Handler of the job that applies the next event to a test run. */
export const testRunJobs: Readonly<Record<string, JobHandler>> = {
  [testRunKind]: (world, { at, id }) => {
    const run = testRunWithId(world, id)
    if (run === undefined || isTestRunOver(run)) return
    applyTestRunEvent(world, run, nextEvent(run), { at })
  },
}

function nextEvent(run: TestRun): TestRunEvent {
  if (run.status === 'pending') return 'queue'
  if (run.status === 'queued') return 'start'
  if (run.cancel_asked_at !== null) return 'stop'
  return run.outcome.status === 'errored' ? 'fail' : 'finish'
}

/** Options of an event; all have defaults. */
interface EventOptions {
  /** Time of the event; now by default. */
  readonly at?: number
  /** Whether the run can be canceled before it starts. */
  readonly mayCancelQueued?: boolean
  /** Results of a run that finishes; by default the planned results. */
  readonly results?: TestResults | undefined
}

/**
 * Applies an event to a test run and schedules the next step. Returns the run unchanged for a
 * repeated cancel. Throws `conflict` if the status does not allow the event.
 */
export function applyTestRunEvent(
  world: World,
  run: TestRun,
  event: TestRunEvent,
  options: EventOptions = {},
): TestRun {
  const { at = world.clock.now(), mayCancelQueued = false, results = run.outcome.results } = options
  const updated = testRunAfterEvent(run, event, at, mayCancelQueued)
  // A repeated cancel does not delay the stop that is already scheduled.
  if (event === 'cancel' && run.cancel_asked_at !== null) return run
  return world.write(() => {
    const stored = putTestRun(world, { ...updated, ...sideEffects(world, updated, event, results) })
    scheduleTestRunStep(world, stored, at)
    return stored
  })
}

/**
 * Returns the members that change in addition to the status. Creates the address of the log if the
 * run starts, or is canceled before it starts. Must run inside a transaction.
 */
function sideEffects(world: World, run: TestRun, event: TestRunEvent, results: TestResults) {
  if (event === 'finish') return { results }
  // A run that is canceled before it starts also has a log, which contains no lines.
  if (event === 'cancel' && run.status === 'canceled') {
    return { log: addObject(world, 'log', run.id) }
  }
  if (event !== 'start') return {}
  return {
    log: addObject(world, 'log', run.id),
    running_time:
      testRunStepDelay(world, run) ?? run.wait_time ?? milliseconds(optionsOf(world).runningTime),
  }
}

function scheduleTestRunStep(world: World, run: TestRun, at: number): void {
  const delay = isTestRunOver(run) ? undefined : testRunStepDelay(world, run)
  if (delay === undefined) world.agenda.cancel(testRunKind, run.id)
  else world.agenda.schedule({ at: at + delay, job: testRunKind, id: run.id })
}

/**
 * Returns the time in milliseconds until a test run takes its next step. Returns undefined if only
 * a forced transition moves the run (behaviour/platform#test-run-states). A timing overrides the
 * options. While the run is running and no cancel was requested, its `wait_time` overrides both,
 * unless the timing is `immediate` or `manual`.
 */
function testRunStepDelay(world: World, run: TestRun): number | undefined {
  if (run.status === 'pending') return undefined
  const timing = timingOf(world, testRunKind)
  if (timing === 'manual') return undefined
  if (timing === 'immediate') return 0
  const isStopping = run.cancel_asked_at !== null
  if (run.status === 'running' && !isStopping && run.wait_time !== null) return run.wait_time
  if (timing !== undefined) return milliseconds(timing.after)
  const { queuedTime, runningTime, stopTime } = optionsOf(world)
  if (run.status === 'queued') return milliseconds(queuedTime)
  return milliseconds(isStopping ? stopTime : runningTime)
}

/**
 * Requests a graceful cancel of a running test run (behaviour/platform#cancel). With the option
 * `cancelQueued`, cancels a run that has not started. Throws `conflict` for any other run.
 */
export function cancelTestRun(world: World, run: TestRun): TestRun {
  return applyTestRunEvent(world, run, 'cancel', { mayCancelQueued: optionsOf(world).cancelQueued })
}

/**
 * Ends a test run whose cancel was requested. Throws `conflict` for any other run
 * (behaviour/platform#cancel).
 */
export function forceCancelTestRun(world: World, run: TestRun): TestRun {
  return applyTestRunEvent(world, run, 'force-cancel')
}
