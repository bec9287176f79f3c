import { monotonicTime, yieldToEventLoop } from '../../state/kernel/time.ts'

/**
 * Maximum number of entries that are formatted in one turn. A turn is a part of a long task, after
 * which the event loop serves requests.
 */
const entriesPerTurn = 200

/** Maximum length of a turn in milliseconds. During a turn, other requests wait. */
const maxTurnTime = 10

/** Time slicing of a long task: between two turns of the task, the event loop serves requests. */
export class Turns {
  #entryCount = 0
  #turnStart = monotonicTime()

  /** Counts one processed entry. Returns true if the caller must call `pause` now. */
  isOver(): boolean {
    this.#entryCount += 1
    return this.#entryCount >= entriesPerTurn || monotonicTime() - this.#turnStart >= maxTurnTime
  }

  /** Runs work to its end. Each part between two yields counts as one entry. */
  async run<T>(work: Generator<unknown, T, undefined>): Promise<T> {
    for (;;) {
      const part = work.next()
      if (part.done === true) return part.value
      if (this.isOver()) await this.pause()
    }
  }

  /** Waits until the event loop has done other work. */
  async pause(): Promise<void> {
    await yieldToEventLoop()
    this.#entryCount = 0
    this.#turnStart = monotonicTime()
  }
}
