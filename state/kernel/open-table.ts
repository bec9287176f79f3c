import type { Observing } from './observation.ts'
import type { Row, TableDefinition } from './table.ts'
import { type IndexMove, type IndexTree, TableIndex } from './table-index.ts'
import {
  childrenBelow,
  copyOf,
  emptyTree,
  entriesBelow,
  firstBelow,
  lastBelow,
  reversedBelow,
  type Tree,
  valuesOf,
  writable,
} from './tree.ts'

/**
 * The content of a table at one moment: its rows, and its indexes in the order of their
 * declaration.
 */
export interface TableContent {
  readonly tree: Tree<Row>
  readonly indexes: readonly IndexTree[]
}

/** The part of a store that its tables know. */
export interface StoreAccess extends Observing {
  /** Told of every write before it happens; undoing and the change feed depend on it. */
  record(table: Table, key: string, before: Row | undefined, after: Row | undefined): void
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
  #changes = 0

  constructor(definition: TableDefinition<R, Index>, store: StoreAccess) {
    this.definition = definition
    this.id = definition.id
    this.#store = store
    const { indexList } = definition
    this.#indexes =
      indexList.length === 0 ? none : indexList.map((index) => new TableIndex(index, store, this))
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
    return this.#tree.get(key) as R | undefined
  }

  has(key: string): boolean {
    this.#store.observation?.key(this.id, key)
    return this.#tree.has(key)
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
    return firstBelow(this.#tree as Tree<R>, prefix)
  }

  /** The last row whose key starts with `prefix`. */
  last(prefix: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, prefix)
    return lastBelow(this.#tree as Tree<R>, prefix)
  }

  /** All rows whose key starts with `prefix`, in key order, from `from` on (a key, default: the prefix). */
  entries(prefix = '', from = prefix): Generator<[string, R], void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    return entriesBelow(this.#tree as Tree<R>, prefix, from)
  }

  /** The rows whose key starts with `prefix`, last first, from `from` on (a key, default: the last). */
  reversed(prefix: string, from?: string): Generator<[string, R], void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    return reversedBelow(this.#tree as Tree<R>, prefix, from)
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
    return childrenBelow(this.#tree, prefix)
  }

  put(key: string, row: R): void {
    const before = this.peek(key)
    const moves = this.#moves(key, before, row)
    for (const [index, move] of moves) index.check(move)
    this.#store.record(this, key, before, row)
    this.#changes += 1
    this.#tree = writable(this.#tree)
    this.#tree.set(key, row)
    for (const [index, move] of moves) index.follow(move)
  }

  /** True when there was such a row. */
  delete(key: string): boolean {
    const before = this.peek(key)
    if (before === undefined) return false
    this.#store.record(this, key, before, undefined)
    this.#changes += 1
    for (const [index, move] of this.#moves(key, before, undefined)) index.follow(move)
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
    this.#changes += 1
    const moves = this.#moves(key, this.peek(key), before as R | undefined)
    for (const [index, move] of moves) index.follow(move)
    this.#tree = writable(this.#tree)
    if (before === undefined) this.#tree.delete(key)
    else this.#tree.set(key, before)
  }

  /** How the indexes go along with a write: those that do not stay as they are. */
  #moves(
    key: string,
    before: R | undefined,
    after: R | undefined,
  ): readonly (readonly [TableIndex<R>, IndexMove])[] {
    let moves: [TableIndex<R>, IndexMove][] | undefined
    for (const index of this.#indexes) {
      const move = index.moveOf(key, before, after)
      if (move === undefined) continue
      moves ??= []
      moves.push([index, move])
    }
    return moves ?? none
  }

  /** A copy that shares everything until one of the two is written to. */
  fork(): TableContent {
    return { tree: copyOf(this.#tree), indexes: this.#indexes.map((index) => index.fork()) }
  }

  /** Takes the content of a snapshot, which stays as it is; for the store's restore only. */
  adopt(content: TableContent | undefined): void {
    this.#changes += 1
    this.#tree = content === undefined ? emptyTree() : copyOf(content.tree)
    for (const [place, index] of this.#indexes.entries()) {
      const tree = content?.indexes[place]
      index.adopt(tree === undefined ? undefined : copyOf(tree))
    }
  }
}
