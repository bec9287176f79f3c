import { type Alarm, setAlarm } from '../../state/kernel/time.ts'

/**
 * Lets one waiter sleep until something happens or time is up. A ring while nobody waits is not
 * lost: the next wait ends at once.
 */
export class Bell {
  #rung = false
  #wake: (() => void) | undefined

  /** Wakes the waiter. */
  readonly ring = (): void => {
    this.#rung = true
    this.#wake?.()
  }

  /**
   * Waits for a ring, for at most so many milliseconds of real time.
   *
   * @returns whether it rang
   */
  async wait(atMost?: number): Promise<boolean> {
    let alarm: Alarm | undefined
    if (!this.#rung) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        if (atMost !== undefined) alarm = setAlarm(atMost, resolve)
      })
    }
    alarm?.cancel()
    const rung = this.#rung
    this.#rung = false
    this.#wake = undefined
    return rung
  }
}
