import type { Unwatch, Watchers } from './commits.ts'

/** As many keys of one table are noted one by one; of more, the table as a whole. */
const maxKeys = 64

/** The reads of one table or index. */
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
 * The things that a read has looked at: keys and prefixes of tables and indexes, what is not there
 * included. A range counts as looked at as a whole, however much of it was taken.
 */
export class Observation {
  readonly #watchers: Watchers
  readonly #reads = new Map<string, TableReads>()

  constructor(watchers: Watchers) {
    this.#watchers = watchers
  }

  /** Notes a look at one key. */
  key(table: string, key: string): void {
    this.#of(table).key(key)
  }

  /** Notes a look at all keys that start with a prefix. */
  prefix(table: string, prefix: string): void {
    this.#of(table).prefix(prefix)
  }

  /**
   * Calls back after each commit that may have changed what was read, once for a commit, and when the
   * world goes to another state or ends.
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

  #of(table: string): TableReads {
    let reads = this.#reads.get(table)
    if (reads === undefined) {
      reads = new TableReads()
      this.#reads.set(table, reads)
    }
    return reads
  }
}

/** A read's result, and what the read looked at. */
export interface ObservedRead<T> {
  readonly result: T
  readonly observation: Observation
}

/** A switch: is what is read to be noted? */
export interface ReadObserver {
  /** Notes what is read, while somebody wants to know. */
  readonly observation: Observation | undefined
}
