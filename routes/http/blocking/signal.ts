import { type Alarm, setAlarm } from '../../../state/kernel/time.ts'

/**
 * A signal that wakes one waiter. If nobody waits, the notification is kept, and the next wait ends
 * immediately.
 */
export class Signal {
  #isNotified = false
  #wake: (() => void) | undefined

  readonly notify = (): void => {
    this.#isNotified = true
    this.#wake?.()
  }

  /**
   * Waits for a notification for at most `timeout` milliseconds of real time; without a timeout,
   * waits indefinitely.
   * @returns true if notified, false after the timeout
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
