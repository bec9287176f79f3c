import sortedBtree from 'sorted-btree'

/** A function that removes one waiter. */
export type CancelWait = () => void

/**
 * Waiters for instants of a world's clock. Like watchers, they belong to the running process and
 * not to the state: snapshots, forks and exports do not contain them (behaviour/program#worlds).
 * Each waiter costs one entry in a tree, and nothing while it waits.
 */
export class InstantWaiters {
  readonly #byTime = new sortedBtree.default<number, Set<() => void>>()

  /** The earliest awaited instant, in milliseconds since 1970; undefined if nobody waits. */
  get next(): number | undefined {
    return this.#byTime.minKey()
  }

  /** Calls `ring` once when the instant is reached. */
  add(at: number, ring: () => void): CancelWait {
    let waiters = this.#byTime.get(at)
    if (waiters === undefined) {
      waiters = new Set()
      this.#byTime.set(at, waiters)
    }
    // A new function per call, so that the same callback can wait twice.
    const waiter = (): void => ring()
    waiters.add(waiter)
    return () => {
      waiters.delete(waiter)
      if (waiters.size === 0 && this.#byTime.get(at) === waiters) this.#byTime.delete(at)
    }
  }

  /** Calls every waiter whose instant is at most `now`, in order. */
  ring(now: number): void {
    for (let at = this.next; at !== undefined && at <= now; at = this.next) {
      const waiters = this.#byTime.get(at) ?? []
      this.#byTime.delete(at)
      for (const waiter of waiters) waiter()
    }
  }
}
