import { MILLISECOND, parseGoDuration } from '../../../go/duration.ts'
import { type Timing, timings } from '../../../kernel/time/transitions.ts'
import type { World } from '../../../kernel/worlds/world.ts'
import { nextIndex } from '../../indexes.ts'
import { isPaused } from '../../operator/configuration.ts'
import { optionsOf, type SchedulerOptions } from '../../options.ts'
import { heldSteps } from './tables.ts'

/**
 * The steps that the cluster takes by itself: names of the agenda's jobs. Those that are kinds of
 * transitions (behaviour/program#control-plane) can be given a pace.
 */
export const stepNames = {
  /** An evaluation is processed; its id. */
  evaluation: 'scheduler.evaluation',
  /** A task takes its next step; `<allocation> <task>`. */
  task: 'scheduler.task',
  /** An allocation has been healthy, or not, for long enough; its id. */
  health: 'scheduler.allocation',
  /** A deployment has not progressed in time; its id. */
  progress: 'scheduler.deployment',
  /** A node that is drained looks at what is on it, or has no more time; its id, or `<id> deadline`. */
  drain: 'scheduler.drain',
} as const

export type StepName = (typeof stepNames)[keyof typeof stepNames]

/** What happens after a step: nothing, or the same step again in a transaction of its own. */
export type StepResult = 'finished' | 'repeat'

/** Options that say how long something takes. */
type DelayOption = {
  [Name in keyof SchedulerOptions]: Name extends `${string}Delay` | 'batchRunTime' ? Name : never
}[keyof SchedulerOptions]

/** The duration of a step. */
export type Delay =
  /** As an option says, and so many nanoseconds more; a pace that was set goes before the option. */
  | { readonly option: DelayOption; readonly extra?: number }
  /** Nanoseconds that the job or a rule asks for. */
  | { readonly asked: number }
  /**
   * The same for what may go on for ever, and for deadlines: at least a hundredth of it even where
   * time does not count. Else a world would never be done with a job that always fails, and what is
   * about to succeed would be late already.
   */
  | { readonly floored: number }

const minTimeScale = 0.01

/** A length of time that is measured, not waited for, in milliseconds: never scaled to nothing. */
export function scaledInterval(world: World, nanoseconds: number): number {
  return (nanoseconds / MILLISECOND) * Math.max(optionsOf(world).timeScale, minTimeScale)
}

/** How long things take by the options, in nanoseconds: read once for each state of the options. */
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

/** Milliseconds until the step (behaviour/scheduler#steering: delays times `timeScale`). */
function delayMilliseconds(world: World, timing: Timing | undefined, delay: Delay): number {
  if ('floored' in delay) {
    const scale = timing === 'immediate' ? 0 : optionsOf(world).timeScale
    return (delay.floored / MILLISECOND) * Math.max(scale, minTimeScale)
  }
  if (timing === 'immediate') return 0
  const options = optionsOf(world)
  if ('asked' in delay) return (delay.asked / MILLISECOND) * options.timeScale
  const extra = ((delay.extra ?? 0) / MILLISECOND) * options.timeScale
  if (typeof timing === 'object') return parseGoDuration(timing.after) / MILLISECOND + extra
  return (
    (world.derived(options, parseDelays)[delay.option] / MILLISECOND) * options.timeScale + extra
  )
}

/**
 * Sees to it that a step happens, in place of an earlier appointment for it. Without `schedulerMode`
 * auto, or with the pace manual, it is held until a call or push. Inside a transaction.
 *
 * @param from when the delay begins, in milliseconds since 1970
 * @returns when it is due, in milliseconds since 1970
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

/** When a step would be due that begins at an instant; both in milliseconds since 1970. */
export function stepDueAt(
  world: World,
  job: StepName,
  delay: Delay,
  from: number = world.clock.now(),
): number {
  const milliseconds = delayMilliseconds(world, world.table(timings).get(job)?.pace, delay)
  return Math.max(world.clock.now(), Math.ceil(from + milliseconds))
}

/** The same at an instant, in milliseconds since 1970. */
export function scheduleStepAt(world: World, job: string, id: string, at: number): void {
  if (runsAutomatically(world, job)) {
    releaseStep(world, job, id)
    world.agenda.schedule({ at, job, id })
  } else holdStep(world, job, id, at)
}

/** Tells whether steps of a name happen when they are due. */
export function runsAutomatically(world: World, job: string): boolean {
  return (
    optionsOf(world).schedulerMode === 'auto' &&
    world.table(timings).get(job)?.pace !== 'manual' &&
    !waitsForOperator(world, job)
  )
}

/** Tells whether steps of a name wait until an operator lets them go on (behaviour/scheduler#operator). */
export function waitsForOperator(world: World, job: string): boolean {
  return job === stepNames.evaluation && isPaused(world)
}

/** Tells whether a step is waiting to happen. */
export function isStepScheduled(world: World, job: StepName, id: string): boolean {
  return (
    world.agenda.find(job, id) !== undefined ||
    world.table(heldSteps).index('byStep').has(`${job} ${id}`)
  )
}

/** Puts a step among those that wait. Inside a transaction. */
export function holdStep(world: World, job: string, id: string, at: number): void {
  cancelStep(world, job, id)
  const order = nextIndex(world)
  const key = `${sortableNumber(at)} ${sortableNumber(order)} ${job} ${id}`
  world.table(heldSteps).put(key, { at, job, id })
}

/** The step does not happen, wherever it waits. Inside a transaction. */
export function cancelStep(world: World, job: string, id: string): void {
  world.agenda.cancel(job, id)
  releaseStep(world, job, id)
}

/** Takes a step from those that wait. */
function releaseStep(world: World, job: string, id: string): void {
  // Nothing is held where all moves by itself.
  if (world.table(heldSteps).size === 0) return
  const key = world.table(heldSteps).index('byStep').keyOf(`${job} ${id}`)
  if (key !== undefined) world.table(heldSteps).delete(key)
}

function sortableNumber(value: number): string {
  return String(value).padStart(16, '0')
}
