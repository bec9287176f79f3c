import type { ReadObserver } from './observation.ts'
import type { Row, TableDefinition } from './table.ts'
import { type IndexChange, type IndexTree, TableIndex } from './table-index.ts'
import {
  childNames,
  emptyTree,
  entriesWithPrefix,
  firstWithPrefix,
  lastWithPrefix,
  reversedWithPrefix,
  type Tree,
  valuesOf,
  writableCopy,
} from './tree.ts'

/**
 * Content of a table at one point: its rows, and its indexes in the order of their declaration.
 * Contents are immutable, so snapshots and worlds share them.
 */
export interface TableContent {
  readonly definition: TableDefinition
  readonly tree: Tree<Row>
  readonly indexes: readonly IndexTree[]
}

/** The members of a store that its tables use. */
export interface StoreAccess extends ReadObserver {
  /**
   * Records a write before the table changes, for the rollback and the change feed. Throws an
   * `Error` outside a transaction.
   */
  record(table: Table, key: string, before: Row | undefined, after: Row | undefined): void
}

/**
 * Content of a store at one point. Snapshots are immutable and cheap: they share the content of
 * tables until a table is written.
 */
export interface StoreSnapshot {
  /** Tables by id; tables without rows are left out. */
  readonly tables: ReadonlyMap<string, TableContent>
  readonly indexes: ReadonlyMap<string, number>
  readonly sequence: number
}

const noIndexes: readonly never[] = []

/**
 * One table of one world. Reads work at any time. Writes throw an `Error` outside a transaction of
 * the store and are rolled back with it.
 */
export class Table<R extends Row = Row, Index extends string = never> {
  readonly definition: TableDefinition<R, Index>
  readonly id: string
  readonly #store: StoreAccess
  readonly #indexes: readonly TableIndex<R>[]
  #tree: Tree<Row> = emptyTree()
  /** True while a snapshot may share this tree; writers copy it first. */
  #isShared = true
  /**
   * Result of the last call of `content`; undefined after a write, and for a table without rows.
   */
  #content: TableContent | undefined
  #changeCount = 0
  /**
   * Key of the last read or write, cached with its row: a writer usually reads a row just before
   * and just after it writes the row.
   */
  #lastKey: string | undefined
  /** Row of `#lastKey`; undefined if no row has the key. */
  #lastRow: Row | undefined

  /**
   * @param content initial content; empty if left out
   */
  constructor(
    definition: TableDefinition<R, Index>,
    store: StoreAccess,
    content?: TableContent | undefined,
  ) {
    this.definition = definition
    this.id = definition.id
    this.#store = store
    const { indexList } = definition
    this.#indexes =
      indexList.length === 0
        ? noIndexes
        : indexList.map((index) => new TableIndex(index, store, this))
    if (content !== undefined) this.#replaceContent(content)
  }

  /** Returns a declared index of the table. Throws an `Error` for any other name. */
  index(name: Index): TableIndex<R> {
    // A linear search is fast enough: no table has more than a few indexes.
    for (const index of this.#indexes) if (index.name === name) return index
    throw new Error(`table ${this.id} has no index ${name}`)
  }

  /** All indexes of the table, in the order of declaration. */
  get indexes(): readonly TableIndex<R>[] {
    return this.#indexes
  }

  /**
   * Number of changes to the rows, including rollbacks and restores. Caches of derived values
   * compare this number.
   */
  get changes(): number {
    return this.#changeCount
  }

  get size(): number {
    this.#store.observation?.prefix(this.id, '')
    return this.#tree.size
  }

  get(key: string): R | undefined {
    this.#store.observation?.key(this.id, key)
    return this.peek(key)
  }

  /** Returns a row without recording the read in an observation. */
  peek(key: string): R | undefined {
    if (key !== this.#lastKey) this.#remember(key, this.#tree.get(key))
    return this.#lastRow as R | undefined
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  /**
   * Returns the key and row with the greatest key that is at most `key`. The read counts as a read
   * of the whole table; prefer `last`.
   */
  floor(key: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, '')
    return this.#tree.getPairOrNextLower(key) as [string, R] | undefined
  }

  /**
   * Returns the key and row with the smallest key that is at least `key`. The read counts as a read
   * of the whole table; prefer `first`.
   */
  ceiling(key: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, '')
    return this.#tree.getPairOrNextHigher(key) as [string, R] | undefined
  }

  /** Returns the first key that starts with `prefix`, and its row. */
  first(prefix: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, prefix)
    return firstWithPrefix(this.#tree as Tree<R>, prefix)
  }

  /** Returns the last key that starts with `prefix`, and its row. */
  last(prefix: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, prefix)
    return lastWithPrefix(this.#tree as Tree<R>, prefix)
  }

  /**
   * Yields the keys that start with `prefix` and their rows, in key order, beginning at the key
   * `from` (default: the prefix).
   */
  entries(prefix = '', from = prefix): Generator<[string, R], void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    return entriesWithPrefix(this.#tree as Tree<R>, prefix, from)
  }

  /**
   * Yields the keys that start with `prefix` and their rows in reverse order, beginning at the key
   * `from` (default: the last).
   */
  entriesReversed(prefix: string, from?: string): Generator<[string, R], void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    return reversedWithPrefix(this.#tree as Tree<R>, prefix, from)
  }

  rows(prefix = ''): Generator<R, void, undefined> {
    return valuesOf(this.entries(prefix))
  }

  /**
   * Returns the names directly below `prefix`, which must end where a name starts. The key
   * `<prefix>a` yields the name `a`; all keys that start with `<prefix>b/` yield one name, `b/`.
   * Costs one search per name, independent of the number of keys that begin with the name.
   */
  children(prefix: string): string[] {
    this.#store.observation?.prefix(this.id, prefix)
    return childNames(this.#tree, prefix)
  }

  put(key: string, row: R): void {
    const before = this.peek(key)
    const indexChanges = this.#indexChanges(key, before, row)
    for (const [index, change] of indexChanges) index.check(change)
    this.#store.record(this, key, before, row)
    this.#beginWrite()
    this.#tree.set(key, row)
    this.#remember(key, row)
    for (const [index, change] of indexChanges) index.apply(change)
  }

  /** Deletes a row. Returns true if the row existed. */
  delete(key: string): boolean {
    const before = this.peek(key)
    if (before === undefined) return false
    this.#store.record(this, key, before, undefined)
    this.#beginWrite()
    for (const [index, change] of this.#indexChanges(key, before, undefined)) index.apply(change)
    this.#remember(key, undefined)
    return this.#tree.delete(key)
  }

  /** Deletes every row whose key starts with `prefix`. Returns the number of deleted rows. */
  deleteAll(prefix: string): number {
    const keys = Array.from(this.entries(prefix), ([key]) => key)
    for (const key of keys) this.delete(key)
    return keys.length
  }

  /**
   * Puts a row back, or deletes it if `before` is undefined, without recording the write. Only for
   * the rollback of the store and for `snapshotAt`.
   */
  revert(key: string, before: Row | undefined): void {
    const indexChanges = this.#indexChanges(key, this.peek(key), before as R | undefined)
    this.#beginWrite()
    for (const [index, change] of indexChanges) index.apply(change)
    this.#remember(key, before)
    if (before === undefined) this.#tree.delete(key)
    else this.#tree.set(key, before)
  }

  /** Returns the indexes that a write changes, each with its change. */
  #indexChanges(key: string, before: R | undefined, after: R | undefined) {
    let indexChanges: [TableIndex<R>, IndexChange][] | undefined
    for (const index of this.#indexes) {
      const change = index.changeFor(key, before, after)
      if (change === undefined) continue
      indexChanges ??= []
      indexChanges.push([index, change])
    }
    return indexChanges ?? noIndexes
  }

  /**
   * Returns the current content, or undefined if the table has no rows. Calls return the same
   * object until the next write. Marks the content as shared, so that the next write copies it
   * first. Only for the store's snapshots and drafts.
   */
  content(): TableContent | undefined {
    if (this.#isShared) return this.#content
    this.#isShared = true
    const indexes =
      this.#indexes.length === 0 ? noIndexes : this.#indexes.map((index) => index.share())
    const { definition } = this as Table<Row, never> as Table
    this.#content = this.#tree.size === 0 ? undefined : { definition, tree: this.#tree, indexes }
    return this.#content
  }

  /**
   * Replaces the content with the content of a snapshot, which stays unchanged. Only for the
   * store's restores and drafts.
   */
  adoptContent(content: TableContent | undefined): void {
    this.#changeCount += 1
    this.#replaceContent(content)
  }

  #replaceContent(content: TableContent | undefined): void {
    this.#isShared = true
    this.#content = content
    this.#tree = content?.tree ?? emptyTree()
    this.#remember(undefined, undefined)
    for (const [at, index] of this.#indexes.entries()) index.adopt(content?.indexes[at])
  }

  #remember(key: string | undefined, row: Row | undefined): void {
    this.#lastKey = key
    this.#lastRow = row
  }

  /** Prepares a write: copies the tree of rows if a snapshot may share it. */
  #beginWrite(): void {
    this.#changeCount += 1
    if (!this.#isShared) return
    this.#isShared = false
    this.#content = undefined
    this.#tree = writableCopy(this.#tree)
  }
}

/**
 * Returns the content of every table that has rows. Returns `before` itself if no open table
 * differs from it.
 */
export function contentsOf(
  open: ReadonlyMap<string, Table>,
  before: StoreSnapshot['tables'],
): StoreSnapshot['tables'] {
  let tables: Map<string, TableContent> | undefined
  for (const [id, table] of open) {
    const content = table.content()
    if (content === before.get(id)) continue
    tables ??= new Map(before)
    if (content === undefined) tables.delete(id)
    else tables.set(id, content)
  }
  return tables ?? before
}
