import { type Alarm, setAlarm } from '../../../state/kernel/time.ts'

/**
 * Lets one waiter sleep until something happens or time is up. A ring while nobody waits is not
 * lost: the next wait ends at once.
 */
export class Signal {
  #isNotified = false
  #wake: (() => void) | undefined

  /** Wakes the waiter. */
  readonly notify = (): void => {
    this.#isNotified = true
    this.#wake?.()
  }

  /**
   * Waits for a ring, for at most so many milliseconds of real time.
   *
   * @returns whether it rang
   */
  async wait(timeout?: number): Promise<boolean> {
    let alarm: Alarm | undefined
    if (!this.#isNotified) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        if (timeout !== undefined) alarm = setAlarm(timeout, resolve)
      })
    }
    alarm?.cancel()
    const isNotified = this.#isNotified
    this.#isNotified = false
    this.#wake = undefined
    return isNotified
  }
}
