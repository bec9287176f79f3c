import { forEachPiece, type InParts } from '../parts.ts'
import type { ReadObserver } from './observation.ts'
import type {
  IndexDefinition,
  IndexedKeys,
  IndexKeyFunction,
  Row,
  TableDefinition,
} from './table.ts'
import {
  childNames,
  countFrom,
  emptyTree,
  entriesWithPrefix,
  firstWithPrefix,
  lastWithPrefix,
  reversedWithPrefix,
  type Tree,
  valuesOf,
  writableCopy,
} from './tree.ts'

/** Keys of rows in the table, by index key. */
export type IndexTree = Tree<string>

/**
 * Change of an index by a write: the index keys that the row loses, and the index keys that it
 * gains.
 */
export interface IndexChange {
  /** Key of the row in its table. */
  readonly key: string
  readonly removed: IndexedKeys
  readonly added: IndexedKeys
}

/**
 * The table of an index. Reading a row through an index does not record a read of the table,
 * because every write to that row wakes the watchers of the index key.
 */
interface RowsByKey<R extends Row> {
  peek(key: string): R | undefined
}

/**
 * One index of an open table, in which rows are found by other keys than their own: the index keys.
 * The table updates the index with every write and rollback. Snapshots contain the index, so forks
 * and restores do not compute it again. An index is derived data: exports, the change feed and
 * replication do not contain it (behaviour/program#store).
 */
export class TableIndex<R extends Row = Row> {
  readonly #definition: IndexDefinition<R>
  readonly #store: ReadObserver
  readonly #table: RowsByKey<R>
  #tree: IndexTree = emptyTree()
  /** True while a snapshot may share this tree; writers copy it first. */
  #shared = true

  constructor(definition: IndexDefinition<R>, store: ReadObserver, table: RowsByKey<R>) {
    this.#definition = definition
    this.#store = store
    this.#table = table
  }

  get id(): string {
    return this.#definition.id
  }

  get name(): string {
    return this.#definition.name
  }

  /** Returns the row that has this index key; undefined if no row has it. */
  get(indexKey: string): R | undefined {
    const key = this.keyOf(indexKey)
    return key === undefined ? undefined : this.#table.peek(key)
  }

  /**
   * Returns the key that the row with this index key has in the table; undefined if no row has it.
   */
  keyOf(indexKey: string): string | undefined {
    this.#store.observation?.key(this.id, indexKey)
    return this.#tree.get(indexKey)
  }

  has(indexKey: string): boolean {
    this.#store.observation?.key(this.id, indexKey)
    return this.#tree.has(indexKey)
  }

  /** Returns the first index key that starts with `prefix`, and its row. */
  first(prefix: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, prefix)
    return this.#row(firstWithPrefix(this.#tree, prefix))
  }

  /** Returns the last index key that starts with `prefix`, and its row. */
  last(prefix: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, prefix)
    return this.#row(lastWithPrefix(this.#tree, prefix))
  }

  /**
   * Yields the index keys that start with `prefix` and their rows, in key order, beginning at the
   * index key `from` (default: the prefix).
   */
  entries(prefix = '', from = prefix): Generator<[string, R], void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    return this.#rows(entriesWithPrefix(this.#tree, prefix, from))
  }

  /**
   * Yields the index keys that start with `prefix` and their rows in reverse order, beginning at
   * the index key `from` (default: the last).
   */
  reversed(prefix: string, from?: string): Generator<[string, R], void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    return this.#rows(reversedWithPrefix(this.#tree, prefix, from))
  }

  rows(prefix = ''): Generator<R, void, undefined> {
    return valuesOf(this.entries(prefix))
  }

  /** Returns the number of index keys from `from` on, without reading rows. */
  countFrom(from: string): number {
    this.#store.observation?.prefix(this.id, '')
    return countFrom(this.#tree, from)
  }

  /** Yields the keys of the index that start with `prefix`, in order, without reading rows. */
  *keys(prefix: string): Generator<string, void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    for (const [indexKey] of entriesWithPrefix(this.#tree, prefix, prefix)) yield indexKey
  }

  /** Returns the names directly below `prefix` in the index keys; see `Table.children`. */
  children(prefix: string): string[] {
    this.#store.observation?.prefix(this.id, prefix)
    return childNames(this.#tree, prefix)
  }

  /**
   * Returns the index keys of a row. The row need not be stored. Returns an empty list if `row` is
   * undefined.
   */
  keysOf(key: string, row: R | undefined): readonly string[] {
    return row === undefined ? noKeys : keyList(this.#definition.keysOf(row, key))
  }

  /**
   * Returns the change of the index that a write or its rollback causes; undefined if the index
   * does not change, which is the most frequent case. Called by the table only.
   */
  changeFor(key: string, before: R | undefined, after: R | undefined): IndexChange | undefined {
    const { keysOf } = this.#definition
    if (before !== undefined && after !== undefined && isUnaffected(keysOf.reads, before, after)) {
      return undefined
    }
    const oldKeys = before === undefined ? undefined : keysOf(before, key)
    const newKeys = after === undefined ? undefined : keysOf(after, key)
    if (oldKeys === newKeys) return undefined
    if (typeof oldKeys !== 'object' && typeof newKeys !== 'object')
      return { key, removed: oldKeys, added: newKeys }
    // A row with several keys may lose only some of them.
    const oldList = keyList(oldKeys)
    const newList = keyList(newKeys)
    const removed = oldList.filter((indexKey) => !newList.includes(indexKey))
    const added = newList.filter((indexKey) => !oldList.includes(indexKey))
    return removed.length + added.length === 0 ? undefined : { key, removed, added }
  }

  /**
   * Throws an `Error` if an added index key belongs to another row. Called by the table's writes
   * only.
   */
  check({ key, added }: IndexChange): void {
    if (typeof added === 'string') this.#checkKey(added, key)
    else if (added !== undefined) for (const indexKey of added) this.#checkKey(indexKey, key)
  }

  #checkKey(indexKey: string, key: string): void {
    const owner = this.#tree.get(indexKey)
    if (owner === undefined || owner === key) return
    throw new Error(`${this.id} has "${indexKey}" twice: of "${owner}" and of "${key}"`)
  }

  /** Applies a change that `changeFor` returned. Called by the table only. */
  apply({ key, removed, added }: IndexChange): void {
    if (this.#shared) this.#tree = writableCopy(this.#tree)
    this.#shared = false
    if (typeof removed === 'string') this.#tree.delete(removed)
    else if (removed !== undefined) for (const indexKey of removed) this.#tree.delete(indexKey)
    if (typeof added === 'string') this.#tree.set(added, key)
    else if (added !== undefined) for (const indexKey of added) this.#tree.set(indexKey, key)
  }

  /**
   * Returns the current content and marks it as shared: the next write copies it first. Called by
   * the table only.
   */
  share(): IndexTree {
    this.#shared = true
    return this.#tree
  }

  /**
   * Replaces the content with the index of a snapshot, which stays unchanged. Called by the table
   * only.
   */
  adopt(tree: IndexTree = emptyTree()): void {
    this.#shared = true
    this.#tree = tree
  }

  #row(entry: readonly [string, string] | undefined): [string, R] | undefined {
    const row = entry === undefined ? undefined : this.#table.peek(entry[1])
    return entry === undefined || row === undefined ? undefined : [entry[0], row]
  }

  *#rows(
    entries: Generator<[string, string], void, undefined>,
  ): Generator<[string, R], void, undefined> {
    for (const [indexKey, key] of entries) {
      const row = this.#table.peek(key)
      if (row !== undefined) yield [indexKey, row]
    }
  }
}

const noKeys: readonly string[] = []

/** Returns true if the index declares which members it reads and no such member has changed. */
function isUnaffected(reads: readonly string[] | undefined, before: Row, after: Row): boolean {
  if (reads === undefined) return false
  for (const name of reads) {
    if (before[name as keyof Row] !== after[name as keyof Row]) return false
  }
  return true
}

function keyList(keys: IndexedKeys): readonly string[] {
  return keys === undefined ? noKeys : typeof keys === 'string' ? [keys] : keys
}

/** Two rows that have the same index key. */
interface Duplicate {
  readonly index: string
  readonly indexKey: string
  /** Keys of the two rows in the table. */
  readonly keys: readonly [string, string]
}

/**
 * Returns pairs of rows that cannot be in one table because their index keys are equal. If more
 * than two rows have a key, each pair contains the first of these rows. Pauses between pieces of
 * the rows.
 */
export function* duplicates<R extends Row>(
  { indexes }: TableDefinition<R>,
  rows: readonly (readonly [string, R])[],
): InParts<readonly Duplicate[]> {
  const found: Duplicate[] = []
  for (const [index, keysOf] of Object.entries<IndexKeyFunction<R>>(indexes)) {
    const owners = new Map<string, string>()
    yield* forEachPiece(rows, (piece) => {
      for (const [key, row] of piece) {
        for (const indexKey of keyList(keysOf(row, key))) {
          const owner = owners.get(indexKey) ?? key
          owners.set(indexKey, owner)
          if (owner !== key) found.push({ index, indexKey, keys: [owner, key] })
        }
      }
    })
  }
  return found
}
