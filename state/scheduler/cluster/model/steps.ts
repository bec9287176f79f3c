import { MILLISECOND, parseGoDuration } from '../../../go/duration.ts'
import type { Integer } from '../../../kernel/integers.ts'
import { sortableNumber } from '../../../kernel/sortable-number.ts'
import { type Timing, timings } from '../../../kernel/time/transitions.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import { isEvaluationPaused } from '../../operator/configuration.ts'
import { optionsOf, type SchedulerOptions } from '../../options.ts'
import { heldSteps } from './tables.ts'

/**
 * Names of the agenda jobs that advance the cluster. Some names are also kinds of transitions,
 * whose timing clients can set (behaviour/program#control-plane).
 */
export const stepNames = {
  /** Processing of an evaluation. The key is the evaluation's ID. */
  evaluation: 'scheduler.evaluation',
  /** Next phase of a task. The key is `<allocation> <task>`. */
  task: 'scheduler.task',
  /**
   * Decision on the health of an allocation after its waiting time. The key is the allocation's ID.
   */
  health: 'scheduler.allocation',
  /** Check of the progress deadline of a deployment. The key is the deployment's ID. */
  progress: 'scheduler.deployment',
  /**
   * Next batch of a node's drain, with the node's ID as key, or the end of the drain at its
   * deadline, with the key `<id> deadline`.
   */
  drain: 'scheduler.drain',
} as const

export type StepName = (typeof stepNames)[keyof typeof stepNames]

/** Outcome of a step. After `repeat`, the step runs again in another transaction. */
export type StepResult = 'finished' | 'repeat'

type DelayOption = {
  [Name in keyof SchedulerOptions]: Name extends `${string}Delay` | 'batchRunTime' ? Name : never
}[keyof SchedulerOptions]

export type Delay =
  /**
   * The value of the option plus `extra` nanoseconds. If a client has set a duration as the timing
   * of the step, this duration replaces the value of the option.
   */
  | { readonly option: DelayOption; readonly extra?: number }
  /** Delay in nanoseconds that the job or a rule specifies. */
  | { readonly requested: Integer }
  /**
   * Delay of a repeated step or time until a deadline, in nanoseconds. The time scale is at least
   * 0.01, even if other delays are skipped. Otherwise a job that always fails would repeat without
   * end, and deadlines would pass immediately.
   */
  | { readonly unskippable: Integer }

const minTimeScale = 0.01

/**
 * Multiplies an interval by the time scale, but at least by `minTimeScale`. Callers compare the
 * result with elapsed time.
 * @returns milliseconds
 */
export function scaledInterval(world: World, nanoseconds: Integer): number {
  return (Number(nanoseconds) / MILLISECOND) * Math.max(optionsOf(world).timeScale, minTimeScale)
}

/**
 * Parses all delay options to nanoseconds. `world.derived` caches the result until an option
 * changes.
 */
function parseDelays(options: SchedulerOptions): Readonly<Record<DelayOption, number>> {
  return {
    evalDelay: parseGoDuration(options.evalDelay),
    receivedDelay: parseGoDuration(options.receivedDelay),
    setupDelay: parseGoDuration(options.setupDelay),
    imageDelay: parseGoDuration(options.imageDelay),
    startedDelay: parseGoDuration(options.startedDelay),
    batchRunTime: parseGoDuration(options.batchRunTime),
    killDelay: parseGoDuration(options.killDelay),
  }
}

/**
 * Returns the delay of a step in milliseconds, multiplied by `timeScale`
 * (behaviour/scheduler#steering). If a timing has a duration, this duration replaces the value of
 * an option and is not multiplied. The timing `immediate` makes the delay 0, or the minimum if the
 * delay is `unskippable`.
 */
function delayMilliseconds(world: World, timing: Timing | undefined, delay: Delay): number {
  if ('unskippable' in delay) {
    const scale = timing === 'immediate' ? 0 : optionsOf(world).timeScale
    return (Number(delay.unskippable) / MILLISECOND) * Math.max(scale, minTimeScale)
  }
  if (timing === 'immediate') return 0
  const options = optionsOf(world)
  if ('requested' in delay) return (Number(delay.requested) / MILLISECOND) * options.timeScale
  const extra = ((delay.extra ?? 0) / MILLISECOND) * options.timeScale
  if (typeof timing === 'object') return parseGoDuration(timing.after) / MILLISECOND + extra
  return (
    (world.derived(options, parseDelays)[delay.option] / MILLISECOND) * options.timeScale + extra
  )
}

/**
 * Schedules a step, replacing an earlier schedule of the step. The step is held if `schedulerMode`
 * is not auto, the timing is manual, or an operator has paused the step. A held step waits until a
 * client runs it, forces a transition, or turns automatic steps on. Must run inside a transaction.
 *
 * @param from start of the delay, in milliseconds since 1970
 * @returns due time in milliseconds since 1970
 */
export function scheduleStep(
  world: World,
  job: StepName,
  id: string,
  delay: Delay,
  from: number = world.clock.now(),
): number {
  const at = stepDueAt(world, job, delay, from)
  scheduleStepAt(world, job, id, at)
  return at
}

/**
 * Returns the due time of a step whose delay starts at `from`, or the current time if the due time
 * has passed. All times are milliseconds since 1970.
 */
export function stepDueAt(
  world: World,
  job: StepName,
  delay: Delay,
  from: number = world.clock.now(),
): number {
  const milliseconds = delayMilliseconds(world, world.table(timings).get(job)?.pace, delay)
  return Math.max(world.clock.now(), Math.ceil(from + milliseconds))
}

/**
 * Schedules a step for a time in milliseconds since 1970, or holds it if steps do not run
 * automatically. Must run inside a transaction.
 */
export function scheduleStepAt(world: World, job: string, id: string, at: number): void {
  if (runsAutomatically(world, job)) {
    releaseStep(world, job, id)
    world.agenda.schedule({ at, job, id })
  } else holdStep(world, job, id, at)
}

/**
 * Returns true if due steps with this name run by themselves. The scheduler mode, a timing or an
 * operator may prevent that.
 */
export function runsAutomatically(world: World, job: string): boolean {
  return (
    optionsOf(world).schedulerMode === 'auto' &&
    world.table(timings).get(job)?.pace !== 'manual' &&
    !waitsForOperator(world, job)
  )
}

/**
 * Returns true if an operator has paused this kind of step. Only the processing of evaluations can
 * be paused (behaviour/scheduler#operator).
 */
export function waitsForOperator(world: World, job: string): boolean {
  return job === stepNames.evaluation && isEvaluationPaused(world)
}

export function isStepScheduled(world: World, job: StepName, id: string): boolean {
  return (
    world.agenda.find(job, id) !== undefined ||
    world.table(heldSteps).index('byStep').has(`${job} ${id}`)
  )
}

/** Holds a step until a client runs it or automatic steps resume. Must run inside a transaction. */
export function holdStep(world: World, job: string, id: string, at: number): void {
  cancelStep(world, job, id)
  const order = nextIndex(world)
  const key = `${sortableNumber(at, 16)} ${sortableNumber(order, 16)} ${job} ${id}`
  world.table(heldSteps).put(key, { at, job, id })
}

/** Cancels a step, whether scheduled or held. Must run inside a transaction. */
export function cancelStep(world: World, job: string, id: string): void {
  world.agenda.cancel(job, id)
  releaseStep(world, job, id)
}

function releaseStep(world: World, job: string, id: string): void {
  // In automatic mode, steps are rarely held, so the look-up is usually skipped.
  if (world.table(heldSteps).size === 0) return
  const key = world.table(heldSteps).index('byStep').keyOf(`${job} ${id}`)
  if (key !== undefined) world.table(heldSteps).delete(key)
}
