import { yieldToEventLoop } from '../time.ts'

/** Number of readers that are answered in one turn of the event loop. */
const readersPerTurn = 64

/**
 * Queue that answers readers that a commit woke: a few in the present turn of the event loop, the
 * others in later turns, so that the replies of a thousand readers do not delay other requests.
 */
export class ReplyTurns {
  readonly #waiting: (() => void)[] = []
  /** Number of readers that can still be answered in this turn. */
  #repliesLeft = readersPerTurn
  #isContinuing = false

  /**
   * Calls `answer` in this turn or in a later one. The answers are called in the order in which
   * they were added.
   */
  add(answer: () => void): void {
    if (!this.#isContinuing) void this.#answerWaiting()
    if (this.#repliesLeft > 0 && this.#waiting.length === 0) {
      this.#repliesLeft -= 1
      answer()
    } else this.#waiting.push(answer)
  }

  async #answerWaiting(): Promise<void> {
    this.#isContinuing = true
    do {
      await yieldToEventLoop()
      const answers = this.#waiting.splice(0, readersPerTurn)
      this.#repliesLeft = readersPerTurn - answers.length
      for (const answer of answers) answer()
    } while (this.#waiting.length > 0)
    this.#isContinuing = false
  }
}
