import { deepFreeze } from '../json.ts'
import { commitsWrites } from '../refusal.ts'
import { type Checkpoint, Checkpoints } from './checkpoints.ts'
import type { Change } from './commits.ts'
import { ChangeFeed, Watchers } from './commits.ts'
import { Observation, type ObservedRead } from './observation.ts'
import { type StoreAccess, type StoreSnapshot, Table, type TableContent } from './open-table.ts'
import { agendaTable, kernelService, type Row, type TableDefinition } from './table.ts'

/** What a store begins with. */
const emptySnapshot: StoreSnapshot = { tables: new Map(), indexes: new Map(), sequence: 0 }

interface LoggedChange extends Change {
  readonly openTable: Table
}

/** The settings of a store. */
interface StoreSettings {
  /** Makes a row that is changed in place throw: tests run with it. */
  readonly freezeRows?: boolean
  /** The rules that hold after each commit. */
  readonly rules?: {
    /** Makes it hold after these changes, from one on; the changes grow while it writes. */
    applyRules(changes: readonly Change[], from: number): void
  }
  /** Told of each commit, the kernel's own tables included, before anybody is woken. */
  readonly committed?: (changes: readonly Change[]) => void
}

/**
 * A world's tables, and the one door through which they change (behaviour/program#store): every
 * write is part of a transaction that is undone as a whole or raises the index of each service
 * concerned, appends to the change feed and wakes watchers.
 */
export class Store {
  readonly watchers = new Watchers()
  readonly feed = new ChangeFeed()
  readonly #checkpoints = new Checkpoints()
  /** The tables that somebody has asked for: most worlds are asked about few of them. */
  readonly #tables = new Map<string, Table>()
  /** Where the content of every table is that nobody has asked for since. */
  #baseSnapshot = emptySnapshot
  readonly #settings: StoreSettings
  /** The services' indexes, from when one differs from the base's on. */
  #indexes: Map<string, number> | undefined
  #log: LoggedChange[] | undefined
  /** So many changes of the open transaction need nothing more to hold after them. */
  #rulesAppliedTo = 0
  #commits = 0

  constructor(settings: StoreSettings = {}) {
    this.#settings = settings
  }

  /** Opens a table at the first call, empty unless the store was restored to a snapshot that has it. */
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

  /** Tells whether a table has rows; costs next to nothing. */
  hasRows({ id }: TableDefinition): boolean {
    const open = this.#tables.get(id)
    return open === undefined ? this.#baseSnapshot.tables.has(id) : open.size > 0
  }

  /** Every table that has rows now, by id and in the order of ids. */
  get tables(): ReadonlyMap<string, Table> {
    const tables = [...this.#contents()].map(([id, { definition }]) => {
      return [id, this.table(definition)] as const
    })
    return new Map(tables.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** The service's index now: how many transactions have written to it (plus its start value). */
  index(service: string): number {
    return (this.#indexes ?? this.#baseSnapshot.indexes).get(service) ?? 0
  }

  /** The index that the open transaction will give the service: for CreateIndex and ModifyIndex. */
  nextIndex(service: string): number {
    return this.index(service) + 1
  }

  /** The service's index once the open transaction is committed. */
  writtenIndex(service: string): number {
    const isWritten = this.#log?.some((change) => change.service === service) === true
    return isWritten ? this.nextIndex(service) : this.index(service)
  }

  /** Sets where a service's index starts. */
  startIndex(service: string, index: number): void {
    this.#checkpoints.indexChanged(service, this.index(service))
    this.#indexes ??= new Map(this.#baseSnapshot.indexes)
    this.#indexes.set(service, index)
  }

  /** Position of the last commit. */
  get sequence(): number {
    return this.feed.sequence
  }

  /**
   * Runs `work` as one transaction: when it throws, everything it wrote is undone, unless it throws a
   * refusal that keeps it. Inside another transaction it becomes part of it, and only its own writes
   * are undone when it throws. Before the outermost one is committed, what must hold is made to hold;
   * when that throws, all of it is undone. What a follower or watcher throws reaches the caller, but
   * no longer undoes anything.
   */
  transact<T>(work: () => T): T {
    const enclosing = this.#log
    if (enclosing !== undefined) return this.#attempt(enclosing, work)
    const log: LoggedChange[] = []
    this.#log = log
    this.#rulesAppliedTo = 0
    try {
      return this.#attempt(log, () => this.#withRules(work))
    } finally {
      this.#log = undefined
      this.#commit(log)
    }
  }

  /** Makes hold what must after all that the open transaction wrote; what comes next builds on it. */
  applyRules(): void {
    const log = this.#log
    if (log === undefined || this.#rulesAppliedTo === log.length) return
    this.#settings.rules?.applyRules(log, this.#rulesAppliedTo)
    this.#rulesAppliedTo = log.length
  }

  /** Writes rows as they are, a part of a state in which everything holds: nothing follows from them. */
  writeAsIs(work: () => void): void {
    this.applyRules()
    work()
    this.#rulesAppliedTo = this.#log?.length ?? 0
  }

  /**
   * Commits a part of the open transaction that stays whatever comes of the rest; so nothing may be
   * written yet.
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

  /** Returns how often something was committed, the kernel's own tables included. */
  get commits(): number {
    return this.#commits
  }

  /** Tells whether a transaction is open. */
  get writing(): boolean {
    return this.#log !== undefined
  }

  /** Runs a read and notes what it looks at: which tables and indexes, and where. */
  observe<T>(read: () => T): ObservedRead<T> {
    const observation = new Observation(this.watchers)
    return { result: this.#readObserved(observation, read), observation }
  }

  /** Runs a part of an observed read of which nothing is noted: whoever waits does not wait for it. */
  unobserved<T>(read: () => T): T {
    return this.#access.observation === undefined ? read() : this.#readObserved(undefined, read)
  }

  /** Tells whether the open transaction has written anything. */
  get dirty(): boolean {
    return this.#log !== undefined && this.#log.length > 0
  }

  /** Everything as it is now. Costs a look at each open table, and a copy of nothing but a list. */
  snapshot(): StoreSnapshot {
    if (this.dirty) throw new Error('no snapshot of what is not committed')
    const baseSnapshot = this.#baseSnapshot
    const tables = this.#contents()
    const { sequence } = this.feed
    const isBase = tables === baseSnapshot.tables && sequence === baseSnapshot.sequence
    if (isBase && this.#indexes === undefined) return baseSnapshot
    this.#baseSnapshot = { tables, indexes: this.#indexes ?? baseSnapshot.indexes, sequence }
    this.#indexes = undefined
    return this.#baseSnapshot
  }

  /** The present, to be found later: see `contentAt`. The same object until something is written. */
  checkpoint(): Checkpoint {
    return this.#checkpoints.current(this.sequence)
  }

  /** Goes (back) to a snapshot, of this store or of another. Wakes every watcher. */
  restore(snapshot: StoreSnapshot): void {
    if (this.#log !== undefined) throw new Error('no restore inside a transaction')
    this.#checkpoints.stateReplaced(() => this.snapshot())
    this.#baseSnapshot = snapshot
    for (const [id, table] of this.#tables) table.adopt(snapshot.tables.get(id))
    this.#indexes = undefined
    this.feed.restart(snapshot.sequence)
    this.watchers.wakeAll()
  }

  /** The content of every table that has rows; the same map as long as it is the same. */
  #contents(): StoreSnapshot['tables'] {
    let tables: Map<string, TableContent> | undefined
    for (const [id, table] of this.#tables) {
      const content = table.content()
      if (content === this.#baseSnapshot.tables.get(id)) continue
      tables ??= new Map(this.#baseSnapshot.tables)
      if (content === undefined) tables.delete(id)
      else tables.set(id, content)
    }
    return tables ?? this.#baseSnapshot.tables
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

  #readObserved<T>(observation: Observation | undefined, read: () => T): T {
    const enclosing = this.#access.observation
    this.#access.observation = observation
    try {
      return read()
    } finally {
      this.#access.observation = enclosing
    }
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

  #attempt<T>(log: LoggedChange[], work: () => T): T {
    const mark = log.length
    try {
      return work()
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

  #commit(log: LoggedChange[]): void {
    if (log.length === 0) return
    this.#commits += 1
    const indexes: Record<string, number> = {}
    let hasServiceChanges = false
    for (const { service } of log) {
      if (service === kernelService || indexes[service] !== undefined) continue
      const index = this.nextIndex(service)
      this.startIndex(service, index)
      indexes[service] = index
      hasServiceChanges = true
    }
    if (hasServiceChanges) {
      this.feed.append(indexes, () => ({
        changes: log.filter(({ service }) => service !== kernelService),
        scheduledJobs: log.filter(({ table }) => table === agendaTable),
      }))
    }
    this.#checkpoints.committed(log, this.sequence, () => this.snapshot())
    this.#settings.committed?.(log)
    this.watchers.wake(log)
  }
}
