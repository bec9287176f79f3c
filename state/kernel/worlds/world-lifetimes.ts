import { type Alarm, monotonicTime, setAlarm } from '../time.ts'

/** The life of a world: how long it lasts without being asked, and till when, as the stopwatch goes. */
interface Lifetime {
  readonly duration: number
  due: number
}

/** Lives that end close to each other end together: in milliseconds. */
const tolerance = 10

/**
 * Worlds that go by themselves once nobody has asked anything of them for a while, in real time
 * (behaviour/program#worlds-for-clients). One alarm serves all of them, and being asked only moves a number.
 */
export class Lifetimes {
  readonly #byWorld = new Map<string, Lifetime>()
  readonly #hasPendingRequests: (id: string) => boolean
  readonly #end: (id: string) => void
  #alarm: Alarm | undefined
  /** When the alarm rings; infinite without one. */
  #alarmAt = Number.POSITIVE_INFINITY

  /**
   * @param hasPendingRequests tells whether a request to a world is still waiting for its answer
   * @param end ends a world
   */
  constructor(hasPendingRequests: (id: string) => boolean, end: (id: string) => void) {
    this.#hasPendingRequests = hasPendingRequests
    this.#end = end
  }

  /** The number of worlds that go by themselves. */
  get size(): number {
    return this.#byWorld.size
  }

  /** Gives a world a life of so many milliseconds without requests. */
  start(id: string, duration: number): void {
    const due = monotonicTime() + duration
    this.#byWorld.set(id, { duration, due })
    this.#arm(due)
  }

  /** Notes that something was asked of a world just now. */
  touch(id: string): void {
    const lifetime = this.#byWorld.get(id)
    if (lifetime !== undefined) lifetime.due = monotonicTime() + lifetime.duration
  }

  /** Forgets a world that has ended. */
  forget(id: string): void {
    this.#byWorld.delete(id)
  }

  /** Lets nothing end any more. */
  close(): void {
    this.#byWorld.clear()
    this.#alarm?.cancel()
  }

  #arm(due: number): void {
    if (due >= this.#alarmAt) return
    this.#alarm?.cancel()
    this.#alarmAt = due
    this.#alarm = setAlarm(due - monotonicTime() + tolerance, () => this.#endExpired())
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
