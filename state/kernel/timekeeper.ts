import type { Agenda, ScheduledJob } from './agenda.ts'
import type { Clock, ClockSetting } from './clock.ts'
import type { Store } from './store.ts'
import { type Alarm, otherTurns, setAlarm, stopwatch, wallClock } from './time.ts'
import { type Unwait, Waits } from './waits.ts'

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
  readonly gone?: () => boolean
}

/** So many jobs are run in one jump unless the caller says otherwise. */
export const usualLimit = 100_000

/** Milliseconds of a jump, or of what a fast clock brings, before others have their turn. */
const longestTurn = 10

/**
 * Real milliseconds between two wake-ups of the process while nobody waits: each costs as much as what is
 * done then, and requests do what is due, too. The world does not tell: what a wake-up comes that late
 * for is done as of when it was due.
 */
const rest = 20

/** A world, as far as keeping its time needs to know it. */
interface Timed {
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
export class Timekeeper<W extends Timed> {
  readonly #world: W
  readonly #handlers: JobHandlers<W>
  readonly #onError: (error: unknown) => void
  readonly #waits = new Waits()
  readonly #followers = new Set<(fired: readonly Fired[]) => void>()
  #alarm: { at: number; isExact: boolean; alarm: Alarm } | undefined
  /** When the timer rang last, by the stopwatch. */
  #rang = -Infinity
  #closed = false
  /** Counts what ends a jump that is under way: another setting, another state. */
  #course = 0
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
    const begun = isScaled ? stopwatch() : 0
    let isLate = false
    for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
      if (next.at > clock.now()) break
      if (isLate) clock.moveTo(next.at - 1)
      else {
        this.#waits.ring(next.at - 1)
        this.#runDue(next)
        if (this.#followers.size > 0) this.tell([firedOf(next)])
        isLate = isScaled && stopwatch() - begun >= longestTurn
      }
    }
    if (this.#waits.next !== undefined) this.#waits.ring(clock.now())
  }

  /** Moves the clock on by some milliseconds and does, in order, what falls due on the way. */
  advance(by: number, bounds: JumpBounds): Jump {
    return atOnce(this.#advancing(by, bounds))
  }

  /** The same with turns for others between, once the jumps before are over. */
  advanceInTurns(by: number, bounds: JumpBounds): Promise<Jump> {
    return this.#inTurn(() => this.#advancing(by, bounds))
  }

  /** Changes how time runs, and first moves it on to where it then begins. */
  set(setting: ClockSetting, bounds: JumpBounds): Jump {
    this.#course += 1
    return atOnce(this.#setting(setting, bounds))
  }

  /** The same with turns for others between, once the jumps before are over. */
  setInTurns(setting: ClockSetting, bounds: JumpBounds): Promise<Jump> {
    return this.#inTurn(() => this.#setting(setting, bounds))
  }

  *#advancing(by: number, bounds: JumpBounds): Generator<undefined, Jump> {
    const jump = yield* this.#jumping(this.#world.clock.now() + by, bounds)
    this.#arm()
    this.tell(jump.fired)
    return jump
  }

  *#setting(setting: ClockSetting, bounds: JumpBounds): Generator<undefined, Jump> {
    const { clock } = this.#world
    const goal = setting.mode === 'real' ? wallClock() : (setting.at ?? clock.now())
    const jump = yield* this.#jumping(goal, bounds)
    if (!jump.more) clock.set(setting)
    this.runDueJobs()
    this.#arm()
    this.tell(jump.fired)
    return jump
  }

  /** Moves the clock on to an instant, with a break after each job. */
  *#jumping(goal: number, { limit, gone = () => false }: JumpBounds): Generator<undefined, Jump> {
    const { agenda, clock } = this.#world
    const course = this.#course
    const fired: Fired[] = []
    for (let next = agenda.next(); next !== undefined; next = agenda.next()) {
      if (next.at > goal) break
      // Whose time is over before that must not see what the job does.
      this.#ringUntil(next.at - 1)
      if (fired.length >= limit) return { fired, more: true }
      if (next.at > clock.now()) clock.moveTo(next.at)
      this.#runJob(next)
      fired.push(firedOf(next))
      yield
      if (this.#course !== course || this.#closed || gone()) return { fired, more: true }
    }
    this.#ringUntil(goal)
    // A running clock may have passed the goal while jobs ran; time never goes back.
    if (goal > clock.now()) clock.moveTo(goal)
    return { fired, more: false }
  }

  #inTurn(begin: () => Generator<undefined, Jump>): Promise<Jump> {
    const jump = this.#jumps.then(() => inTurns(begin()))
    this.#jumps = jump
    return jump
  }

  /** Tells of each move of the clock from now on; see `World.followClock`. */
  follow(tell: (fired: readonly Fired[]) => void): () => void {
    this.#followers.add(tell)
    return () => this.#followers.delete(tell)
  }

  /** Tells those who follow that the clock has moved. */
  tell(fired: readonly Fired[]): void {
    for (const tell of this.#followers) tell(fired)
  }

  /** Calls back once when the clock has come to an instant; see `World.waitUntil`. */
  waitUntil(at: number, ring: () => void): Unwait {
    const unwait = this.#waits.add(at, ring)
    this.arm()
    return unwait
  }

  /** Sets the timer for what is due next, so that things happen though nobody asks. */
  arm(): void {
    const { agenda, clock } = this.#world
    const at = Math.min(agenda.next()?.at ?? Infinity, this.#waits.next ?? Infinity)
    const delay = at === Infinity ? undefined : clock.realDelay(at)
    const isExact = clock.state.mode !== 'real' || this.#isWaited
    if (delay !== undefined && this.#alarm?.at === at && this.#alarm.isExact === isExact) return
    this.#disarm()
    if (delay === undefined || this.#closed) return
    const soonest = isExact ? 0 : this.#rang + rest - stopwatch()
    const ring = () => {
      this.#alarm = undefined
      this.#rang = stopwatch()
      this.runDueJobs()
      this.arm()
    }
    this.#alarm = { at, isExact, alarm: setAlarm(Math.max(delay, soonest), ring) }
  }

  /** Tells whether anybody would notice if something were done late. */
  get #isWaited(): boolean {
    const { feed } = this.#world.store
    return this.#waits.next !== undefined || this.#followers.size > 0 || feed.hasFollowers
  }

  /** The same after the world became another: an old timer would ring at the wrong moment. */
  rearm(): void {
    this.#course += 1
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
      const at = Math.max(scheduledJob.at, clock.now() - rest)
      clock.during(at, () => this.#runJob(scheduledJob))
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
  #ringUntil(until: number): void {
    const { clock } = this.#world
    for (let at = this.#waits.next; at !== undefined && at <= until; at = this.#waits.next) {
      if (at > clock.now()) clock.moveTo(at)
      this.#waits.ring(at)
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

function atOnce(steps: Generator<undefined, Jump>): Jump {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

async function inTurns(steps: Generator<undefined, Jump>): Promise<Jump> {
  let begun = stopwatch()
  let step = steps.next()
  while (step.done !== true) {
    if (stopwatch() - begun > longestTurn) {
      await otherTurns()
      begun = stopwatch()
    }
    step = steps.next()
  }
  return step.value
}
