import { monotonicTime } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/worlds/world.ts'

/** A line that a test or a caller has added to the timeline of a world. */
interface Mark {
  readonly text: string
  /** Instant on the world's clock, in milliseconds since 1970. */
  readonly at: number
  /** Time on the monotonic clock, in milliseconds. */
  readonly time: number
}

/** Maximum number of marks that are kept. The oldest marks are dropped. */
const maxMarks = 1_000

/** The marks of one world, in order (behaviour/program#traces). */
export class Marks {
  readonly #world: World
  #marks: Mark[] = []
  readonly #followers = new Set<(mark: Mark) => void>()

  constructor(world: World) {
    this.#world = world
  }

  add(text: string): Mark {
    const mark = { text, at: this.#world.clock.now(), time: monotonicTime() }
    this.#marks.push(mark)
    if (this.#marks.length > maxMarks) this.#marks.shift()
    for (const listener of this.#followers) listener(mark)
    return mark
  }

  /** Returns the marks, oldest first. */
  list(): readonly Mark[] {
    return this.#marks
  }

  clear(): void {
    this.#marks = []
  }

  /** Calls the listener with each mark from now on. Returns a function that unsubscribes. */
  follow(listener: (mark: Mark) => void): () => void {
    this.#followers.add(listener)
    return () => this.#followers.delete(listener)
  }
}
