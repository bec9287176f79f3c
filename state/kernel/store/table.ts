import { memoize } from '../memoize.ts'
import type { JsonSchema } from '../schema.ts'
import { type IntegerForm, integerFormOf } from '../shape/exact-integers.ts'
import type { Shape } from '../shape/kinds.ts'
import { documentSchema } from '../shape/schema.ts'
import type { StoredOf } from '../shape/values.ts'

/**
 * Service of the kernel's bookkeeping tables. Writes to these tables raise no index. Of these
 * writes, the change feed contains only the changes of the agenda's jobs.
 */
export const kernelService = 'kernel'

/** Id of the table in which the agenda keeps its jobs. */
export const agendaTable = `${kernelService}.agenda`

/** A row: plain JSON that is never changed in place. */
export type Row = object

/** Index keys of a row: one, several, or none if undefined. */
export type IndexedKeys = string | readonly string[] | undefined

/**
 * Function that computes the index keys of a row from only the row and its key. Two rows of a table
 * must not have a common key in an index.
 */
export type IndexKeyFunction<R extends Row> = {
  // Declared as a method, so that a definition for specific rows is assignable to one for any rows.
  of(row: R, key: string): IndexedKeys
}['of'] & {
  /** Members from which the keys are computed; all members if left out. */
  readonly reads?: readonly string[]
}

/**
 * Declares index keys that depend on a few members of a row: `keysFromMembers<Plant>()(['bed'], ({
 * bed }, key) => …)`. A write that leaves those members unchanged does not compute the keys, which
 * saves time for large rows that change often.
 */
export function keysFromMembers<R extends Row>() {
  return <const M extends keyof R & string>(
    reads: readonly M[],
    keysOf: (row: Pick<R, M>, key: string) => IndexedKeys,
  ): IndexKeyFunction<R> => Object.assign((row: R, key: string) => keysOf(row, key), { reads })
}

/** An index, as the definition of a table contains it. */
export interface IndexDefinition<R extends Row = Row> {
  /** `service.table#index`: the id that watchers use. */
  readonly id: string
  readonly name: string
  readonly keysOf: IndexKeyFunction<R>
}

type Indexes<R extends Row, Index extends string> = Readonly<Record<Index, IndexKeyFunction<R>>>

/** Name of a member of a row. For a union of row types, a member of any of them. */
type MemberOf<R extends Row> = R extends unknown ? keyof R & string : never

// Location of a secret in a row: the name of a member, or a path into a member, such as
// `versions/*/key`, where `*` is any member or item. Everything below the location is secret.
type SecretMember<R extends Row> = MemberOf<R> | `${MemberOf<R>}/${string}`

/**
 * Secrets of a table, which the journal, events, reports and dumps replace by fingerprints: members
 * of its rows, and the keys of the rows if they contain secrets. Tables without secrets declare
 * `none`.
 */
export type TableSecrets<Member extends string = string> =
  | 'none'
  | { readonly key?: true; readonly members: readonly Member[] }

/** Function that returns a row of any table by key; undefined if no row has the key. */
export type RowReader = <T extends Row>(
  definition: TableDefinition<T>,
  key: string,
) => T | undefined

/**
 * Conversion of a table's rows to and from documents, for rows whose form in documents differs.
 * Documents leave out the parts that a row shares with a row of another table, so that a document
 * is no larger than the state.
 */
export interface DocumentForm<R extends Row> {
  write(row: R, readRow: RowReader): R
  read(row: R, readRow: RowReader): R
}

/**
 * Definition of a table: its name, and the shape, secrets and indexes of its rows. The service that
 * owns the table declares it once, at module level; the rows are in a world's store.
 */
export interface TableDefinition<
  R extends Row = Row,
  Index extends string = never,
  Name extends string = string,
> {
  /**
   * Service that owns the table. A write increments the service's index, unless the table keeps the
   * index or belongs to the kernel. Documents contain the table under the service's name, and
   * tables of the kernel under `world`.
   */
  readonly service: string
  /** Name of the table, unique within the service. */
  readonly name: Name
  /** `service.name`: the id in stores, snapshots and feeds. */
  readonly id: string
  /** Shape of a row, checked when a state document is imported. */
  readonly schema: JsonSchema
  /** True if the rows concern only this world; replication leaves them out. */
  readonly local?: boolean
  /** True if writes to the rows do not raise the index of the service. */
  readonly keepsIndex?: boolean
  readonly document?: DocumentForm<R>
  /** Conversion of the rows' exact integers in documents; undefined if the rows have none. */
  readonly integers?: IntegerForm | undefined
  /** Secrets of which the journal and dumps show fingerprints (behaviour/program#journal). */
  readonly secrets: TableSecrets
  /**
   * Functions that compute the index keys, by name of the index. `table.index(name)` returns the
   * index.
   */
  readonly indexes: Indexes<R, Index>
  /** The indexes as a list, in the order of their declaration. */
  readonly indexList: readonly IndexDefinition<R>[]
  /** Never set; connects the definition with the type of its rows. */
  readonly row?: R
}

/** Members of a definition that a declaration lacks or declares in another form. */
type DerivedMembers = 'row' | 'id' | 'schema' | 'secrets' | 'indexes' | 'indexList'

/** A table as it is declared. A large schema can be a function, which is called on first use. */
interface TableDeclaration<R extends Row, Index extends string, Name extends string>
  extends Omit<TableDefinition<R, Index, Name>, DerivedMembers> {
  readonly secrets: TableSecrets<SecretMember<R>>
  readonly schema: JsonSchema | (() => JsonSchema)
  readonly indexes?: Indexes<R, Index>
}

type RowOf<S> = StoredOf<S> extends infer R extends Row ? R : never

/** A declaration with the shape of a row, from which the row's type and schema follow. */
interface ShapedDeclaration<S, Index extends string, Name extends string>
  extends Omit<TableDeclaration<RowOf<S>, Index, Name>, 'schema'> {
  readonly shape: S
}

/** Members of a table's declaration other than service, name and shape. */
type TableOptions<S, Index extends string> = Omit<
  ShapedDeclaration<S, Index, string>,
  'service' | 'name' | 'shape'
>

/**
 * Declares a table: `defineTable({ service, name, secrets, shape, indexes })`. Keep the result at
 * module level; `store.table(definition)` opens it.
 */
export function defineTable<
  const S extends Shape,
  const Name extends string,
  const Index extends string = never,
>(declaration: ShapedDeclaration<S, Index, Name>): TableDefinition<RowOf<S>, Index, Name>
/**
 * Declares a table by a type and a schema: `defineTable<Plant>()({ service, name, secrets,
 * schema, indexes })`.
 */
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
  return define({ ...rest, ...shapeMembers(shape) })
}

/** Returns a function that declares the tables of a service by name, shape, secrets and indexes. */
export function tablesFor(service: string) {
  return <const S extends Shape, const Name extends string, const Index extends string = never>(
    name: Name,
    shape: S,
    options: TableOptions<S, Index>,
  ): TableDefinition<RowOf<S>, Index, Name> =>
    define({ service, name, ...shapeMembers(shape), ...options })
}

/** Returns the members of a declaration that follow from the shape of the rows. */
function shapeMembers(shape: Shape) {
  return { schema: () => documentSchema(shape), integers: integerFormOf(shape) }
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

/**
 * Tables in the form that state documents contain: rows by the name of the table and the key of the
 * row.
 */
export type TablesOf<Definition extends { readonly name: string; readonly row?: Row }> = {
  readonly [One in Definition as One['name']]: Readonly<Record<string, NonNullable<One['row']>>>
}
