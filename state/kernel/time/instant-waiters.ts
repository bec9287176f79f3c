import sortedBtree from 'sorted-btree'

/** A function that removes one waiter. */
export type CancelWait = () => void

/**
 * Waiters for instants of a world's clock. Waiters belong to the running process and not to the
 * state, so snapshots, forks and exports do not contain them. Each waiter costs one entry in a
 * tree, and no work while it waits.
 */
export class InstantWaiters {
  readonly #byTime = new sortedBtree.default<number, Set<() => void>>()

  /** The earliest awaited instant, in milliseconds since 1970; undefined if nobody waits. */
  get next(): number | undefined {
    return this.#byTime.minKey()
  }

  /**
   * Adds a waiter: `wake` is called once when the instant is reached. Returns the function that
   * removes the waiter.
   */
  add(at: number, wake: () => void): CancelWait {
    let waiters = this.#byTime.get(at)
    if (waiters === undefined) {
      waiters = new Set()
      this.#byTime.set(at, waiters)
    }
    // A new function per call, so that the same callback can wait twice.
    const waiter = (): void => wake()
    waiters.add(waiter)
    return () => {
      waiters.delete(waiter)
      if (waiters.size === 0 && this.#byTime.get(at) === waiters) this.#byTime.delete(at)
    }
  }

  /** Removes and calls every waiter for an instant up to `now`, in the order of the instants. */
  wakeUntil(now: number): void {
    for (let at = this.next; at !== undefined && at <= now; at = this.next) {
      const waiters = this.#byTime.get(at) ?? []
      this.#byTime.delete(at)
      for (const waiter of waiters) waiter()
    }
  }
}
