import { memoize } from '../memoize.ts'
import type { JsonSchema } from '../schema.ts'
import type { Shape } from '../shape/kinds.ts'
import { storedSchema } from '../shape/schema.ts'
import type { StoredOf } from '../shape/values.ts'

/** Tables of this service are bookkeeping: they raise no index and stay out of the feed. */
export const kernelService = 'kernel'

/** The id of the agenda's table of appointments. */
export const agendaTable = `${kernelService}.agenda`

/** A row: JSON-plain and never changed in place. */
export type Row = object

/** The keys of an index under which a row stands: one, several, or none when undefined. */
export type IndexedKeys = string | readonly string[] | undefined

/**
 * Under which keys an index has a row, from the row and its key alone. No two rows of a table may have
 * the same key in an index.
 */
export type IndexKeyFunction<R extends Row> = {
  // Written as a method, so that the definition of a table of some rows is one of a table of any.
  of(row: R, key: string): IndexedKeys
}['of'] & {
  /** The members that the keys come from; without it any may be among them. */
  readonly reads?: readonly string[]
}

/**
 * Keys from a few members of rows: `keysFrom<Plant>()(['bed'], ({ bed }, key) => …)`. A write that leaves
 * those as they were leaves the index, too, and its keys are not worked out: worth it for large rows that
 * change often.
 */
export function keysFromMembers<R extends Row>() {
  return <const M extends keyof R & string>(
    reads: readonly M[],
    keysOf: (row: Pick<R, M>, key: string) => IndexedKeys,
  ): IndexKeyFunction<R> => Object.assign((row: R, key: string) => keysOf(row, key), { reads })
}

/** An index as the definition of a table has it. */
export interface IndexDefinition<R extends Row = Row> {
  /** `service.table#index`: how watchers know it. */
  readonly id: string
  readonly name: string
  readonly keysOf: IndexKeyFunction<R>
}

/** Indexes by name. */
type Indexes<R extends Row, Index extends string> = Readonly<Record<Index, IndexKeyFunction<R>>>

/**
 * A table's name and the shape of its rows. Defined once at module level by the service that owns
 * it; the rows themselves live in a world's store.
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
  /** Keys are secrets, or hold some: whoever only looks on sees a fingerprint. */
  readonly secretKeys?: true
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
type RowOf<S> = StoredOf<S> extends infer R extends Row ? R : never

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
  schema: schemaOrFunction,
  indexes = {} as Indexes<R, Index>,
  ...definition
}: TableDeclaration<R, Index, Name>): TableDefinition<R, Index, Name> {
  const id = `${definition.service}.${definition.name}`
  const indexList = Object.entries<IndexKeyFunction<R>>(indexes).map(([name, keysOf]) => {
    return { id: `${id}#${name}`, name, keysOf }
  })
  const schema = memoize(() =>
    typeof schemaOrFunction === 'function' ? schemaOrFunction() : schemaOrFunction,
  )
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
