import { deepFreeze } from '../json.ts'
import type { InParts } from '../parts.ts'
import { commitsWrites } from '../refusal.ts'
import { type Checkpoint, Checkpoints } from './checkpoints.ts'
import { ChangeFeed, Watchers } from './commits.ts'
import {
  canContinue,
  type Draft,
  emptySnapshot,
  feedContent,
  type LoggedChange,
  type StoreSettings,
  writtenServices,
} from './draft.ts'
import { Observation, type ObservedRead, readObserved } from './observation.ts'
import { contentsOf, type StoreAccess, type StoreSnapshot, Table } from './open-table.ts'
import type { Row, TableDefinition } from './table.ts'

/**
 * The tables of a world, and the only way to change them (behaviour/program#store). Every write is
 * part of a transaction, which is either rolled back as a whole or committed. A commit appends to
 * the change feed, wakes watchers, and increments the index of each written service. Writes to
 * tables with `keepsIndex` do not increment an index.
 */
export class Store {
  readonly watchers = new Watchers()
  readonly feed = new ChangeFeed()
  readonly #checkpoints = new Checkpoints()
  /** Tables that have been opened, by id. Most worlds use only a few tables. */
  readonly #tables = new Map<string, Table>()
  /** Snapshot with the content of all tables that have not been opened since it was taken. */
  #baseSnapshot = emptySnapshot
  readonly #settings: StoreSettings
  /** Index of each service; undefined while every index equals that of the base snapshot. */
  #indexes: Map<string, number> | undefined
  #log: LoggedChange[] | undefined
  /** Number of changes of the open transaction to which the rules have been applied. */
  #rulesAppliedTo = 0
  #commits = 0

  constructor(settings: StoreSettings = {}) {
    this.#settings = settings
  }

  /**
   * Returns a table, opened by the first call. Throws an `Error` if the id has another definition.
   */
  table<R extends Row, Index extends string = never>(
    definition: TableDefinition<R, Index>,
  ): Table<R, Index> {
    const id = definition.id
    const open = this.#tables.get(id)
    const known = open ?? this.#baseSnapshot.tables.get(id)
    if (known !== undefined && known.definition !== definition) {
      throw new Error(`table ${id} is defined twice`)
    }
    if (open !== undefined) return open as Table<Row, never> as Table<R, Index>
    const fresh = new Table(definition, this.#access, this.#baseSnapshot.tables.get(id))
    this.#tables.set(id, fresh as Table<Row, never>)
    return fresh
  }

  /** Returns whether a table has rows, without opening it. */
  hasRows({ id }: TableDefinition): boolean {
    const open = this.#tables.get(id)
    return open === undefined ? this.#baseSnapshot.tables.has(id) : open.size > 0
  }

  /** Tables that have rows, by id and in the order of ids. Reading this member opens them. */
  get tables(): ReadonlyMap<string, Table> {
    const tables = [...this.#contents()].map(([id, { definition }]) => {
      return [id, this.table(definition)] as const
    })
    return new Map(tables.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Returns the service's index: its start value plus the number of commits that raised it. */
  index(service: string): number {
    return (this.#indexes ?? this.#baseSnapshot.indexes).get(service) ?? 0
  }

  /** Returns the index that the open transaction will give the service if it raises the index. */
  nextIndex(service: string): number {
    return this.index(service) + 1
  }

  /**
   * Returns the service's next index if the open transaction has written to a table of the service,
   * otherwise the present index.
   */
  writtenIndex(service: string): number {
    const isWritten = this.#log?.some((change) => change.service === service) === true
    return isWritten ? this.nextIndex(service) : this.index(service)
  }

  /** Sets a service's index: its start value, or its value after a commit. */
  setIndex(service: string, index: number): void {
    this.#checkpoints.recordIndexChange(service, this.index(service))
    this.#indexes ??= new Map(this.#baseSnapshot.indexes)
    this.#indexes.set(service, index)
  }

  /** Position of the last commit in the change feed; 0 before the first commit. */
  get sequence(): number {
    return this.feed.sequence
  }

  /**
   * Runs `work` as one transaction and returns its result. If `work` throws, all its writes are
   * rolled back, unless the exception is a refusal with `commitWrites`. A nested call becomes part
   * of the outer transaction, and only the writes of the nested call are rolled back if it throws.
   * Rules are applied before the outermost transaction is committed; if a rule throws, everything
   * is rolled back. Exceptions of followers and watchers reach the caller, but roll back nothing.
   */
  transact<T>(work: () => T): T {
    const enclosing = this.#log
    if (enclosing !== undefined) return this.#attempt(enclosing, work)
    const log = this.#begin()
    try {
      return this.#attempt(log, work, 'with rules')
    } finally {
      this.#commit(log)
    }
  }

  /**
   * Runs work as one transaction, as `transact` does. The transaction stays open while the work
   * pauses, so no other code may use the store before the work has ended. Work that throws or is
   * abandoned at a pause changes nothing.
   */
  *transactInParts(work: InParts<void>): InParts<void> {
    const log = this.#begin()
    let isComplete = false
    try {
      yield* work
      this.applyRules()
      isComplete = true
    } finally {
      if (!isComplete) this.#undo(log, 0)
      this.#commit(log)
    }
  }

  /**
   * Applies the rules, undoes all writes of the open transaction, and returns these writes as a
   * draft. The transaction itself stays open.
   *
   * @param before content before the writes; if left out, the writes are undone one by one
   */
  suspend(before?: StoreSnapshot): Draft {
    this.applyRules()
    const log = this.#log ?? []
    const tables = new Map(this.#contents())
    const draft = { log: [...log], tables, commits: this.#commits, epoch: this.feed.epoch }
    this.discardWrites(before)
    return draft
  }

  /** Undoes all writes of the open transaction, as `suspend` does, but returns no draft. */
  discardWrites(before?: StoreSnapshot): void {
    const log = this.#log ?? []
    if (before === undefined) this.#undo(log, 0)
    else {
      log.length = 0
      this.#rulesAppliedTo = 0
      this.#adopt(before.tables)
    }
  }

  /**
   * Repeats the writes of a draft in the open transaction. Throws an `Error` if the transaction has
   * written anything, or if anything was committed or restored since the draft was made.
   */
  resume(draft: Draft): void {
    const log = this.#log
    if (log === undefined || log.length > 0 || !canContinue(draft, this)) {
      throw new Error('the draft does not continue this transaction')
    }
    this.#adopt(draft.tables)
    for (const change of draft.log) log.push(change)
    this.#rulesAppliedTo = log.length
  }

  /** Applies the rules to those writes of the open transaction that no rule has seen yet. */
  applyRules(): void {
    const log = this.#log
    if (log === undefined || this.#rulesAppliedTo === log.length) return
    this.#settings.rules?.applyRules(log, this.#rulesAppliedTo)
    this.#rulesAppliedTo = log.length
  }

  /**
   * Runs work that writes rows for which the rules already hold; no rules are applied to these
   * writes. First applies the rules to the transaction's earlier writes.
   */
  writeWithoutRules(work: () => void): void {
    this.applyRules()
    work()
    this.#rulesAppliedTo = this.#log?.length ?? 0
  }

  /**
   * Runs work as a transaction of its own and commits it, even if the enclosing transaction is
   * rolled back later. Throws an `Error` if the enclosing transaction has already written anything.
   */
  commitNow<T>(work: () => T): T {
    const enclosing = this.#log
    if (enclosing !== undefined && enclosing.length > 0)
      throw new Error('something is written already')
    this.#log = undefined
    try {
      return this.transact(work)
    } finally {
      this.#log = enclosing
      this.#rulesAppliedTo = 0
    }
  }

  /** Number of commits, including commits that wrote only the kernel's own tables. */
  get commits(): number {
    return this.#commits
  }

  /** Whether a transaction is open. */
  get isInTransaction(): boolean {
    return this.#log !== undefined
  }

  /** Runs a read and records the keys of tables and indexes that it accesses. */
  observe<T>(read: () => T): ObservedRead<T> {
    const observation = new Observation(this.watchers)
    return { result: readObserved(this.#access, observation, read), observation }
  }

  /** Runs a part of an observed read without recording it: its data then wakes no reader. */
  readUnobserved<T>(read: () => T): T {
    const access = this.#access
    return access.observation === undefined ? read() : readObserved(access, undefined, read)
  }

  /** Whether the open transaction has written anything. */
  get hasWrites(): boolean {
    return this.#log !== undefined && this.#log.length > 0
  }

  /**
   * Returns the current content. Checks each open table and copies only the list of tables. Throws
   * an `Error` if the open transaction has written anything.
   */
  snapshot(): StoreSnapshot {
    if (this.hasWrites) throw new Error('no snapshot of what is not committed')
    const baseSnapshot = this.#baseSnapshot
    const tables = this.#contents()
    const { sequence } = this.feed
    const isBase = tables === baseSnapshot.tables && sequence === baseSnapshot.sequence
    if (isBase && this.#indexes === undefined) return baseSnapshot
    this.#baseSnapshot = { tables, indexes: this.#indexes ?? baseSnapshot.indexes, sequence }
    this.#indexes = undefined
    return this.#baseSnapshot
  }

  /** Returns a checkpoint: the same object in all calls until the next commit or restore. */
  checkpoint(): Checkpoint {
    return this.#checkpoints.current(this.sequence)
  }

  /**
   * Replaces the content with a snapshot of this store or of another one, begins another epoch of
   * the change feed, and wakes every watcher. Throws an `Error` inside a transaction.
   */
  restore(snapshot: StoreSnapshot): void {
    if (this.#log !== undefined) throw new Error('no restore inside a transaction')
    this.#checkpoints.recordRestore(() => this.snapshot())
    this.#baseSnapshot = snapshot
    this.#adopt(snapshot.tables)
    this.#indexes = undefined
    this.feed.restart(snapshot.sequence)
    this.watchers.wakeAll()
  }

  #adopt(tables: StoreSnapshot['tables']): void {
    for (const [id, table] of this.#tables) table.adoptContent(tables.get(id))
  }

  #contents(): StoreSnapshot['tables'] {
    return contentsOf(this.#tables, this.#baseSnapshot.tables)
  }

  readonly #access: StoreAccess & { observation: Observation | undefined } = {
    observation: undefined,
    record: (table, key, before, after) => {
      if (this.#log === undefined) throw new Error(`write to ${table.id} outside a transaction`)
      if (this.#settings.freezeRows && after !== undefined) deepFreeze(after)
      const service = table.definition.service
      this.#log.push({ table: table.id, service, key, before, after, openTable: table })
    },
  }

  #begin(): LoggedChange[] {
    this.#log = []
    this.#rulesAppliedTo = 0
    return this.#log
  }

  #withRules<T>(work: () => T): T {
    try {
      const result = work()
      this.applyRules()
      return result
    } catch (error) {
      if (commitsWrites(error)) this.applyRules()
      throw error
    }
  }

  #attempt<T>(log: LoggedChange[], work: () => T, rules?: 'with rules'): T {
    const mark = log.length
    try {
      return rules === undefined ? work() : this.#withRules(work)
    } catch (error) {
      if (!commitsWrites(error)) this.#undo(log, mark)
      throw error
    }
  }

  #undo(log: LoggedChange[], mark: number): void {
    while (log.length > mark) {
      const last = log.pop()
      last?.openTable.revert(last.key, last.before)
    }
    this.#rulesAppliedTo = Math.min(this.#rulesAppliedTo, mark)
  }

  /** Ends the transaction and publishes its writes: raises indexes, notifies and wakes watchers. */
  #commit(log: LoggedChange[]): void {
    this.#log = undefined
    if (log.length === 0) return
    this.#commits += 1
    const { hasServiceChanges, services } = writtenServices(log)
    const indexes: Record<string, number> = {}
    for (const service of services) {
      indexes[service] = this.nextIndex(service)
      this.setIndex(service, this.nextIndex(service))
    }
    if (hasServiceChanges) this.feed.append(indexes, () => feedContent(log))
    this.#checkpoints.recordCommit(log, this.sequence, () => this.snapshot())
    this.#settings.committed?.(log)
    this.watchers.wake(log)
  }
}
