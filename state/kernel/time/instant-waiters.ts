import sortedBtree from 'sorted-btree'

/** Takes one waiter off the list. */
export type CancelWait = () => void

/**
 * Who waits for an instant of a world's clock. Like watchers, waiters belong to the running process
 * and not to the state: snapshots, forks and exports know nothing of them (behaviour/program#worlds).
 * Costs a place in a tree for each waiter and nothing while they wait.
 */
export class InstantWaiters {
  readonly #byTime = new sortedBtree.default<number, Set<() => void>>()

  /** The instant that comes first, in milliseconds since 1970; undefined when nobody waits. */
  get next(): number | undefined {
    return this.#byTime.minKey()
  }

  /** Calls back once when the instant has come. */
  add(at: number, ring: () => void): CancelWait {
    let waiters = this.#byTime.get(at)
    if (waiters === undefined) {
      waiters = new Set()
      this.#byTime.set(at, waiters)
    }
    // A function of its own, so that the same callback can wait twice.
    const waiter = (): void => ring()
    waiters.add(waiter)
    return () => {
      waiters.delete(waiter)
      if (waiters.size === 0 && this.#byTime.get(at) === waiters) this.#byTime.delete(at)
    }
  }

  /** Calls back everybody whose instant is at most `now`, in order. */
  ring(now: number): void {
    for (let at = this.next; at !== undefined && at <= now; at = this.next) {
      const waiters = this.#byTime.get(at) ?? []
      this.#byTime.delete(at)
      for (const waiter of waiters) waiter()
    }
  }
}
