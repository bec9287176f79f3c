import { type Alarm, setAlarm, stopwatch } from './time.ts'

/** The life of a world: how long it lasts without being asked, and till when, as the stopwatch goes. */
interface Life {
  readonly span: number
  due: number
}

/** Lives that end close to each other end together: in milliseconds. */
const grain = 10

/**
 * Worlds that go by themselves once nobody has asked anything of them for a while, in real time
 * (behaviour/program#worlds-for-clients). One alarm serves all of them, and being asked only moves a number.
 */
export class Lifetimes {
  readonly #lives = new Map<string, Life>()
  readonly #isAwaited: (id: string) => boolean
  readonly #end: (id: string) => void
  #alarm: Alarm | undefined
  /** When the alarm rings; infinite without one. */
  #rings = Number.POSITIVE_INFINITY

  /**
   * @param isAwaited tells whether a request to a world is still waiting for its answer
   * @param end ends a world
   */
  constructor(isAwaited: (id: string) => boolean, end: (id: string) => void) {
    this.#isAwaited = isAwaited
    this.#end = end
  }

  /** The number of worlds that go by themselves. */
  get size(): number {
    return this.#lives.size
  }

  /** Gives a world a life of so many milliseconds without requests. */
  begin(id: string, span: number): void {
    const due = stopwatch() + span
    this.#lives.set(id, { span, due })
    this.#arm(due)
  }

  /** Notes that something was asked of a world just now. */
  touch(id: string): void {
    const life = this.#lives.get(id)
    if (life !== undefined) life.due = stopwatch() + life.span
  }

  /** Forgets a world that has ended. */
  forget(id: string): void {
    this.#lives.delete(id)
  }

  /** Lets nothing end any more. */
  close(): void {
    this.#lives.clear()
    this.#alarm?.cancel()
  }

  #arm(due: number): void {
    if (due >= this.#rings) return
    this.#alarm?.cancel()
    this.#rings = due
    this.#alarm = setAlarm(due - stopwatch() + grain, () => this.#ring())
  }

  #ring(): void {
    this.#rings = Number.POSITIVE_INFINITY
    const now = stopwatch()
    let next = Number.POSITIVE_INFINITY
    for (const [id, life] of this.#lives) {
      if (life.due <= now && this.#isAwaited(id)) this.touch(id)
      if (life.due <= now) this.#end(id)
      else next = Math.min(next, life.due)
    }
    this.#arm(next)
  }
}
