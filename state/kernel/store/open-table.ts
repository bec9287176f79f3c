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
 * The content of a table at one moment: its rows, and its indexes in the order of their
 * declaration. It never changes: snapshots and worlds share it.
 */
export interface TableContent {
  readonly definition: TableDefinition
  readonly tree: Tree<Row>
  readonly indexes: readonly IndexTree[]
}

/** The part of a store that its tables know. */
export interface StoreAccess extends ReadObserver {
  /** Told of every write before it happens; undoing and the change feed depend on it. */
  record(table: Table, key: string, before: Row | undefined, after: Row | undefined): void
}

/** Everything a store holds at one moment. Immutable, and cheap: tables are shared until written. */
export interface StoreSnapshot {
  /** By id; tables without rows are left out. */
  readonly tables: ReadonlyMap<string, TableContent>
  readonly indexes: ReadonlyMap<string, number>
  readonly sequence: number
}

const none: readonly never[] = []

/**
 * One open table of one world. Reads are direct; writes only work inside a transaction of the store
 * and are undone with it.
 */
export class Table<R extends Row = Row, Index extends string = never> {
  readonly definition: TableDefinition<R, Index>
  readonly id: string
  readonly #store: StoreAccess
  readonly #indexes: readonly TableIndex<R>[]
  #tree: Tree<Row> = emptyTree()
  /** Whether others may have the tree too: whoever writes takes a copy of it first. */
  #shared = true
  /** The content as it was told last, while it is still that; undefined when there are no rows. */
  #content: TableContent | undefined
  #changes = 0
  /**
   * What was looked for last, and what is there: whoever changes a row has just read it, and whoever has
   * changed it reads it again.
   */
  #lastKey: string | undefined
  #lastRow: Row | undefined

  /** @param content what the table begins with: nothing, unless given */
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
      indexList.length === 0 ? none : indexList.map((index) => new TableIndex(index, store, this))
    if (content !== undefined) this.#replaceContent(content)
  }

  /** One of the indexes that the table is declared with. */
  index(name: Index): TableIndex<R> {
    // Reads go through here, and no table has more than a few.
    for (const index of this.#indexes) if (index.name === name) return index
    throw new Error(`table ${this.id} has no index ${name}`)
  }

  /** Every index, in the order of their declaration. */
  get indexes(): readonly TableIndex<R>[] {
    return this.#indexes
  }

  /** Counts how often the rows changed here, undoing and restoring included: for what is worked out of them. */
  get changes(): number {
    return this.#changes
  }

  get size(): number {
    this.#store.observation?.prefix(this.id, '')
    return this.#tree.size
  }

  get(key: string): R | undefined {
    this.#store.observation?.key(this.id, key)
    return this.peek(key)
  }

  /** The same, but no observation notes it. */
  peek(key: string): R | undefined {
    if (key !== this.#lastKey) this.#remember(key, this.#tree.get(key))
    return this.#lastRow as R | undefined
  }

  has(key: string): boolean {
    return this.get(key) !== undefined
  }

  /** The row with the greatest key that is at most `key`. Prefer `last`: this looks at all the table. */
  floor(key: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, '')
    return this.#tree.getPairOrNextLower(key) as [string, R] | undefined
  }

  /** The row with the smallest key that is at least `key`. Prefer `first`: this looks at all the table. */
  ceiling(key: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, '')
    return this.#tree.getPairOrNextHigher(key) as [string, R] | undefined
  }

  /** The first row whose key starts with `prefix`. */
  first(prefix: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, prefix)
    return firstWithPrefix(this.#tree as Tree<R>, prefix)
  }

  /** The last row whose key starts with `prefix`. */
  last(prefix: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, prefix)
    return lastWithPrefix(this.#tree as Tree<R>, prefix)
  }

  /** All rows whose key starts with `prefix`, in key order, from `from` on (a key, default: the prefix). */
  entries(prefix = '', from = prefix): Generator<[string, R], void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    return entriesWithPrefix(this.#tree as Tree<R>, prefix, from)
  }

  /** The rows whose key starts with `prefix`, last first, from `from` on (a key, default: the last). */
  reversed(prefix: string, from?: string): Generator<[string, R], void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    return reversedWithPrefix(this.#tree as Tree<R>, prefix, from)
  }

  rows(prefix = ''): Generator<R, void, undefined> {
    return valuesOf(this.entries(prefix))
  }

  /**
   * The names directly below `prefix`, which must end where a name starts: `a` for a leaf, `b/` for
   * everything below a folder. Costs a look-up per name, however much the folders hold.
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

  /** True when there was such a row. */
  delete(key: string): boolean {
    const before = this.peek(key)
    if (before === undefined) return false
    this.#store.record(this, key, before, undefined)
    this.#beginWrite()
    for (const [index, change] of this.#indexChanges(key, before, undefined)) index.apply(change)
    this.#remember(key, undefined)
    return this.#tree.delete(key)
  }

  /** Deletes every row whose key starts with `prefix` and says how many. */
  deleteAll(prefix: string): number {
    const keys = Array.from(this.entries(prefix), ([key]) => key)
    for (const key of keys) this.delete(key)
    return keys.length
  }

  /** Puts a row back without a word to anyone; for the store's undo only. */
  revert(key: string, before: Row | undefined): void {
    const indexChanges = this.#indexChanges(key, this.peek(key), before as R | undefined)
    this.#beginWrite()
    for (const [index, change] of indexChanges) index.apply(change)
    this.#remember(key, before)
    if (before === undefined) this.#tree.delete(key)
    else this.#tree.set(key, before)
  }

  /** How the indexes go along with a write: those that do not stay as they are. */
  #indexChanges(
    key: string,
    before: R | undefined,
    after: R | undefined,
  ): readonly (readonly [TableIndex<R>, IndexChange])[] {
    let indexChanges: [TableIndex<R>, IndexChange][] | undefined
    for (const index of this.#indexes) {
      const change = index.changeFor(key, before, after)
      if (change === undefined) continue
      indexChanges ??= []
      indexChanges.push([index, change])
    }
    return indexChanges ?? none
  }

  /**
   * The content as it is now, the same object until something is written; undefined when there are no
   * rows. For the store's snapshots only.
   */
  content(): TableContent | undefined {
    if (this.#shared) return this.#content
    this.#shared = true
    const indexes = this.#indexes.length === 0 ? none : this.#indexes.map((index) => index.share())
    const { definition } = this as Table<Row, never> as Table
    this.#content = this.#tree.size === 0 ? undefined : { definition, tree: this.#tree, indexes }
    return this.#content
  }

  /** Takes the content of a snapshot, which stays as it is; for the store's restore only. */
  adopt(content: TableContent | undefined): void {
    this.#changes += 1
    this.#replaceContent(content)
  }

  #replaceContent(content: TableContent | undefined): void {
    this.#shared = true
    this.#content = content
    this.#tree = content?.tree ?? emptyTree()
    this.#remember(undefined, undefined)
    for (const [place, index] of this.#indexes.entries()) index.adopt(content?.indexes[place])
  }

  #remember(key: string | undefined, row: Row | undefined): void {
    this.#lastKey = key
    this.#lastRow = row
  }

  /** Begins a write: what others have too is left to them. */
  #beginWrite(): void {
    this.#changes += 1
    if (!this.#shared) return
    this.#shared = false
    this.#content = undefined
    this.#tree = writableCopy(this.#tree)
  }
}
