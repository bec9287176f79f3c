import { type Alarm, monotonicTime, setAlarm } from '../time.ts'

/**
 * Time to live of one world. `duration` is the maximum time without a request, in milliseconds.
 * `due` is the time on the monotonic clock at which the world ends, in milliseconds.
 */
interface Lifetime {
  readonly duration: number
  due: number
}

/**
 * Milliseconds by which the alarm is set later than the first expiry, so that worlds that expire
 * shortly after each other end together.
 */
const alarmDelay = 10

/**
 * Times to live of worlds, in real time: a world is deleted after a time without requests
 * (behaviour/program#worlds-for-clients). One alarm serves all worlds, and a request only changes a
 * number.
 */
export class Lifetimes {
  readonly #byWorld = new Map<string, Lifetime>()
  readonly #hasPendingRequests: (id: string) => boolean
  readonly #end: (id: string) => void
  #alarm: Alarm | undefined
  /** Time of the alarm on the monotonic clock, in milliseconds; infinite if no alarm is set. */
  #alarmAt = Number.POSITIVE_INFINITY

  /**
   * @param hasPendingRequests returns whether a request to a world still waits for its reply
   * @param end ends a world
   */
  constructor(hasPendingRequests: (id: string) => boolean, end: (id: string) => void) {
    this.#hasPendingRequests = hasPendingRequests
    this.#end = end
  }

  /** Number of worlds with a time to live. */
  get size(): number {
    return this.#byWorld.size
  }

  /** Sets the time to live of a world, in milliseconds without requests. */
  start(id: string, duration: number): void {
    const due = monotonicTime() + duration
    this.#byWorld.set(id, { duration, due })
    this.#arm(due)
  }

  /**
   * Restarts the world's time to live, because of a request. Does nothing for a world without a
   * time to live.
   */
  touch(id: string): void {
    const lifetime = this.#byWorld.get(id)
    if (lifetime !== undefined) lifetime.due = monotonicTime() + lifetime.duration
  }

  forget(id: string): void {
    this.#byWorld.delete(id)
  }

  /** Forgets all times to live and cancels the alarm, so that no more worlds are deleted. */
  close(): void {
    this.#byWorld.clear()
    this.#alarm?.cancel()
  }

  #arm(due: number): void {
    if (due >= this.#alarmAt) return
    this.#alarm?.cancel()
    this.#alarmAt = due
    this.#alarm = setAlarm(due - monotonicTime() + alarmDelay, () => this.#endExpired())
  }

  #endExpired(): void {
    this.#alarmAt = Number.POSITIVE_INFINITY
    const now = monotonicTime()
    let next = Number.POSITIVE_INFINITY
    for (const [id, lifetime] of this.#byWorld) {
      if (lifetime.due <= now && this.#hasPendingRequests(id)) this.touch(id)
      if (lifetime.due <= now) this.#end(id)
      else next = Math.min(next, lifetime.due)
    }
    this.#arm(next)
  }
}
