import type { Observing } from './observation.ts'
import type { IndexDefinition, IndexKeys, Keys, Row, TableDefinition } from './table.ts'
import {
  childrenBelow,
  emptyTree,
  entriesBelow,
  firstBelow,
  lastBelow,
  ownTree,
  reversedBelow,
  type Tree,
  valuesOf,
} from './tree.ts'

/** Which row stands under which key of an index: the row's own key in its table. */
export type IndexTree = Tree<string>

/**
 * The move of an index along with a write: the keys under which the row stands no longer, and now.
 */
export interface IndexMove {
  /** The row's own key in its table. */
  readonly key: string
  readonly left: Keys
  readonly taken: Keys
}

/** The table of an index. No observation notes these reads: an index wakes for its rows too. */
interface RowsByKey<R extends Row> {
  peek(key: string): R | undefined
}

/**
 * One index of an open table: its rows under further keys. The table keeps it with every write, so it
 * is undone, snapshot, forked and restored with the rows; it is derived, so exports, the change feed
 * and replication know nothing of it (behaviour/program#store).
 */
export class TableIndex<R extends Row = Row> {
  readonly #definition: IndexDefinition<R>
  readonly #store: Observing
  readonly #table: RowsByKey<R>
  #tree: IndexTree = emptyTree()
  /** Whether others may have the tree too. */
  #shared = true

  constructor(definition: IndexDefinition<R>, store: Observing, table: RowsByKey<R>) {
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

  /** The row under a key of the index. */
  get(indexKey: string): R | undefined {
    const key = this.keyOf(indexKey)
    return key === undefined ? undefined : this.#table.peek(key)
  }

  /** The key in the table of the row under a key of the index. */
  keyOf(indexKey: string): string | undefined {
    this.#store.observation?.key(this.id, indexKey)
    return this.#tree.get(indexKey)
  }

  has(indexKey: string): boolean {
    this.#store.observation?.key(this.id, indexKey)
    return this.#tree.has(indexKey)
  }

  /** The first row under a key of the index that starts with `prefix`, with that key. */
  first(prefix: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, prefix)
    return this.#row(firstBelow(this.#tree, prefix))
  }

  /** The last row under a key of the index that starts with `prefix`, with that key. */
  last(prefix: string): [string, R] | undefined {
    this.#store.observation?.prefix(this.id, prefix)
    return this.#row(lastBelow(this.#tree, prefix))
  }

  /**
   * The rows under keys of the index that start with `prefix`, each with that key, in the order of
   * those keys, from `from` on (one of them, default: the prefix).
   */
  entries(prefix = '', from = prefix): Generator<[string, R], void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    return this.#rows(entriesBelow(this.#tree, prefix, from))
  }

  /** The same, last first, from `from` on (a key of the index, default: the last). */
  reversed(prefix: string, from?: string): Generator<[string, R], void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    return this.#rows(reversedBelow(this.#tree, prefix, from))
  }

  rows(prefix = ''): Generator<R, void, undefined> {
    return valuesOf(this.entries(prefix))
  }

  /** The keys of the index that start with `prefix`, in their order: for what they say by themselves. */
  *keys(prefix: string): Generator<string, void, undefined> {
    this.#store.observation?.prefix(this.id, prefix)
    for (const [indexKey] of entriesBelow(this.#tree, prefix, prefix)) yield indexKey
  }

  /** The names directly below `prefix` among the keys of the index: see `Table.children`. */
  children(prefix: string): string[] {
    this.#store.observation?.prefix(this.id, prefix)
    return childrenBelow(this.#tree, prefix)
  }

  /** The keys of the index under which a row stands, or would. */
  keysOf(key: string, row: R | undefined): readonly string[] {
    return row === undefined ? none : listed(this.#definition.keysOf(row, key))
  }

  /**
   * Works out how the index goes along with a write, or with its undoing; undefined when it stays as
   * it is, as with most writes. For the table only.
   */
  moveOf(key: string, before: R | undefined, after: R | undefined): IndexMove | undefined {
    const { keysOf } = this.#definition
    if (before !== undefined && after !== undefined && isLeft(keysOf.reads, before, after)) {
      return undefined
    }
    const was = before === undefined ? undefined : keysOf(before, key)
    const is = after === undefined ? undefined : keysOf(after, key)
    if (was === is) return undefined
    if (typeof was !== 'object' && typeof is !== 'object') return { key, left: was, taken: is }
    // Several keys of a row may go in part.
    const old = listed(was)
    const now = listed(is)
    const left = old.filter((indexKey) => !now.includes(indexKey))
    const taken = now.filter((indexKey) => !old.includes(indexKey))
    return left.length + taken.length === 0 ? undefined : { key, left, taken }
  }

  /** Refuses a row whose place is another's; for the table's writes only. */
  check({ key, taken }: IndexMove): void {
    if (typeof taken === 'string') this.#checkKey(taken, key)
    else if (taken !== undefined) for (const indexKey of taken) this.#checkKey(indexKey, key)
  }

  #checkKey(indexKey: string, key: string): void {
    const owner = this.#tree.get(indexKey)
    if (owner === undefined || owner === key) return
    throw new Error(`${this.id} has "${indexKey}" twice: of "${owner}" and of "${key}"`)
  }

  /** Goes along with a write; for the table only. */
  follow({ key, left, taken }: IndexMove): void {
    if (this.#shared) this.#tree = ownTree(this.#tree)
    this.#shared = false
    if (typeof left === 'string') this.#tree.delete(left)
    else if (left !== undefined) for (const indexKey of left) this.#tree.delete(indexKey)
    if (typeof taken === 'string') this.#tree.set(taken, key)
    else if (taken !== undefined) for (const indexKey of taken) this.#tree.set(indexKey, key)
  }

  /** The contents as they are now, which stay so: the next write is to a copy. For the table only. */
  share(): IndexTree {
    this.#shared = true
    return this.#tree
  }

  /** Takes the contents of another index, which stay as they are; for the table only. */
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

const none: readonly string[] = []

/** Tells whether the members that matter to an index, as far as it names them, are as they were. */
function isLeft(reads: readonly string[] | undefined, before: Row, after: Row): boolean {
  if (reads === undefined) return false
  for (const name of reads) {
    if (before[name as keyof Row] !== after[name as keyof Row]) return false
  }
  return true
}

function listed(keys: Keys): readonly string[] {
  return keys === undefined ? none : typeof keys === 'string' ? [keys] : keys
}

/** Two rows that an index cannot both have. */
interface Duplicate {
  readonly index: string
  readonly indexKey: string
  /** Their keys in the table. */
  readonly keys: readonly [string, string]
}

/** The rows among some of a table, each valid by itself, that cannot be in it together. */
export function* duplicates<R extends Row>(
  { indexes }: TableDefinition<R>,
  rows: readonly (readonly [string, R])[],
): Generator<Duplicate, void, undefined> {
  for (const [index, keysOf] of Object.entries<IndexKeys<R>>(indexes)) {
    const owners = new Map<string, string>()
    for (const [key, row] of rows) {
      for (const indexKey of listed(keysOf(row, key))) {
        const owner = owners.get(indexKey) ?? key
        owners.set(indexKey, owner)
        if (owner !== key) yield { index, indexKey, keys: [owner, key] }
      }
    }
  }
}
