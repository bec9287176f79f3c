import { clampInstant, lastInstant, monotonicTime, wallClock } from '../time.ts'

/**
 * State of a world's clock. Instants are milliseconds since 1970. A `real` clock shows the wall
 * clock plus an offset, which grows when the clock is advanced or the wall clock is set back. A
 * `frozen` clock stands still until it is advanced. A `scaled` clock runs `rate` times as fast as
 * the wall clock, from the instant `from`, at which the wall clock showed `since`.
 */
export type ClockState =
  | { readonly mode: 'real'; readonly offset: number }
  | { readonly mode: 'frozen'; readonly at: number }
  | {
      readonly mode: 'scaled'
      readonly rate: number
      readonly from: number
      readonly since: number
    }

/**
 * Maximum rate, in world seconds per real second: a year passes in half a minute. Due jobs could
 * not keep up with a higher rate.
 */
export const maxRate = 1_000_000

/** Minimum interval between two updates of `Clock.#anchor`, in milliseconds. */
const anchorInterval = 1000

/** A requested mode. `frozen` and `scaled` begin at `at` or, without it, at the present instant. */
export type ClockSetting =
  | { readonly mode: 'real' }
  | { readonly mode: 'frozen'; readonly at?: number | undefined }
  | { readonly mode: 'scaled'; readonly rate: number; readonly at?: number | undefined }

/**
 * A world's own time. The state of the clock is plain data, so snapshots and forks contain it. If
 * the wall clock is set back, the state is corrected by the difference, so that the world's time
 * does not go back.
 */
export class Clock {
  /**
   * Number of calls of `now`. Caches compare this number before and after a computation to see
   * whether the computed value depends on the time.
   */
  readings = 0
  #state: ClockState
  /** Last reading of the wall clock. */
  #lastWall = -Infinity
  /**
   * Readings of the wall clock and the monotonic clock at one moment. The moment is at most about a
   * second before the last reading of the wall clock.
   */
  #anchor = { wall: -Infinity, monotonic: 0 }
  /**
   * Instant that `now` returns while `runAt` runs, so that time stands still for a late job;
   * otherwise undefined.
   */
  #pinnedInstant: number | undefined

  constructor(setting: ClockSetting = { mode: 'real' }) {
    this.#state = { mode: 'real', offset: 0 }
    this.set(setting)
  }

  /**
   * Returns the current instant in milliseconds since 1970. The time of a running clock does not go
   * beyond the year 9999.
   */
  now(): number {
    this.readings += 1
    if (this.#pinnedInstant !== undefined) return this.#pinnedInstant
    if (this.#state.mode === 'frozen') return this.#state.at
    // `#readWall` may change the state, so it comes first.
    const wall = this.#readWall()
    const state = this.#state
    if (state.mode === 'real') return clampInstant(wall + state.offset)
    return clampInstant(Math.floor(state.from + (wall - state.since) * state.rate))
  }

  /**
   * Returns the time of the wall clock. If the wall clock was set back, adds the lost time to the
   * state. The lost time is measured with the monotonic clock.
   */
  #readWall(): number {
    const wall = wallClock()
    if (wall < this.#lastWall) {
      const elapsed = Math.floor(monotonicTime() - this.#anchor.monotonic)
      const lostTime = Math.max(this.#lastWall, this.#anchor.wall + elapsed) - wall
      const state = this.#state
      if (state.mode === 'real') this.#state = { mode: 'real', offset: state.offset + lostTime }
      else if (state.mode === 'scaled') this.#state = { ...state, since: state.since - lostTime }
    }
    if (wall < this.#lastWall || wall - this.#anchor.wall > anchorInterval) {
      this.#anchor = { wall, monotonic: monotonicTime() }
    }
    this.#lastWall = wall
    return wall
  }

  /** Runs work while `now` returns the given instant, which lies in the recent past. */
  runAt<T>(instant: number, work: () => T): T {
    this.#pinnedInstant = instant
    try {
      return work()
    } finally {
      this.#pinnedInstant = undefined
    }
  }

  get state(): ClockState {
    if (this.#state.mode !== 'frozen') this.#readWall()
    return this.#state
  }

  set state(state: ClockState) {
    this.#readWall()
    this.#state = state
  }

  /**
   * Changes the mode. `real` discards the offset. The other modes continue from the present instant
   * or, if set, from `at`.
   */
  set(setting: ClockSetting): void {
    this.#readWall()
    if (setting.mode === 'real') {
      this.#state = { mode: 'real', offset: 0 }
      return
    }
    const at = setting.at ?? this.now()
    this.#state =
      setting.mode === 'frozen'
        ? { mode: 'frozen', at }
        : { mode: 'scaled', rate: setting.rate, from: at, since: this.#readWall() }
  }

  /** Moves the time to an instant without changing the mode. */
  moveTo(instant: number): void {
    const wall = this.#readWall()
    const state = this.#state
    if (state.mode === 'real') this.#state = { mode: 'real', offset: instant - wall }
    else if (state.mode === 'frozen') this.#state = { mode: 'frozen', at: instant }
    else this.#state = { ...state, from: instant, since: wall }
  }

  /**
   * Returns the real milliseconds until an instant; negative if the instant has passed, undefined
   * if the clock is frozen or the instant is after the year 9999.
   */
  realDelay(instant: number): number | undefined {
    const state = this.#state
    if (state.mode === 'frozen' || instant > lastInstant) return undefined
    const remainingTime = instant - this.now()
    return state.mode === 'scaled' ? remainingTime / state.rate : remainingTime
  }
}
