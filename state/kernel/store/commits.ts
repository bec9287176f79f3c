import { yieldToEventLoop } from '../time.ts'
import type { Row } from './table.ts'

/** One write: the row after it, or undefined when the row was deleted. */
export interface Change {
  /** `service.table` */
  readonly table: string
  readonly service: string
  readonly key: string
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** The writes of one transaction, as the change feed keeps it. */
export interface Commit {
  /** Position in the world's one sequence, from 1. */
  readonly sequence: number
  /** The index that each service concerned has now. */
  readonly indexes: Readonly<Record<string, number>>
  readonly changes: readonly Change[]
  /** Appointments made (`after`) and called off (`before`) on the way: rows of the agenda. */
  readonly scheduledJobs: readonly Change[]
}

/** Commits kept for those who follow; one who has fallen further behind takes a snapshot instead. */
const defaultCapacity = 1_000

/**
 * The commits of a world in order. While somebody has asked for it the last thousand or so are kept,
 * for a follower that loses touch to catch up with; otherwise only the position moves on, because
 * kept commits would outlive every garbage collection and make each write dearer. A restore breaks
 * the sequence: followers of an older `epoch` cannot go on from it.
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

  /** Position of the last commit; 0 before the first. */
  get sequence(): number {
    return this.#sequence
  }

  /** Raised by each restore: positions of different epochs cannot be compared. */
  get epoch(): number {
    return this.#epoch
  }

  /** Takes a commit up. `contentOf` is asked only when somebody wants to know. */
  append(
    indexes: Commit['indexes'],
    contentOf: () => Pick<Commit, 'changes' | 'scheduledJobs'>,
  ): void {
    this.#sequence += 1
    if (this.#retainers === 0 && this.#followers.size === 0) return
    const commit: Commit = { sequence: this.#sequence, indexes, ...contentOf() }
    if (this.#retainers > 0) this.#commits.push(commit)
    // Cut in large pieces: shifting one at a time would cost the whole array each time.
    if (this.#commits.length >= 2 * this.#capacity)
      this.#commits = this.#commits.slice(-this.#capacity)
    for (const onCommit of this.#followers) onCommit(commit)
  }

  /** Keeps commits from now on, until the result is called: for those who will ask `since`. */
  retain(): () => void {
    let isRetained = true
    this.#retainers += 1
    return () => {
      if (isRetained) this.#retainers -= 1
      isRetained = false
      if (this.#retainers === 0) this.#commits = []
    }
  }

  /** The commits after a position, or undefined when the feed does not reach back that far. */
  since(sequence: number): readonly Commit[] | undefined {
    const missing = this.#sequence - sequence
    if (missing < 0 || missing > this.#commits.length) return undefined
    return missing === 0 ? [] : this.#commits.slice(-missing)
  }

  /** Tells whether somebody is told of each commit as it happens. */
  get hasFollowers(): boolean {
    return this.#followers.size > 0
  }

  /** Tells of each commit from now on, as it happens. Returns how to stop. */
  follow(onCommit: (commit: Commit) => void): () => void {
    this.#followers.add(onCommit)
    return () => this.#followers.delete(onCommit)
  }

  /** Forgets the commits and goes on from another position. */
  restart(sequence: number): void {
    this.#commits = []
    this.#sequence = sequence
    this.#epoch += 1
  }
}

/** An index as watchers need to know it. */
interface WatchedIndex {
  readonly id: string
  keysOf(key: string, row: Row | undefined): readonly string[]
}

/** A write as watchers need to know it. */
interface WatchedWrite {
  /** `service.table` */
  readonly table: string
  readonly key: string
  readonly before: Row | undefined
  readonly after: Row | undefined
  readonly openTable: { readonly indexes: readonly WatchedIndex[] }
}

/** Undoes one registration. */
export type Unwatch = () => void

/** Callbacks by name (a key or a prefix). A callback added twice under a name counts once. */
class CallbackGroup {
  readonly #members = new Map<string, Set<() => void>>()
  /** The number of names of each length: a prefix look-up tries each length once. */
  readonly #lengths = new Map<number, number>()

  add(name: string, wake: () => void): Unwatch {
    let members = this.#members.get(name)
    if (members === undefined) {
      members = new Set()
      this.#members.set(name, members)
      this.#count(name.length, 1)
    }
    members.add(wake)
    return () => {
      members.delete(wake)
      if (members.size > 0 || this.#members.get(name) !== members) return
      this.#members.delete(name)
      this.#count(name.length, -1)
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

  #count(length: number, change: number): void {
    const count = (this.#lengths.get(length) ?? 0) + change
    if (count === 0) this.#lengths.delete(length)
    else this.#lengths.set(length, count)
  }
}

/** Readers that are woken in one turn of the event loop when a world ends. */
const readersPerTurn = 256

/** The watchers of one table: by exact key, and by key prefix. */
class TableWatchers {
  readonly exact = new CallbackGroup()
  readonly prefix = new CallbackGroup()
}

/**
 * Who waits for which rows. Callbacks run after the commit, each once for a commit however many of
 * its rows changed; they belong to the running process, not to the state.
 */
export class Watchers {
  readonly #tables = new Map<string, TableWatchers>()
  readonly #replacementWatchers = new CallbackGroup()
  #generation = 0

  /** Returns how often everybody was woken at once: it tells such a wake from that of a commit. */
  get generation(): number {
    return this.#generation
  }

  /** Tells whether a reader waits: who waits for news of whatever kind watches for upheavals too. */
  get hasReaders(): boolean {
    return !this.#replacementWatchers.isEmpty
  }

  /** Calls back after each commit that touched this key of the table, or of the index. */
  watchKey(table: string, key: string, wake: () => void): Unwatch {
    return this.#of(table).exact.add(key, wake)
  }

  /** Calls back after each commit that touched a key with this prefix. */
  watchPrefix(table: string, prefix: string, wake: () => void): Unwatch {
    return this.#of(table).prefix.add(prefix, wake)
  }

  /** Calls back when everybody is woken, and never else. */
  watchReplacement(wake: () => void): Unwatch {
    return this.#replacementWatchers.add('', wake)
  }

  /**
   * Wakes everybody concerned by these writes. Who watches an index is woken by each write to a row
   * that stood or stands under such a key of it.
   */
  wake(changes: Iterable<WatchedWrite>): void {
    if (this.#tables.size === 0) return
    const affected = new Set<() => void>()
    for (const { table, key, before, after, openTable } of changes) {
      this.#collect(table, [key], affected)
      for (const index of openTable.indexes) {
        if (!this.#tables.has(index.id)) continue
        this.#collect(index.id, index.keysOf(key, before), affected)
        this.#collect(index.id, index.keysOf(key, after), affected)
      }
    }
    for (const wake of affected) wake()
  }

  /** Wakes everybody: after a restore nothing is as it was. */
  wakeAll(): void {
    this.#generation += 1
    for (const wake of this.#allCallbacks()) wake()
  }

  /**
   * Wakes everybody because nothing will come any more: of readers some hundred now, the others in the
   * next turns of the event loop. Ten thousand answers take most of a second, in which a process
   * that is told to end could not (behaviour/program#figures). Who leaves meanwhile is not woken.
   */
  async wakeAllInTurns(): Promise<void> {
    this.#generation += 1
    const readers = new Set(this.#replacementWatchers.all())
    for (const wake of this.#allCallbacks()) if (!readers.has(wake)) wake()
    let woken = 0
    for (const wake of readers) {
      if (!this.#replacementWatchers.has('', wake)) continue
      wake()
      woken += 1
      if (woken % readersPerTurn === 0) await yieldToEventLoop()
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

  #collect(table: string, keys: readonly string[], affected: Set<() => void>): void {
    const watchers = this.#tables.get(table)
    if (watchers === undefined) return
    for (const key of keys) {
      for (const wake of watchers.exact.withName(key)) affected.add(wake)
      for (const wake of watchers.prefix.prefixesOf(key)) affected.add(wake)
    }
  }

  #of(table: string): TableWatchers {
    const known = this.#tables.get(table)
    if (known !== undefined) return known
    const fresh = new TableWatchers()
    this.#tables.set(table, fresh)
    return fresh
  }
}
