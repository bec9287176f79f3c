import { yieldToEventLoop } from '../time.ts'
import { ReplyTurns } from './reply-turns.ts'
import type { Row } from './table.ts'

/**
 * One write: a row before and after it. `before` is undefined if the row was added, `after` if it
 * was deleted.
 */
export interface Change {
  /** Id of the table: `service.table`. */
  readonly table: string
  readonly service: string
  readonly key: string
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** The writes of one transaction, in the form that the change feed stores. */
export interface Commit {
  /** Position in the world's sequence of commits, from 1. */
  readonly sequence: number
  /** Index of each service whose index the commit raised, after the commit. */
  readonly indexes: Readonly<Record<string, number>>
  readonly changes: readonly Change[]
  /** Jobs of the agenda that the transaction scheduled (`after`) or cancelled (`before`). */
  readonly scheduledJobs: readonly Change[]
}

/**
 * Number of commits that the feed keeps for followers. When it holds twice this number, the older
 * half is removed. A follower that is further behind takes a snapshot.
 */
const defaultCapacity = 1_000

/**
 * The commits of a world, in order. While a caller of `retain` needs commits, the last 1,000 to
 * 2,000 are kept, so that a follower that lost its connection can catch up. Otherwise only the
 * position advances, because kept commits would survive every garbage collection and make each
 * write more expensive. A restore breaks the sequence: followers of an older `epoch` cannot
 * continue.
 */
export class ChangeFeed {
  readonly #capacity: number
  #commits: Commit[] = []
  #retainers = 0
  #sequence = 0
  #epoch = 0
  readonly #followers = new Set<(commit: Commit) => void>()

  constructor(capacity = defaultCapacity) {
    this.#capacity = capacity
  }

  /** Position of the last commit in the feed; 0 before the first commit. */
  get sequence(): number {
    return this.#sequence
  }

  /**
   * Number of calls of `restart`, which a restore makes. Positions of different epochs cannot be
   * compared.
   */
  get epoch(): number {
    return this.#epoch
  }

  /**
   * Appends a commit and calls the followers. `contentOf` is called only if the feed has followers
   * or retains commits.
   */
  append(
    indexes: Commit['indexes'],
    contentOf: () => Pick<Commit, 'changes' | 'scheduledJobs'>,
  ): void {
    this.#sequence += 1
    if (this.#retainers === 0 && this.#followers.size === 0) return
    const commit: Commit = { sequence: this.#sequence, indexes, ...contentOf() }
    if (this.#retainers > 0) this.#commits.push(commit)
    // Removes old commits in large pieces: shifting one at a time would copy the whole array each
    // time.
    if (this.#commits.length >= 2 * this.#capacity)
      this.#commits = this.#commits.slice(-this.#capacity)
    for (const onCommit of this.#followers) onCommit(commit)
  }

  /**
   * Keeps commits from now on, for callers of `since`. Returns a function that releases them. When
   * every caller has called its function, all kept commits are dropped.
   */
  retain(): () => void {
    let isRetained = true
    this.#retainers += 1
    return () => {
      if (isRetained) this.#retainers -= 1
      isRetained = false
      if (this.#retainers === 0) this.#commits = []
    }
  }

  /**
   * Returns the commits after a position, or undefined if the feed no longer has all of them or has
   * not reached the position yet.
   */
  since(sequence: number): readonly Commit[] | undefined {
    const missing = this.#sequence - sequence
    if (missing < 0 || missing > this.#commits.length) return undefined
    return missing === 0 ? [] : this.#commits.slice(-missing)
  }

  get hasFollowers(): boolean {
    return this.#followers.size > 0
  }

  /** Calls `onCommit` for each commit from now on. Returns a function that unsubscribes. */
  follow(onCommit: (commit: Commit) => void): () => void {
    this.#followers.add(onCommit)
    return () => this.#followers.delete(onCommit)
  }

  /** Drops all kept commits, continues from another position, and begins another epoch. */
  restart(sequence: number): void {
    this.#commits = []
    this.#sequence = sequence
    this.#epoch += 1
  }
}

/** The members of an index that watchers use. */
interface WatchedIndex {
  readonly id: string
  keysOf(key: string, row: Row | undefined): readonly string[]
}

/** The members of a write that watchers use. */
interface WatchedWrite {
  /** Id of the table: `service.table`. */
  readonly table: string
  readonly key: string
  readonly before: Row | undefined
  readonly after: Row | undefined
  readonly openTable: { readonly indexes: readonly WatchedIndex[] }
}

/** A function that removes one registration. */
export type Unwatch = () => void

/**
 * Callbacks by name (a key or a prefix). A callback that is added twice under one name counts once.
 */
class CallbacksByName {
  readonly #members = new Map<string, Set<() => void>>()
  /** Number of names of each length, so that a search for prefixes tries each length once. */
  readonly #lengths = new Map<number, number>()

  add(name: string, wake: () => void): Unwatch {
    let members = this.#members.get(name)
    if (members === undefined) {
      members = new Set()
      this.#members.set(name, members)
      this.#changeCount(name.length, 1)
    }
    members.add(wake)
    return () => {
      members.delete(wake)
      if (members.size > 0 || this.#members.get(name) !== members) return
      this.#members.delete(name)
      this.#changeCount(name.length, -1)
    }
  }

  get isEmpty(): boolean {
    return this.#members.size === 0
  }

  has(name: string, wake: () => void): boolean {
    return this.#members.get(name)?.has(wake) ?? false
  }

  withName(name: string): Iterable<() => void> {
    return this.#members.get(name) ?? []
  }

  *prefixesOf(key: string): Generator<() => void> {
    for (const length of this.#lengths.keys()) {
      if (length <= key.length) yield* this.withName(key.slice(0, length))
    }
  }

  *all(): Generator<() => void> {
    for (const members of this.#members.values()) yield* members
  }

  #changeCount(length: number, change: number): void {
    const count = (this.#lengths.get(length) ?? 0) + change
    if (count === 0) this.#lengths.delete(length)
    else this.#lengths.set(length, count)
  }
}

/** Number of readers that are woken per turn of the event loop when a world ends. */
const wokenPerTurn = 256

/** Watchers of one table, by exact key and by key prefix. */
class TableWatchers {
  readonly exact = new CallbacksByName()
  readonly prefix = new CallbacksByName()
}

/**
 * Readers that wait for rows to change. A reader's callback runs after a commit, once per commit
 * even if the commit changes several of the watched rows. Readers belong to the running process and
 * are not part of the state.
 */
export class Watchers {
  readonly #tables = new Map<string, TableWatchers>()
  readonly #replacementWatchers = new CallbacksByName()
  /** Queue that spreads the replies to woken readers over several turns of the event loop. */
  readonly replyTurns = new ReplyTurns()
  #generation = 0

  /**
   * Number of times that all readers were woken, at once or in turns. A woken reader compares this
   * number with an earlier value: if it is unchanged, a commit woke only some readers.
   */
  get generation(): number {
    return this.#generation
  }

  /**
   * Whether any reader waits. Every reader also watches for a replacement of the state, so checking
   * those watchers is enough.
   */
  get hasReaders(): boolean {
    return !this.#replacementWatchers.isEmpty
  }

  /**
   * Calls `wake` after each commit that wrote this key, and when all readers are woken.
   *
   * @param table id of a table, or of one of its indexes
   */
  watchKey(table: string, key: string, wake: () => void): Unwatch {
    return this.#watchersOf(table).exact.add(key, wake)
  }

  /**
   * Calls `wake` after each commit that wrote a key with this prefix, and when all readers are
   * woken.
   *
   * @param table id of a table, or of one of its indexes
   */
  watchPrefix(table: string, prefix: string, wake: () => void): Unwatch {
    return this.#watchersOf(table).prefix.add(prefix, wake)
  }

  /** Calls `wake` only when all readers are woken. */
  watchReplacement(wake: () => void): Unwatch {
    return this.#replacementWatchers.add('', wake)
  }

  /**
   * Wakes the readers that watch these writes. A reader of an index is woken by each write to a row
   * that has, or had, the watched key in that index.
   */
  wake(changes: Iterable<WatchedWrite>): void {
    if (this.#tables.size === 0) return
    const affectedCallbacks = new Set<() => void>()
    for (const { table, key, before, after, openTable } of changes) {
      this.#collect(table, [key], affectedCallbacks)
      for (const index of openTable.indexes) {
        if (!this.#tables.has(index.id)) continue
        this.#collect(index.id, index.keysOf(key, before), affectedCallbacks)
        this.#collect(index.id, index.keysOf(key, after), affectedCallbacks)
      }
    }
    for (const wake of affectedCallbacks) wake()
  }

  /** Wakes all readers, because after a restore any row may have changed. */
  wakeAll(): void {
    this.#generation += 1
    for (const wake of this.#allCallbacks()) wake()
  }

  /**
   * Wakes all readers because the world ends: `wokenPerTurn` in each turn of the event loop,
   * beginning in the present one. Ten thousand replies take most of a second, during which the
   * process could not react to a signal (behaviour/program#command). Readers that stop waiting in
   * the meantime are not woken.
   */
  async wakeAllInTurns(): Promise<void> {
    this.#generation += 1
    const readers = new Set(this.#replacementWatchers.all())
    for (const wake of this.#allCallbacks()) if (!readers.has(wake)) wake()
    let wokenCount = 0
    for (const wake of readers) {
      if (!this.#replacementWatchers.has('', wake)) continue
      wake()
      wokenCount += 1
      if (wokenCount % wokenPerTurn === 0) await yieldToEventLoop()
    }
  }

  #allCallbacks(): Set<() => void> {
    const callbacks = new Set(this.#replacementWatchers.all())
    for (const { exact, prefix } of this.#tables.values()) {
      for (const wake of exact.all()) callbacks.add(wake)
      for (const wake of prefix.all()) callbacks.add(wake)
    }
    return callbacks
  }

  #collect(table: string, keys: readonly string[], affectedCallbacks: Set<() => void>): void {
    const watchers = this.#tables.get(table)
    if (watchers === undefined) return
    for (const key of keys) {
      for (const wake of watchers.exact.withName(key)) affectedCallbacks.add(wake)
      for (const wake of watchers.prefix.prefixesOf(key)) affectedCallbacks.add(wake)
    }
  }

  #watchersOf(table: string): TableWatchers {
    const known = this.#tables.get(table)
    if (known !== undefined) return known
    const newWatchers = new TableWatchers()
    this.#tables.set(table, newWatchers)
    return newWatchers
  }
}
