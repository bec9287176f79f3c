import type { StructShape } from '../../../state/kernel/shape/kinds.ts'
import type { TableDefinition } from '../../../state/kernel/store/table.ts'
import type { Deferred } from '../../../state/kernel/worlds/deferred.ts'
import { uuidFault, uuidPrefix, uuidPrefixFault } from '../../../state/scheduler/acl/uuids.ts'
import { message, refuse } from '../../../state/scheduler/cluster/model/messages.ts'
import { type DataKind, dataIndex } from '../../../state/scheduler/indexes.ts'
import type { Answer } from '../../http/declare/operation.ts'
import { requireCapability } from '../access.ts'
import { namespacesWith } from '../listed-namespaces.ts'
import type { SchedulerContext } from '../operation.ts'
import { pageByCreation } from '../pages.ts'
import type { ReadOptions } from '../query.ts'

/**
 * Refuses what cannot be an ID, as the reference's storage does (behaviour/scheduler#beyond).
 *
 * @param what is looked up: `alloc`, `eval`, `deployment`, `node`, or undefined where the reference
 *   does not say
 */
export function checkId(what: string | undefined, id: string): string {
  const why = uuidFault(id)
  if (why === undefined) return id
  throw lookupFailed(what, why)
}

function lookupFailed(what: string | undefined, why: string) {
  return what === undefined
    ? refuse('prefix-failed', { why })
    : refuse('lookup-failed', { what, why })
}

/**
 * The options of a list of IDs. Refuses a prefix that none can begin with, as the reference's storage
 * does; any other is brought into the form of IDs (behaviour/scheduler#beyond).
 *
 * @param what is looked up: as with `checkId`, or undefined where the reference does not say
 */
export function checkPrefix(what: string | undefined, options: ReadOptions): ReadOptions {
  const { prefix } = options
  const why = uuidPrefixFault(prefix)
  if (why === undefined) return { ...options, prefix: uuidPrefix(prefix) }
  throw lookupFailed(what, why)
}

/** Says how failed look-ups call what lists are of. */
const lookupNames: Readonly<Partial<Record<DataKind, string>>> = {
  allocations: 'alloc',
  evaluations: 'eval',
}

/** A row that belongs to a namespace and was created at some index. */
interface NamespacedRow {
  readonly ID: string
  readonly Namespace: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** Something that is found by its ID alone. */
interface RowLookup<Row extends NamespacedRow> {
  readonly table: TableDefinition<Row>
  readonly kind: DataKind
  /** As refusals call it. */
  readonly what: 'deployment' | 'eval'
  /** As a failed look-up calls it, where that is another way. */
  readonly lookup?: string
}

/**
 * Returns what there is of an ID, which the caller may read; refuses who may not, here or where it
 * belongs.
 */
export function findReadableRow<Row extends NamespacedRow>(
  context: SchedulerContext,
  id: string,
  { table, what, lookup = what }: Pick<RowLookup<Row>, 'table' | 'what' | 'lookup'>,
): Row | undefined {
  const found = context.world.table(table).get(checkId(lookup, id))
  if (found !== undefined) requireCapability(context, found.Namespace, 'read-job')
  return found
}

/** Reads what is found by its ID alone; can block. */
export function readRow<Row extends NamespacedRow>(
  context: SchedulerContext,
  id: string,
  rowLookup: RowLookup<Row>,
): Answer | Deferred<Answer> {
  const { world } = context
  const { kind, what } = rowLookup
  return context.read(() => {
    const found = findReadableRow(context, id, rowLookup)
    if (found !== undefined) return { index: found.ModifyIndex, body: found }
    return { index: dataIndex(world, kind), absent: message(`${what}-not-found`) }
  })
}

/** The list of things of one kind. */
interface RowListing<Row extends NamespacedRow> {
  readonly kind: DataKind
  /** By which filters look at them. */
  readonly shape: StructShape
  /** All that count, whichever their namespace. */
  all(options: ReadOptions): readonly Row[]
  /** The view of one in the request's list; left out: as it is. */
  readonly view?: () => (row: Row) => object
}

/** Lists, in the order of their creation, what is in namespaces that the caller may read; can block. */
export function listRows<Row extends NamespacedRow>(
  context: SchedulerContext,
  { kind, shape, all, view }: RowListing<Row>,
): Answer | Deferred<Answer> {
  const { world } = context
  return context.read((options) => {
    const renderRow = view?.()
    const namespaces = new Set(namespacesWith(context, 'read-job'))
    const readable = all(options).filter(({ Namespace }) => namespaces.has(Namespace))
    const checkedOptions = checkPrefix(lookupNames[kind], options)
    const { items, nextToken } = pageByCreation(readable, shape, checkedOptions)
    const body = renderRow === undefined ? items : items.map((row) => world.derived(row, renderRow))
    return { index: dataIndex(world, kind), body, nextToken }
  })
}

/** Reads what belongs to the job of the request's namespace; can block. */
export function readJobData(
  context: SchedulerContext,
  kind: DataKind,
  read: () => unknown,
): Answer | Deferred<Answer> {
  const { world } = context
  return context.read(() => {
    return { index: dataIndex(world, kind), body: read() }
  })
}
