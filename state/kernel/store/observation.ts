import type { Unwatch, Watchers } from './commits.ts'

/**
 * Maximum number of keys of one table that are recorded one by one. After more keys, the whole
 * table counts as read.
 */
const maxKeys = 64

/** Keys and prefixes of one table or index that a read accessed. */
class TableReads {
  readonly keys = new Set<string>()
  readonly prefixes = new Set<string>()

  key(key: string): void {
    if (this.prefixes.has('')) return
    this.keys.add(key)
    if (this.keys.size > maxKeys) this.prefix('')
  }

  prefix(prefix: string): void {
    this.prefixes.add(prefix)
    if (prefix === '') this.keys.clear()
  }
}

/**
 * Everything that a read accessed: keys and prefixes of tables and indexes, even those without
 * rows. If a read consumed only the first rows of a range, the whole range counts as accessed.
 */
export class Observation {
  readonly #watchers: Watchers
  readonly #reads = new Map<string, TableReads>()

  constructor(watchers: Watchers) {
    this.#watchers = watchers
  }

  /** Records the read of one key. */
  key(table: string, key: string): void {
    this.#readsOf(table).key(key)
  }

  /** Records the read of all keys with a prefix. */
  prefix(table: string, prefix: string): void {
    this.#readsOf(table).prefix(prefix)
  }

  /**
   * Calls `wake` after each commit that may have changed the result of the read, once per commit,
   * and when the world is restored or ends. Returns a function that unsubscribes.
   */
  watch(wake: () => void): Unwatch {
    const unwatches = [this.#watchers.watchReplacement(wake)]
    for (const [table, { keys, prefixes }] of this.#reads) {
      for (const key of keys) unwatches.push(this.#watchers.watchKey(table, key, wake))
      for (const prefix of prefixes) unwatches.push(this.#watchers.watchPrefix(table, prefix, wake))
    }
    return () => {
      for (const unwatch of unwatches) unwatch()
    }
  }

  #readsOf(table: string): TableReads {
    let reads = this.#reads.get(table)
    if (reads === undefined) {
      reads = new TableReads()
      this.#reads.set(table, reads)
    }
    return reads
  }
}

/** Result of a read, with the observation that can watch for changes to it. */
export interface ObservedRead<T> {
  readonly result: T
  readonly observation: Observation
}

/** The member of a store with which tables record reads. */
export interface ReadObserver {
  /** Observation that records the current read; undefined while reads are not recorded. */
  readonly observation: Observation | undefined
}

/** Runs a read that `observation` records; without an observation, the read is not observed. */
export function readObserved<T>(
  observer: { observation: Observation | undefined },
  observation: Observation | undefined,
  read: () => T,
): T {
  const enclosing = observer.observation
  observer.observation = observation
  try {
    return read()
  } finally {
    observer.observation = enclosing
  }
}
