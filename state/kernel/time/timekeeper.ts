import { type InParts, runParts } from '../parts.ts'
import type { Store } from '../store/store.ts'
import { type Alarm, monotonicTime, setAlarm, wallClock, yieldToEventLoop } from '../time.ts'
import type { Agenda, ScheduledJob } from './agenda.ts'
import type { ClockSetting } from './clock.ts'
import { type CancelWait, InstantWaiters } from './instant-waiters.ts'
import { JobRunner, type JobRunnerWorld } from './job-runner.ts'

/** A job that ran, as the clock's `advance` reports it. */
export interface FiredJob {
  readonly at: number
  readonly kind: string
  readonly id: string
}

/** Result of advancing or setting a clock. */
export interface Jump {
  /** Jobs that ran during the jump, in the order in which they ran. */
  readonly fired: readonly FiredJob[]
  /**
   * True if the clock stopped before the goal: at the limit, because the caller gave up, because
   * the clock or the state was changed in the meantime, or because the world was closed.
   */
  readonly more: boolean
}

/** Conditions that end a jump of the clock early. */
export interface JumpBounds {
  /** Maximum number of jobs that run in the jump. */
  readonly limit: number
  /** Returns whether the caller has given up, for example by closing its connection. */
  readonly isCancelled?: () => boolean
}

/** Maximum number of jobs per jump, unless the caller sets another limit. */
export const defaultLimit = 100_000

/** Milliseconds for which a jump or fast clock runs jobs before it yields to the event loop. */
const maxTurnTime = 10

/**
 * Minimum interval between two wake-ups of a timekeeper with a real clock while no waiter or
 * follower is present, in real milliseconds. A wake-up costs as much as the jobs that it runs, and
 * requests run due jobs anyway. Worlds do not see the delay: a late job runs at the instant at
 * which it was due.
 */
const wakeUpInterval = 20

/** The members of a world that a timekeeper uses. */
interface TimedWorld extends JobRunnerWorld {
  readonly store: Store
  readonly agenda: Agenda
}

/** Handlers of scheduled jobs, by job name. A handler that runs in parts returns a generator. */
export type JobHandlers<W> = ReadonlyMap<
  string,
  (world: W, scheduledJob: ScheduledJob) => InParts<void> | void
>

/**
 * Timer of a world: runs scheduled jobs when they are due and wakes waiters for instants. Uses one
 * timer of the process, which is set for the next job or waiter.
 */
export class Timekeeper<W extends TimedWorld> {
  readonly #world: W
  readonly #handlers: JobHandlers<W>
  readonly #onError: (error: unknown) => void
  readonly #waiters = new InstantWaiters()
  readonly #followers = new Set<(fired: readonly FiredJob[]) => void>()
  #alarm: { at: number; isExact: boolean; alarm: Alarm } | undefined
  /** Time of the last completed wake-up on the monotonic clock, in milliseconds. */
  #lastWakeUp = -Infinity
  #isClosed = false
  /** Counter that `set` and `rearm` raise. A running jump ends when the counter changes. */
  #jumpGeneration = 0
  readonly #jobRunner: JobRunner
  /** The last jump in the queue; jumps run one after another. */
  #jumps: Promise<unknown> = Promise.resolve()

  /** @param onError called with each exception that a job throws */
  constructor(world: W, handlers: JobHandlers<W>, onError: (error: unknown) => void) {
    this.#world = world
    this.#jobRunner = new JobRunner(world)
    this.#handlers = handlers
    this.#onError = onError
  }

  /**
   * Runs every job that is due, wakes the waiters whose instants have been reached, and notifies
   * followers of each job. A scaled clock that outruns its jobs is set back to just before the next
   * due instant, because the work would never end otherwise.
   *
   * @param maxTime milliseconds after which the remaining jobs are left to the next call, unless
   *   the clock is scaled; a finite time also permits jobs in parts to pause
   * @returns false if jobs are left
   */
  runDueJobs(maxTime = Infinity): boolean {
    const { agenda, clock } = this.#world
    const isScaled = clock.state.mode === 'scaled'
    let start = isScaled ? monotonicTime() : undefined
    let isOverrun = false
    for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
      if (next.at > clock.now()) break
      if (maxTime < Infinity && !isScaled) {
        if (start !== undefined && monotonicTime() - start >= maxTime) return false
        start ??= monotonicTime()
      }
      if (isOverrun) clock.moveTo(next.at - 1)
      else {
        this.#waiters.wakeUntil(next.at - 1)
        if (!this.#runDueJob(next, maxTime < Infinity)) return false
        if (this.#followers.size > 0) this.notify([firedJobOf(next)])
        isOverrun = isScaled && monotonicTime() - (start ?? 0) >= maxTurnTime
      }
    }
    if (this.#waiters.next !== undefined) this.#waiters.wakeUntil(clock.now())
    return true
  }

  /**
   * Advances the clock by some milliseconds. Runs the jobs that fall due, and wakes waiters, in the
   * order of their instants. Notifies followers and sets the timer again.
   */
  advance(by: number, bounds: JumpBounds): Jump {
    return runParts(this.#advanceSteps(by, bounds, false))
  }

  /**
   * Advances the clock as `advance` does, after earlier jumps have ended, and yields to the event
   * loop between jobs.
   */
  advanceInTurns(by: number, bounds: JumpBounds): Promise<Jump> {
    return this.#enqueue(() => this.#advanceSteps(by, bounds, true))
  }

  /**
   * Jumps to the instant at which the new mode starts, then changes the mode and runs the jobs that
   * are due after the change. If the jump ends early, the mode stays unchanged. Ends earlier jumps
   * that are still running.
   */
  set(setting: ClockSetting, bounds: JumpBounds): Jump {
    this.#jumpGeneration += 1
    return runParts(this.#setSteps(setting, bounds, false))
  }

  /**
   * Changes the mode as `set` does, but after earlier jumps have ended, and yields to the event
   * loop between jobs.
   */
  setInTurns(setting: ClockSetting, bounds: JumpBounds): Promise<Jump> {
    return this.#enqueue(() => this.#setSteps(setting, bounds, true))
  }

  *#advanceSteps(by: number, bounds: JumpBounds, mayPause: boolean): InParts<Jump> {
    const jump = yield* this.#jumpSteps(this.#world.clock.now() + by, bounds, mayPause)
    this.#resetAlarm()
    this.notify(jump.fired)
    return jump
  }

  *#setSteps(setting: ClockSetting, bounds: JumpBounds, mayPause: boolean): InParts<Jump> {
    const { clock } = this.#world
    const targetInstant = setting.mode === 'real' ? wallClock() : (setting.at ?? clock.now())
    const jump = yield* this.#jumpSteps(targetInstant, bounds, mayPause)
    if (!jump.more) clock.set(setting)
    this.runDueJobs()
    this.#resetAlarm()
    this.notify(jump.fired)
    return jump
  }

  /**
   * Moves the clock to an instant, runs due jobs, wakes waiters on the way, and pauses after each
   * job. Returns early if a bound is reached, the jump generation changes or the world is closed.
   */
  *#jumpSteps(
    targetInstant: number,
    { limit, isCancelled = () => false }: JumpBounds,
    mayPause: boolean,
  ): InParts<Jump> {
    const { agenda, clock } = this.#world
    const generation = this.#jumpGeneration
    const fired: FiredJob[] = []
    for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
      if (next.at > targetInstant) break
      // Waiters for earlier instants must not see the effects of the job.
      this.#moveThroughWaiters(next.at - 1)
      if (fired.length >= limit) return { fired, more: true }
      if (next.at > clock.now()) clock.moveTo(next.at)
      if (this.#runJob(next, mayPause)) fired.push(firedJobOf(next))
      yield
      if (this.#jumpGeneration !== generation || this.#isClosed || isCancelled())
        return { fired, more: true }
    }
    this.#moveThroughWaiters(targetInstant)
    // A running clock may have passed the goal while jobs ran; time never goes back.
    if (targetInstant > clock.now()) clock.moveTo(targetInstant)
    return { fired, more: false }
  }

  #enqueue(startJump: () => InParts<Jump>): Promise<Jump> {
    const jump = this.#jumps.then(() => runStepsInTurns(startJump()))
    this.#jumps = jump
    return jump
  }

  /**
   * Calls `notify` for each move of the clock and each due job from now on. Returns a function that
   * unsubscribes; see `World.followClock`.
   */
  follow(notify: (fired: readonly FiredJob[]) => void): () => void {
    this.#followers.add(notify)
    return () => this.#followers.delete(notify)
  }

  notify(fired: readonly FiredJob[]): void {
    for (const notify of this.#followers) notify(fired)
  }

  /**
   * Calls `wake` once when the clock has reached an instant. Returns a function that cancels the
   * wait; see `World.waitUntil`.
   */
  waitUntil(at: number, wake: () => void): CancelWait {
    const cancelWait = this.#waiters.add(at, wake)
    this.arm()
    return cancelWait
  }

  /**
   * Sets the timer for the next due job or waiter, so that jobs run and waiters wake even without
   * requests. A closed timekeeper sets no timer.
   */
  arm(): void {
    const { agenda, clock } = this.#world
    const at = Math.min(agenda.next()?.at ?? Infinity, this.#waiters.next ?? Infinity)
    const delay = at === Infinity ? undefined : clock.realDelay(at)
    const isExact = clock.state.mode !== 'real' || this.#isObserved
    if (delay !== undefined && this.#alarm?.at === at && this.#alarm.isExact === isExact) return
    this.#disarm()
    if (delay === undefined || this.#isClosed) return
    const minDelay = isExact ? 0 : this.#lastWakeUp + wakeUpInterval - monotonicTime()
    const onAlarm = () => {
      this.#alarm = undefined
      // Jobs for which `maxTurnTime` is too short run after other work of the process.
      const isDone = this.runDueJobs(maxTurnTime)
      this.#lastWakeUp = isDone ? monotonicTime() : -Infinity
      this.arm()
    }
    this.#alarm = { at, isExact, alarm: setAlarm(Math.max(delay, minDelay), onAlarm) }
  }

  /** Whether a waiter or follower would notice a delayed job. */
  get #isObserved(): boolean {
    const { feed } = this.#world.store
    return this.#waiters.next !== undefined || this.#followers.size > 0 || feed.hasFollowers
  }

  /**
   * Ends running jumps and sets the timer again. Called after the state or the clock was replaced,
   * because the old timer would fire at the wrong instant.
   */
  rearm(): void {
    this.#jumpGeneration += 1
    this.#resetAlarm()
  }

  get closed(): boolean {
    return this.#isClosed
  }

  /** Stops the timer for good, and ends running jumps. */
  close(): void {
    this.#isClosed = true
    this.#disarm()
  }

  /**
   * Runs a due job, or its next part, at its due instant. With a real clock, the instant of a job
   * is at most `wakeUpInterval` milliseconds ago, even if the job is overdue by more. Returns false
   * if the job has paused.
   */
  #runDueJob(scheduledJob: ScheduledJob, mayPause: boolean): boolean {
    const { clock } = this.#world
    const paused = this.#jobRunner.findPaused(scheduledJob)
    if (clock.state.mode !== 'real' && paused === undefined)
      return this.#runJob(scheduledJob, mayPause)
    const at = paused?.at ?? Math.max(scheduledJob.at, clock.now() - wakeUpInterval)
    return clock.runAt(at, () => this.#runJob(scheduledJob, mayPause))
  }

  /**
   * Runs a job, or its next part. Returns false if the job has paused. If the job throws, cancels
   * it and passes the exception to `onError`.
   */
  #runJob(scheduledJob: ScheduledJob, mayPause: boolean): boolean {
    const { store, agenda } = this.#world
    const { job, id } = scheduledJob
    try {
      return this.#jobRunner.run(scheduledJob, mayPause, () => {
        agenda.cancel(job, id)
        const handler = this.#handlers.get(job)
        if (handler === undefined) throw new Error(`no service knows the job ${job}`)
        return handler(this.#world, scheduledJob)
      })
    } catch (error) {
      // Otherwise the failed job would remain the first job and stop the clock for good.
      store.transact(() => agenda.cancel(job, id))
      this.#onError(error)
      return true
    }
  }

  /** Moves the clock from waiter to waiter, up to an instant, and wakes each waiter. */
  #moveThroughWaiters(end: number): void {
    const { clock } = this.#world
    for (let at = this.#waiters.next; at !== undefined && at <= end; at = this.#waiters.next) {
      if (at > clock.now()) clock.moveTo(at)
      this.#waiters.wakeUntil(at)
    }
  }

  #resetAlarm(): void {
    this.#disarm()
    this.arm()
  }

  #disarm(): void {
    this.#alarm?.alarm.cancel()
    this.#alarm = undefined
  }
}

function firedJobOf({ at, job, id }: ScheduledJob): FiredJob {
  return { at, kind: job, id }
}

async function runStepsInTurns(steps: InParts<Jump>): Promise<Jump> {
  let start = monotonicTime()
  let step = steps.next()
  while (step.done !== true) {
    if (monotonicTime() - start > maxTurnTime) {
      await yieldToEventLoop()
      start = monotonicTime()
    }
    step = steps.next()
  }
  return step.value
}
