import type { Store } from '../store/store.ts'
import { type Alarm, monotonicTime, setAlarm, wallClock, yieldToEventLoop } from '../time.ts'
import type { Agenda, ScheduledJob } from './agenda.ts'
import type { Clock, ClockSetting } from './clock.ts'
import { type CancelWait, InstantWaiters } from './instant-waiters.ts'

/** A job that ran, as the clock's `advance` reports it. */
export interface Fired {
  readonly at: number
  readonly kind: string
  readonly id: string
}

/** What came of moving a clock on. */
export interface Jump {
  /** The jobs that ran on the way, in order. */
  readonly fired: readonly Fired[]
  /** The clock stands before the goal: at the limit, or where somebody stopped it. */
  readonly more: boolean
}

/** How far a jump goes at most. */
export interface JumpBounds {
  /** So many jobs are run. */
  readonly limit: number
  /** Tells whether nobody waits for it any more. */
  readonly isCancelled?: () => boolean
}

/** So many jobs are run in one jump unless the caller says otherwise. */
export const defaultLimit = 100_000

/** Milliseconds of a jump, or of what a fast clock brings, before others have their turn. */
const maxTurn = 10

/**
 * Real milliseconds between two wake-ups of the process while nobody waits: each costs as much as what is
 * done then, and requests do what is due, too. The world does not tell: what a wake-up comes that late
 * for is done as of when it was due.
 */
const wakeUpInterval = 20

/** A world, as far as keeping its time needs to know it. */
interface TimedWorld {
  readonly store: Store
  readonly clock: Clock
  readonly agenda: Agenda
}

/** The jobs that appointments ask for, by name. */
export type JobHandlers<W> = ReadonlyMap<string, (world: W, scheduledJob: ScheduledJob) => void>

/**
 * Makes things happen in a world when their time has come: its appointments, whoever waits for an
 * instant, and the one timer of the process that is set for whatever comes first.
 */
export class Timekeeper<W extends TimedWorld> {
  readonly #world: W
  readonly #handlers: JobHandlers<W>
  readonly #onError: (error: unknown) => void
  readonly #waiters = new InstantWaiters()
  readonly #followers = new Set<(fired: readonly Fired[]) => void>()
  #alarm: { at: number; isExact: boolean; alarm: Alarm } | undefined
  /** When the timer rang last, by the stopwatch. */
  #lastWakeUp = -Infinity
  #closed = false
  /** Counts what ends a jump that is under way: another setting, another state. */
  #jumpGeneration = 0
  /** The last of the jumps that wait for each other. */
  #jumps: Promise<unknown> = Promise.resolve()

  /** @param onError told of an exception in a job that nobody is waiting for */
  constructor(world: W, handlers: JobHandlers<W>, onError: (error: unknown) => void) {
    this.#world = world
    this.#handlers = handlers
    this.#onError = onError
  }

  /**
   * Does everything that is due by now. A scaled clock that outruns what happens is set back to what
   * is next, as it would never be done.
   */
  runDueJobs(): void {
    const { agenda, clock } = this.#world
    const isScaled = clock.state.mode === 'scaled'
    const start = isScaled ? monotonicTime() : 0
    let isOverrun = false
    for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
      if (next.at > clock.now()) break
      if (isOverrun) clock.moveTo(next.at - 1)
      else {
        this.#waiters.ring(next.at - 1)
        this.#runDue(next)
        if (this.#followers.size > 0) this.notify([firedOf(next)])
        isOverrun = isScaled && monotonicTime() - start >= maxTurn
      }
    }
    if (this.#waiters.next !== undefined) this.#waiters.ring(clock.now())
  }

  /** Moves the clock on by some milliseconds and does, in order, what falls due on the way. */
  advance(by: number, bounds: JumpBounds): Jump {
    return runSteps(this.#advanceSteps(by, bounds))
  }

  /** The same with turns for others between, once the jumps before are over. */
  advanceInTurns(by: number, bounds: JumpBounds): Promise<Jump> {
    return this.#enqueue(() => this.#advanceSteps(by, bounds))
  }

  /** Changes how time runs, and first moves it on to where it then begins. */
  set(setting: ClockSetting, bounds: JumpBounds): Jump {
    this.#jumpGeneration += 1
    return runSteps(this.#setSteps(setting, bounds))
  }

  /** The same with turns for others between, once the jumps before are over. */
  setInTurns(setting: ClockSetting, bounds: JumpBounds): Promise<Jump> {
    return this.#enqueue(() => this.#setSteps(setting, bounds))
  }

  *#advanceSteps(by: number, bounds: JumpBounds): Generator<undefined, Jump> {
    const jump = yield* this.#jumpSteps(this.#world.clock.now() + by, bounds)
    this.#arm()
    this.notify(jump.fired)
    return jump
  }

  *#setSteps(setting: ClockSetting, bounds: JumpBounds): Generator<undefined, Jump> {
    const { clock } = this.#world
    const goal = setting.mode === 'real' ? wallClock() : (setting.at ?? clock.now())
    const jump = yield* this.#jumpSteps(goal, bounds)
    if (!jump.more) clock.set(setting)
    this.runDueJobs()
    this.#arm()
    this.notify(jump.fired)
    return jump
  }

  /** Moves the clock on to an instant, with a break after each job. */
  *#jumpSteps(
    goal: number,
    { limit, isCancelled = () => false }: JumpBounds,
  ): Generator<undefined, Jump> {
    const { agenda, clock } = this.#world
    const generation = this.#jumpGeneration
    const fired: Fired[] = []
    for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
      if (next.at > goal) break
      // Whose time is over before that must not see what the job does.
      this.#wakeUntil(next.at - 1)
      if (fired.length >= limit) return { fired, more: true }
      if (next.at > clock.now()) clock.moveTo(next.at)
      this.#runJob(next)
      fired.push(firedOf(next))
      yield
      if (this.#jumpGeneration !== generation || this.#closed || isCancelled())
        return { fired, more: true }
    }
    this.#wakeUntil(goal)
    // A running clock may have passed the goal while jobs ran; time never goes back.
    if (goal > clock.now()) clock.moveTo(goal)
    return { fired, more: false }
  }

  #enqueue(startJump: () => Generator<undefined, Jump>): Promise<Jump> {
    const jump = this.#jumps.then(() => runStepsInTurns(startJump()))
    this.#jumps = jump
    return jump
  }

  /** Tells of each move of the clock from now on; see `World.followClock`. */
  follow(notify: (fired: readonly Fired[]) => void): () => void {
    this.#followers.add(notify)
    return () => this.#followers.delete(notify)
  }

  /** Tells those who follow that the clock has moved. */
  notify(fired: readonly Fired[]): void {
    for (const notify of this.#followers) notify(fired)
  }

  /** Calls back once when the clock has come to an instant; see `World.waitUntil`. */
  waitUntil(at: number, ring: () => void): CancelWait {
    const unwait = this.#waiters.add(at, ring)
    this.arm()
    return unwait
  }

  /** Sets the timer for what is due next, so that things happen though nobody asks. */
  arm(): void {
    const { agenda, clock } = this.#world
    const at = Math.min(agenda.next()?.at ?? Infinity, this.#waiters.next ?? Infinity)
    const delay = at === Infinity ? undefined : clock.realDelay(at)
    const isExact = clock.state.mode !== 'real' || this.#isObserved
    if (delay !== undefined && this.#alarm?.at === at && this.#alarm.isExact === isExact) return
    this.#disarm()
    if (delay === undefined || this.#closed) return
    const minDelay = isExact ? 0 : this.#lastWakeUp + wakeUpInterval - monotonicTime()
    const ring = () => {
      this.#alarm = undefined
      this.#lastWakeUp = monotonicTime()
      this.runDueJobs()
      this.arm()
    }
    this.#alarm = { at, isExact, alarm: setAlarm(Math.max(delay, minDelay), ring) }
  }

  /** Tells whether anybody would notice if something were done late. */
  get #isObserved(): boolean {
    const { feed } = this.#world.store
    return this.#waiters.next !== undefined || this.#followers.size > 0 || feed.hasFollowers
  }

  /** The same after the world became another: an old timer would ring at the wrong moment. */
  rearm(): void {
    this.#jumpGeneration += 1
    this.#arm()
  }

  /** Tells whether the timer is stopped for good. */
  get closed(): boolean {
    return this.#closed
  }

  /** Stops the timer for good. */
  close(): void {
    this.#closed = true
    this.#disarm()
  }

  /** Does a job that is due, as of then unless that was longer ago than a wake-up comes late. */
  #runDue(scheduledJob: ScheduledJob): void {
    const { clock } = this.#world
    if (clock.state.mode !== 'real') this.#runJob(scheduledJob)
    else {
      const at = Math.max(scheduledJob.at, clock.now() - wakeUpInterval)
      clock.runAt(at, () => this.#runJob(scheduledJob))
    }
  }

  #runJob(scheduledJob: ScheduledJob): void {
    const { store, agenda } = this.#world
    const { job, id } = scheduledJob
    const handler = this.#handlers.get(job)
    try {
      store.transact(() => {
        agenda.cancel(job, id)
        if (handler === undefined) throw new Error(`no service knows the job ${job}`)
        handler(this.#world, scheduledJob)
      })
    } catch (error) {
      // Without this the appointment would stay first and stop the clock for good.
      store.transact(() => agenda.cancel(job, id))
      this.#onError(error)
    }
  }

  /** Moves the clock on from waiter to waiter, up to an instant. */
  #wakeUntil(until: number): void {
    const { clock } = this.#world
    for (let at = this.#waiters.next; at !== undefined && at <= until; at = this.#waiters.next) {
      if (at > clock.now()) clock.moveTo(at)
      this.#waiters.ring(at)
    }
  }

  #arm(): void {
    this.#disarm()
    this.arm()
  }

  #disarm(): void {
    this.#alarm?.alarm.cancel()
    this.#alarm = undefined
  }
}

function firedOf({ at, job, id }: ScheduledJob): Fired {
  return { at, kind: job, id }
}

function runSteps(steps: Generator<undefined, Jump>): Jump {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

async function runStepsInTurns(steps: Generator<undefined, Jump>): Promise<Jump> {
  let start = monotonicTime()
  let step = steps.next()
  while (step.done !== true) {
    if (monotonicTime() - start > maxTurn) {
      await yieldToEventLoop()
      start = monotonicTime()
    }
    step = steps.next()
  }
  return step.value
}
