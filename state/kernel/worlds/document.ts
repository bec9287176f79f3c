import { optionRows } from '../options/options.ts'
import { forEachPiece, type InParts, isInParts } from '../parts.ts'
import type { StoreSnapshot } from '../store/open-table.ts'
import { Store } from '../store/store.ts'
import type { Row, RowReader, TableDefinition } from '../store/table.ts'
import { agendaTables, retiredAgendaTables } from '../time/agenda.ts'
import { Clock, type ClockState } from '../time/clock.ts'
import { timings } from '../time/transitions.ts'
import { PartLoader } from './document-loading.ts'
import { type IdState, Ids } from './ids.ts'
import type { ServiceDefinitionOf } from './service-definition.ts'

/**
 * Rows of a service's tables, by name of the table and key of the row. If a document contains a
 * table, it contains all rows of that table.
 */
type TableDocument = Readonly<Record<string, Readonly<Record<string, Row>>>>

/** One service's part of a document: exact rows, short forms that the service defines, or both. */
export interface ServiceDocument {
  readonly tables?: TableDocument
  readonly [shortForm: string]: unknown
}

/** Version of the format of state documents. An incompatible change increments it. */
export const documentFormat = 1

/**
 * A world as a document: the output of an export, and the form of fixtures
 * (behaviour/program#fixtures). A part that is left out has its initial content.
 */
export interface StateDocument {
  /** Version of the document's format; 1 if left out. */
  readonly format?: number
  /**
   * Clock, ids, indexes, position in the change feed, pending jobs and timings of transitions, so
   * that an imported world continues exactly where the exported one stopped.
   */
  readonly world?: {
    readonly clock?: ClockState
    readonly ids?: IdState
    readonly sequence?: number
    readonly indexes?: Readonly<Record<string, number>>
    readonly tables?: TableDocument
  }
  readonly options?: Readonly<Record<string, object>>
  readonly [service: string]: unknown
}

/** Kernel tables that a document contains. Options have a member of their own. */
export const kernelTables: readonly TableDefinition[] = [...agendaTables, timings]

/** Kernel tables that documents of earlier versions contain; an import accepts and ignores them. */
export const retiredKernelTables: readonly string[] = retiredAgendaTables

/** The members of a world that importing and exporting use. */
export interface DocumentedWorld {
  readonly store: Store
  readonly clock: Clock
  readonly ids: Ids
  readonly services: readonly ServiceDefinitionOf<never>[]
}

/** Returns a world as it was at a snapshot, for exporting only. */
export function worldAtSnapshot(
  { services }: Pick<DocumentedWorld, 'services'>,
  snapshot: { readonly store: StoreSnapshot; readonly clock: ClockState; readonly ids: IdState },
): DocumentedWorld {
  const [store, clock, ids] = [new Store(), new Clock(), new Ids('')]
  store.restore(snapshot.store)
  clock.state = snapshot.clock
  ids.state = snapshot.ids
  return { store, clock, ids, services }
}

/**
 * Returns the whole world as a document. Importing the document and exporting again returns the
 * same bytes.
 */
export function exportWorld(world: DocumentedWorld): StateDocument {
  return exportWith(world, (rows) => Object.fromEntries(rows()))
}

/**
 * Returns the whole world as a document in which `tableOf` determines the form of the tables. A
 * form that reads rows lazily requires that the world does not change until the document is
 * written.
 */
export function exportWith<T>(world: DocumentedWorld, tableOf: TableForm<T>) {
  const services = world.services.map((service) => [
    service.name,
    { tables: exportTables(world, service.tables, tableOf) },
  ])
  return {
    format: documentFormat,
    world: {
      clock: world.clock.state,
      ids: world.ids.state,
      sequence: world.store.sequence,
      indexes: Object.fromEntries(
        world.services.map(({ name }) => [name, world.store.index(name)] as const),
      ),
      tables: exportTables(world, kernelTables, tableOf),
    },
    options: Object.fromEntries(world.store.table(optionRows).entries()),
    ...Object.fromEntries(services),
  }
}

/** Returns one service's part of the document: all its tables, with their rows as plain objects. */
export function exportService(
  world: DocumentedWorld,
  service: { readonly tables: readonly TableDefinition[] },
): ServiceDocument {
  return { tables: exportTables(world, service.tables, (rows) => Object.fromEntries(rows())) }
}

/**
 * Loads the rows and short forms of a validated document into a world, with pauses. Must run inside
 * a transaction.
 *
 * @param onPartLoaded called after each part of the short forms
 * @throws {Mistakes} with everything that the services refuse
 */
export function* loadDocument<
  W extends DocumentedWorld & { readonly services: readonly ServiceDefinitionOf<W>[] },
>(world: W, document: StateDocument, onPartLoaded?: () => void): InParts<void> {
  const loader = new PartLoader((load) => world.store.transact(load), onPartLoaded)
  yield* loadTables(world, kernelTables, document.world?.tables)
  for (const service of world.services) {
    const part = document[service.name] as ServiceDocument | undefined
    if (part === undefined) continue
    const { tables, ...shortForms } = part
    yield* loadTables(world, service.tables, tables)
    const work = service.load(world, shortForms, loader.part)
    if (isInParts(work)) yield* work
  }
  loader.end()
}

/**
 * Sets the clock, the ids, the services' indexes and the position in the change feed from a
 * validated document. Values that the document leaves out stay unchanged.
 */
export function loadPositions(world: DocumentedWorld, { world: worldPart }: StateDocument): void {
  if (worldPart === undefined) return
  if (worldPart.clock !== undefined) world.clock.state = worldPart.clock
  if (worldPart.ids !== undefined) world.ids.state = worldPart.ids
  for (const [service, index] of Object.entries(worldPart.indexes ?? {})) {
    world.store.setIndex(service, index)
  }
  if (worldPart.sequence !== undefined) world.store.feed.restart(worldPart.sequence)
}

/**
 * Sets a service's index to the highest index of the loaded rows, if that is above the service's
 * next index. `loadPositions` later sets the indexes that the document contains.
 */
export function raiseIndex(
  { store }: Pick<DocumentedWorld, 'store'>,
  service: string,
  rows: Iterable<{ readonly index: number }>,
): void {
  let last = 0
  for (const { index } of rows) last = Math.max(last, index)
  if (last > store.nextIndex(service)) store.setIndex(service, last)
}

/**
 * Function that returns the form of one table in a document. `rows` returns the table's rows with
 * their keys.
 */
export type TableForm<T> = (rows: () => Iterable<readonly [string, Row]>) => T

/** Returns tables by name, each in the form that `tableOf` gives it. */
export function exportTables<T>(
  { store }: Pick<DocumentedWorld, 'store'>,
  definitions: readonly TableDefinition[],
  tableOf: TableForm<T>,
): Record<string, T> {
  return Object.fromEntries(
    definitions.map((definition) => [definition.name, tableOf(() => rowsOf(store, definition))]),
  )
}

function rowsOf(store: Store, definition: TableDefinition): Iterable<readonly [string, Row]> {
  const entries = store.table(definition).entries()
  const { document, integers } = definition
  return document === undefined && integers === undefined
    ? entries
    : writtenRows(store, entries, definition)
}

function* writtenRows(
  store: Store,
  entries: Iterable<readonly [string, Row]>,
  { document, integers }: TableDefinition,
): Generator<readonly [string, Row]> {
  for (const [key, row] of entries) {
    const output = document === undefined ? row : document.write(row, rowReaderOf(store))
    yield [key, integers === undefined ? output : (integers.write(output) as Row)]
  }
}

const rowReaderOf =
  (store: Store): RowReader =>
  (definition, key) =>
    store.table(definition).get(key)

/**
 * Replaces all rows of each table in a valid document by the document's rows, with pauses. Other
 * tables stay unchanged. Rules are not applied; see `Store.writeWithoutRules`. Must run inside a
 * transaction.
 */
export function* loadTables(
  { store }: Pick<DocumentedWorld, 'store'>,
  definitions: readonly TableDefinition[],
  document: TableDocument | undefined,
): InParts<void> {
  // Rows with a special form in documents are read last, because they refer to rows of other
  // tables.
  const definitionsInOrder = [...definitions].sort(
    (a, b) => Number(!!a.document) - Number(!!b.document),
  )
  for (const definition of definitionsInOrder) {
    const rows = document?.[definition.name]
    if (rows === undefined) continue
    const table = store.table(definition)
    const { document: form, integers } = definition
    const keysBefore = Array.from(table.entries(), ([key]) => key)
    yield* forEachPiece(keysBefore, (keys) =>
      store.writeWithoutRules(() => {
        for (const key of keys) table.delete(key)
      }),
    )
    yield* forEachPiece(Object.entries(rows), (entries) =>
      store.writeWithoutRules(() => {
        for (const [key, input] of entries) {
          const row = integers === undefined ? input : (integers.read(input) as Row)
          table.put(key, form === undefined ? row : form.read(row, rowReaderOf(store)))
        }
      }),
    )
  }
}
