import sortedBtree from 'sorted-btree'
import { once } from './once.ts'
import type { JsonSchema } from './schema.ts'

/** A row: JSON-plain and never changed in place. */
export type Row = object

/**
 * What a table is called and what its rows look like. Defined once at module level by the service
 * that owns it; the rows themselves live in a world's store.
 */
export interface TableDefinition<R extends Row = Row> {
  /** The service whose index a write raises, and under whose name the table is exported. */
  readonly service: string
  /** Unique within the service. */
  readonly name: string
  /** `service.name`: how stores, snapshots and feeds know the table. */
  readonly id: string
  /** Shape of a row, checked when a state document is imported. */
  readonly schema: JsonSchema
  /** The rows are about this one world alone: replication to another leaves them out. */
  readonly local?: boolean
  /** Only in the type: ties a table's rows to its definition. */
  readonly row?: R
}

/** A table as it is declared. A large schema can be a function, which is called when it is needed. */
type TableDeclaration<R extends Row> = Omit<TableDefinition<R>, 'row' | 'id' | 'schema'> & {
  readonly schema: JsonSchema | (() => JsonSchema)
}

/** Declares a table. Keep the result at module level; `store.table(definition)` opens it. */
export function defineTable<R extends Row>({
  schema: declared,
  ...definition
}: TableDeclaration<R>): TableDefinition<R> {
  const schema = once(() => (typeof declared === 'function' ? declared() : declared))
  return {
    ...definition,
    id: `${definition.service}.${definition.name}`,
    get schema() {
      return schema()
    },
  }
}

/** A sorted map with copy-on-write clones. Keys sort by UTF-16 code unit. */
export type Tree = InstanceType<typeof sortedBtree.default<string, Row>>

function emptyTree(): Tree {
  return new sortedBtree.default<string, Row>(undefined, compareKeys)
}

function compareKeys(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The first key after all that start with `prefix`; undefined when there is none. */
function behind(prefix: string): string | undefined {
  const kept = prefix.replace(/\uffff+$/, '')
  if (kept === '') return undefined
  const last = kept.length - 1
  return kept.slice(0, last) + String.fromCharCode(kept.charCodeAt(last) + 1)
}

/** Told of every write before it happens; undoing and the change feed hang on it. */
export interface WriteLog {
  record(table: Table, key: string, before: Row | undefined, after: Row | undefined): void
}

/**
 * One open table of one world. Reads are direct; writes only work inside a transaction of the store
 * and are undone with it.
 */
export class Table<R extends Row = Row> {
  readonly definition: TableDefinition<R>
  readonly id: string
  readonly #log: WriteLog
  #tree: Tree

  constructor(definition: TableDefinition<R>, log: WriteLog, tree: Tree = emptyTree()) {
    this.definition = definition
    this.id = definition.id
    this.#log = log
    this.#tree = tree
  }

  get size(): number {
    return this.#tree.size
  }

  get(key: string): R | undefined {
    return this.#tree.get(key) as R | undefined
  }

  has(key: string): boolean {
    return this.#tree.has(key)
  }

  /** The row with the greatest key that is at most `key`. */
  floor(key: string): [string, R] | undefined {
    return this.#tree.getPairOrNextLower(key) as [string, R] | undefined
  }

  /** The row with the smallest key that is at least `key`. */
  ceiling(key: string): [string, R] | undefined {
    return this.#tree.getPairOrNextHigher(key) as [string, R] | undefined
  }

  /** All rows whose key starts with `prefix`, in key order, from `from` on (a key, default: the prefix). */
  *entries(prefix = '', from = prefix): Generator<[string, R], void, undefined> {
    for (const entry of this.#tree.entries(from < prefix ? prefix : from)) {
      if (!entry[0].startsWith(prefix)) return
      yield entry as [string, R]
    }
  }

  /** The rows whose key starts with `prefix`, last first, from `from` on (a key, default: the last). */
  *reversed(prefix: string, from?: string): Generator<[string, R], void, undefined> {
    const end = behind(prefix)
    const start = from === undefined || (end !== undefined && from >= end) ? end : from
    for (const entry of this.#tree.entriesReversed(start, undefined, start === end)) {
      if (!entry[0].startsWith(prefix)) return
      yield entry as [string, R]
    }
  }

  *rows(prefix = ''): Generator<R, void, undefined> {
    for (const [, row] of this.entries(prefix)) yield row
  }

  /**
   * The names directly below `prefix`, which must end where a name starts: `a` for a leaf, `b/` for
   * everything below a folder. Costs a look-up per name, however much the folders hold.
   */
  children(prefix: string): string[] {
    const names: string[] = []
    let next = this.#tree.entries(prefix)
    for (;;) {
      const { value: entry, done } = next.next()
      if (done || !entry[0].startsWith(prefix)) return names
      const slash = entry[0].indexOf('/', prefix.length)
      if (slash < 0) {
        names.push(entry[0].slice(prefix.length))
        continue
      }
      names.push(entry[0].slice(prefix.length, slash + 1))
      // '0' is the character after '/': the first key that can lie behind the folder.
      next = this.#tree.entries(entry[0].slice(0, slash) + '0')
    }
  }

  put(key: string, row: R): void {
    this.#log.record(this, key, this.#tree.get(key), row)
    this.#tree.set(key, row)
  }

  /** True when there was such a row. */
  delete(key: string): boolean {
    const before = this.#tree.get(key)
    if (before === undefined) return false
    this.#log.record(this, key, before, undefined)
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
    if (before === undefined) this.#tree.delete(key)
    else this.#tree.set(key, before)
  }

  /** A copy that shares everything until one of the two is written to. */
  fork(): Tree {
    return this.#tree.clone()
  }

  /** Takes the contents of another tree; for the store's restore only. */
  adopt(tree: Tree = emptyTree()): void {
    this.#tree = tree
  }
}
