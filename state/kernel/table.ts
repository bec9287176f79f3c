import type { Observation } from './observation.ts'
import { once } from './once.ts'
import type { JsonSchema } from './schema.ts'
import type { Shape } from './shape/kinds.ts'
import { storedSchema } from './shape/schema.ts'
import type { Stored } from './shape/values.ts'
import { type IndexDefinition, type IndexKeys, type IndexTree, TableIndex } from './table-index.ts'
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

/** A row: JSON-plain and never changed in place. */
export type Row = object

/** Indexes by name. */
type Indexes<R extends Row, Index extends string> = Readonly<Record<Index, IndexKeys<R>>>

/**
 * What a table is called and what its rows look like. Defined once at module level by the service
 * that owns it; the rows themselves live in a world's store.
 */
export interface TableDefinition<
  R extends Row = Row,
  Index extends string = never,
  Name extends string = string,
> {
  /** The service whose index a write raises, and under whose name the table is exported. */
  readonly service: string
  /** Unique within the service. */
  readonly name: Name
  /** `service.name`: how stores, snapshots and feeds know the table. */
  readonly id: string
  /** Shape of a row, checked when a state document is imported. */
  readonly schema: JsonSchema
  /** The rows are about this one world alone: replication to another leaves them out. */
  readonly local?: boolean
  /** Further keys of the rows: `table.index(name)` reads by them. */
  readonly indexes: Indexes<R, Index>
  /** The same as a list, in the order of their declaration. */
  readonly indexList: readonly IndexDefinition<R>[]
  /** Only in the type: ties a table's rows to its definition. */
  readonly row?: R
}

/** A table as it is declared. A large schema can be a function, which is called when it is needed. */
interface TableDeclaration<R extends Row, Index extends string, Name extends string>
  extends Omit<TableDefinition<R, Index, Name>, 'row' | 'id' | 'schema' | 'indexes' | 'indexList'> {
  readonly schema: JsonSchema | (() => JsonSchema)
  readonly indexes?: Indexes<R, Index>
}

/** The rows of a shape. */
type RowOf<S> = Stored<S> extends infer R extends Row ? R : never

/** A table that is declared by the shape of its rows. */
interface ShapedDeclaration<S, Index extends string, Name extends string>
  extends Omit<TableDeclaration<RowOf<S>, Index, Name>, 'schema'> {
  readonly shape: S
}

/**
 * Declares a table: `defineTable({ service, name, shape, indexes })`. Keep the result at module level;
 * `store.table(definition)` opens it.
 */
export function defineTable<
  const S extends Shape,
  const Name extends string,
  const Index extends string = never,
>(declaration: ShapedDeclaration<S, Index, Name>): TableDefinition<RowOf<S>, Index, Name>
/** The same by a type and a schema: `defineTable<Plant>()({ service, name, schema, indexes })`. */
export function defineTable<R extends Row>(): <
  const Name extends string,
  const Index extends string = never,
>(
  declaration: TableDeclaration<R, Index, Name>,
) => TableDefinition<R, Index, Name>
export function defineTable(
  declaration?: Omit<TableDeclaration<Row, never, string>, 'schema'> & { readonly shape: Shape },
): unknown {
  if (declaration === undefined) return define
  const { shape, ...rest } = declaration
  return define({ ...rest, schema: () => storedSchema(shape) })
}

function define<R extends Row, Index extends string = never, Name extends string = string>({
  schema: declared,
  indexes = {} as Indexes<R, Index>,
  ...definition
}: TableDeclaration<R, Index, Name>): TableDefinition<R, Index, Name> {
  const id = `${definition.service}.${definition.name}`
  const indexList = Object.entries<IndexKeys<R>>(indexes).map(([name, keysOf]) => {
    return { id: `${id}#${name}`, name, keysOf }
  })
  const schema = once(() => (typeof declared === 'function' ? declared() : declared))
  return {
    ...definition,
    id,
    indexes,
    indexList,
    get schema() {
      return schema()
    },
  }
}

/** The rows of some tables by name and key, as state documents have them. */
export type TablesOf<Definition extends { readonly name: string; readonly row?: Row }> = {
  readonly [One in Definition as One['name']]: Readonly<Record<string, NonNullable<One['row']>>>
}

/** What a table holds at one moment: its rows, and its indexes in the order of their declaration. */
export interface TableContent {
  readonly tree: Tree<Row>
  readonly indexes: readonly IndexTree[]
}

/** What the tables of a store are told and tell. */
export interface StoreAccess {
  /** Told of every write before it happens; undoing and the change feed hang on it. */
  record(table: Table, key: string, before: Row | undefined, after: Row | undefined): void
  /** Notes what is read, while somebody wants to know. */
  readonly observation: Observation | undefined
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
    return this.entries(prefix).next().value ?? undefined
  }

  /** The last row whose key starts with `prefix`. */
  last(prefix: string): [string, R] | undefined {
    return this.reversed(prefix).next().value ?? undefined
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
    for (const index of this.#indexes) index.check(key, row)
    this.#store.record(this, key, before, row)
    this.#changes += 1
    this.#tree = writable(this.#tree)
    this.#tree.set(key, row)
    for (const index of this.#indexes) index.follow(key, before, row)
  }

  /** True when there was such a row. */
  delete(key: string): boolean {
    const before = this.peek(key)
    if (before === undefined) return false
    this.#store.record(this, key, before, undefined)
    this.#changes += 1
    for (const index of this.#indexes) index.follow(key, before, undefined)
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
    for (const index of this.#indexes) index.follow(key, this.peek(key), before as R | undefined)
    this.#tree = writable(this.#tree)
    if (before === undefined) this.#tree.delete(key)
    else this.#tree.set(key, before)
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
