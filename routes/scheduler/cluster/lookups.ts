import type { StructShape } from '../../../state/kernel/shape/kinds.ts'
import type { TableDefinition } from '../../../state/kernel/store/table.ts'
import type { Deferred } from '../../../state/kernel/worlds/deferred.ts'
import { uuidError, uuidPrefix, uuidPrefixError } from '../../../state/scheduler/acl/uuids.ts'
import { message, refuse } from '../../../state/scheduler/cluster/model/messages.ts'
import { type DataKind, dataIndex } from '../../../state/scheduler/indexes.ts'
import type { Answer } from '../../http/declare/operation.ts'
import { requireCapability } from '../access.ts'
import type { SchedulerContext } from '../operation.ts'
import type { ReadOptions } from '../query.ts'
import { namespacesWith, pageByCreation, readFoundObject } from '../reads.ts'

/**
 * Returns the ID unchanged. Throws a refusal for a malformed ID, with the error of the reference's
 * storage (behaviour/scheduler#beyond).
 *
 * @param noun kind of object in messages; undefined for messages without the kind
 */
export function checkId(noun: string | undefined, id: string): string {
  if (id === '' && (noun === 'node' || noun === 'deployment')) throw refuse(`${noun}-id-missing`)
  const why = uuidError(id)
  if (why === undefined) return id
  throw lookupFailure(noun, why)
}

/**
 * Throws a refusal if the path of an allocation has segments after the ID. As in the reference, the
 * refusal does not depend on the method.
 */
export function checkAllocationPath({ id = '' }: Readonly<Record<string, string>>): void {
  if (id.includes('/')) throw refuse('allocation-resource-unknown')
}

function lookupFailure(noun: string | undefined, why: string) {
  return noun === undefined
    ? refuse('prefix-failed', { why })
    : refuse('lookup-failed', { what: noun, why })
}

/**
 * Returns the options of a list request with the ID prefix in canonical form. For a prefix that no
 * ID can have, throws a refusal with the error of the reference's storage
 * (behaviour/scheduler#beyond).
 *
 * @param noun kind of object, as in `checkId`
 */
export function checkPrefix(noun: string | undefined, options: ReadOptions): ReadOptions {
  const { prefix } = options
  const why = uuidPrefixError(prefix)
  if (why === undefined) return { ...options, prefix: uuidPrefix(prefix) }
  throw lookupFailure(noun, why)
}

/**
 * Names of kinds of data in messages about invalid ID prefixes. For other kinds, such messages do
 * not name the kind.
 */
const kindNouns: Readonly<Partial<Record<DataKind, string>>> = {
  allocations: 'alloc',
  evaluations: 'eval',
}

interface NamespacedRow {
  readonly ID: string
  readonly Namespace: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** Parameters for reading objects of one kind by ID, regardless of the namespace of the request. */
interface RowLookup<Row extends NamespacedRow> {
  readonly table: TableDefinition<Row>
  readonly kind: DataKind
  /** Name of the kind in messages of refusals. */
  readonly noun: 'deployment' | 'eval'
  /** Name of the kind in messages about failed look-ups, if it differs from `noun`. */
  readonly lookupNoun?: string
}

/**
 * Returns the object with an ID; undefined if no object has the ID. Throws a refusal if the ID is
 * malformed or if the caller may not read jobs in the namespace of the object.
 */
export function findReadableRow<Row extends NamespacedRow>(
  context: SchedulerContext,
  id: string,
  { table, noun, lookupNoun = noun }: Pick<RowLookup<Row>, 'table' | 'noun' | 'lookupNoun'>,
): Row | undefined {
  const found = context.world.table(table).get(checkId(lookupNoun, id))
  if (found !== undefined) requireCapability(context, found.Namespace, 'read-job')
  return found
}

/** Answers a blocking read of an object by its ID. The namespace of the request is ignored. */
export function readRow<Row extends NamespacedRow>(
  context: SchedulerContext,
  id: string,
  rowLookup: RowLookup<Row>,
  view?: (row: Row) => object,
): Answer | Deferred<Answer> {
  const find = () => findReadableRow(context, id, rowLookup)
  return readFoundObject(
    context,
    rowLookup.kind,
    find,
    message(`${rowLookup.noun}-not-found`),
    view,
  )
}

/** Parameters for listing the objects of one kind. */
interface RowListing<Row extends NamespacedRow> {
  readonly kind: DataKind
  /** Shape whose members filter expressions can name. */
  readonly shape: StructShape
  /** Returns the objects of all namespaces. */
  all(options: ReadOptions): readonly Row[]
  /**
   * Returns a function that renders a row for this request. By default, rows are sent unchanged.
   */
  readonly view?: () => (row: Row) => object
}

/**
 * Answers a blocking list request with the objects in the namespaces that the caller may read. The
 * objects are in order of creation or, if the request has a prefix, of ID. Throws a refusal for a
 * prefix that no ID can have.
 */
export function listRows<Row extends NamespacedRow>(
  context: SchedulerContext,
  { kind, shape, all, view }: RowListing<Row>,
): Answer | Deferred<Answer> {
  const { world } = context
  return context.read((options) => {
    const renderRow = view?.()
    const namespaces = new Set(namespacesWith(context, 'read-job'))
    const readable = all(options).filter(({ Namespace }) => namespaces.has(Namespace))
    const checkedOptions = checkPrefix(kindNouns[kind], options)
    const { items, nextToken } = pageByCreation(readable, shape, checkedOptions)
    const body = renderRow === undefined ? items : items.map((row) => world.derived(row, renderRow))
    return { index: dataIndex(world, kind), body, nextToken }
  })
}
