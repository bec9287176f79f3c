import type { Observing } from './observation.ts'
import type { IndexDefinition, IndexKeys, Row, TableDefinition } from './table.ts'
import {
  childrenBelow,
  copyOf,
  emptyTree,
  entriesBelow,
  reversedBelow,
  type Tree,
  valuesOf,
  writable,
} from './tree.ts'

/** Which row stands under which key of an index: the row's own key in its table. */
export type IndexTree = Tree<string>

/** The table of an index. No observation notes these reads: an index wakes for its rows too. */
interface RowsByKey<R extends Row> {
  peek(key: string): R | undefined
}

/**
 * One index of an open table: its rows under further keys. The table keeps it with every write, so it
 * is undone, snapshot, forked and restored with the rows; it is derived, so exports, the change feed
 * and replication know nothing of it (DESIGN section 2, Store).
 */
export class TableIndex<R extends Row = Row> {
  readonly #definition: IndexDefinition<R>
  readonly #store: Observing
  readonly #table: RowsByKey<R>
  #tree: IndexTree = emptyTree()

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
    return this.entries(prefix).next().value ?? undefined
  }

  /** The last row under a key of the index that starts with `prefix`, with that key. */
  last(prefix: string): [string, R] | undefined {
    return this.reversed(prefix).next().value ?? undefined
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

  /** The names directly below `prefix` among the keys of the index: see `Table.children`. */
  children(prefix: string): string[] {
    this.#store.observation?.prefix(this.id, prefix)
    return childrenBelow(this.#tree, prefix)
  }

  /** The keys of the index under which a row stands, or would. */
  keysOf(key: string, row: R | undefined): readonly string[] {
    return row === undefined ? none : listed(this.#definition.keysOf(row, key))
  }

  /** Refuses a row whose place is another's; for the table's writes only. */
  check(key: string, row: R): void {
    for (const indexKey of this.keysOf(key, row)) {
      const owner = this.#tree.get(indexKey)
      if (owner === undefined || owner === key) continue
      throw new Error(`${this.id} has "${indexKey}" twice: of "${owner}" and of "${key}"`)
    }
  }

  /** Goes along with a write that has been checked, or with its undoing; for the table only. */
  follow(key: string, before: R | undefined, after: R | undefined): void {
    const left = this.keysOf(key, before)
    const taken = this.keysOf(key, after)
    for (const indexKey of left) if (!taken.includes(indexKey)) this.#tree.delete(indexKey)
    if (taken.length > 0) this.#tree = writable(this.#tree)
    for (const indexKey of taken) if (!left.includes(indexKey)) this.#tree.set(indexKey, key)
  }

  /** A copy that shares everything until one of the two is written to. */
  fork(): IndexTree {
    return copyOf(this.#tree)
  }

  /** Takes the contents of another index; for the store's restore only. */
  adopt(tree: IndexTree = emptyTree()): void {
    this.#tree = tree
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

function listed(keys: string | readonly string[] | undefined): readonly string[] {
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
