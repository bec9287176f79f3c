import { MILLISECOND, parseGoDuration } from '../../go/duration.ts'
import { timings } from '../../kernel/time/transitions.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { addObject } from '../objects.ts'
import { optionsOf } from '../options.ts'
import { afterEvent, type TestRunEvent } from './test-run-machine.ts'
import { isOver, putTestRun, type TestResults, type TestRun, testRunWithId } from './test-runs.ts'

/** Runs as things that move: the transition's kind and the job that takes the next step. */
export const testRunKind = 'platform.test-run'

/** A run's next step by itself: what it is depends on where the run stands then. */
export const testRunJobs: Readonly<Record<string, JobHandler>> = {
  [testRunKind]: (world, { at, id }) => {
    const run = testRunWithId(world, id)
    if (run === undefined || isOver(run)) return
    applyRunEvent(world, run, nextEvent(run), { at })
  },
}

function nextEvent(run: TestRun): TestRunEvent {
  if (run.status === 'pending') return 'queue'
  if (run.status === 'queued') return 'start'
  if (run.cancel_asked_at !== null) return 'stop'
  return run.outcome.status === 'errored' ? 'fail' : 'finish'
}

/** The rules of a move that differ from the usual. */
interface EventOptions {
  /** The instant; now unless given. */
  readonly at?: number
  /** True when a run that does not run yet can be canceled. */
  readonly cancelQueued?: boolean
  /** The results that a run finishes with, if not with those that were planned. */
  readonly results?: TestResults | undefined
}

/**
 * Lets an event happen to a run and makes the appointment for its next step. Refuses with `conflict`
 * what the run's state does not allow.
 */
export function applyRunEvent(
  world: World,
  run: TestRun,
  event: TestRunEvent,
  options: EventOptions = {},
): TestRun {
  const { at = world.clock.now(), cancelQueued = false, results = run.outcome.results } = options
  const updated = afterEvent(run, event, at, cancelQueued)
  // Asked to stop once more: the stop that is under way keeps its time.
  if (event === 'cancel' && run.cancel_asked_at !== null) return run
  return world.write(() => {
    const stored = putTestRun(world, { ...updated, ...sideEffects(world, updated, event, results) })
    scheduleStep(world, stored, at)
    return stored
  })
}

/** Returns what else changes with an event. */
function sideEffects(
  world: World,
  run: TestRun,
  event: TestRunEvent,
  results: TestResults,
): Partial<TestRun> {
  if (event === 'finish') return { results }
  // What is canceled before it runs has a log, too: an empty one that is at its end (behaviour/platform#test-run-states).
  if (event === 'cancel' && run.status === 'canceled') {
    return { log: addObject(world, 'log', run.id) }
  }
  if (event !== 'start') return {}
  return {
    log: addObject(world, 'log', run.id),
    running_time:
      stepDelay(world, run) ?? run.wait_time ?? milliseconds(optionsOf(world).runningTime),
  }
}

function scheduleStep(world: World, run: TestRun, at: number): void {
  const delay = isOver(run) ? undefined : stepDelay(world, run)
  if (delay === undefined) world.agenda.cancel(testRunKind, run.id)
  else world.agenda.schedule({ at: at + delay, job: testRunKind, id: run.id })
}

/**
 * Returns how long a run stays where it is, in milliseconds (behaviour/platform#test-run-states); undefined when only a
 * push moves it. A pace that was set goes before the options' times, a run's own `wait_time` before
 * both, unless the pace is to wait for nothing.
 */
function stepDelay(world: World, run: TestRun): number | undefined {
  if (run.status === 'pending') return undefined
  const timing = world.table(timings).get(testRunKind)?.pace
  if (timing === 'manual') return undefined
  if (timing === 'immediate') return 0
  const isStopping = run.cancel_asked_at !== null
  if (run.status === 'running' && !isStopping && run.wait_time !== null) return run.wait_time
  if (timing !== undefined) return milliseconds(timing.after)
  const { queuedTime, runningTime, stopTime } = optionsOf(world)
  if (run.status === 'queued') return milliseconds(queuedTime)
  return milliseconds(isStopping ? stopTime : runningTime)
}

/** A duration in whole milliseconds. */
function milliseconds(duration: string): number {
  return Math.ceil(parseGoDuration(duration) / MILLISECOND)
}

/**
 * Asks a run to stop by itself (behaviour/platform#cancel). A running one goes on until it has; with the option
 * `cancelQueued` one that does not run yet is canceled at once. Else refuses with `conflict`.
 */
export function cancelTestRun(world: World, run: TestRun): TestRun {
  return applyRunEvent(world, run, 'cancel', { cancelQueued: optionsOf(world).cancelQueued })
}

/** Ends a run that was asked to stop; refuses any other with `conflict` (behaviour/platform#cancel). */
export function forceCancelTestRun(world: World, run: TestRun): TestRun {
  return applyRunEvent(world, run, 'force-cancel')
}
