import { sortableNumber } from '../../kernel/sortable-number.ts'
import { defineRule } from '../../kernel/store/rules.ts'
import {
  defineTable,
  kernelService,
  type Row,
  type TableDefinition,
} from '../../kernel/store/table.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { allocations, nodes } from '../cluster/model/tables.ts'
import { nextIndex } from '../indexes.ts'
import { optionsOf } from '../options.ts'
import { jobs } from '../records/tables.ts'
import { changedRows, type EventChange, eventTables, type NodeRow } from './changed-rows.ts'
import { isReported } from './cluster-lines.ts'
import { eventLines } from './lines.ts'
import type { EventLine } from './stream-events.ts'

/** The changes of one commit that may cause events. */
interface BufferedCommit {
  readonly index: number
  /**
   * Type of all events of the commit. Undefined if the changes determine the type; an empty string
   * means that the commit has no events.
   */
  readonly type?: string
  readonly changes: readonly EventChange[]
  /** Nodes whose clients reported the changed allocations. */
  readonly reporters: readonly NodeRow[]
}

/**
 * The last commits with events, by padded index (behaviour/scheduler#event-stream). The rows refer
 * to the changed rows, from which the event lines are built when a client reads the stream. The
 * table is part of snapshots, but not of exports.
 */
const bufferedCommits = defineTable<BufferedCommit>()({
  service: kernelService,
  name: 'scheduler-events',
  secrets: 'none',
  // Exports do not contain the table, so imports never need this schema.
  schema: { type: 'object' },
})

/**
 * Rule that adds each commit that may have events to the buffer. The rule must be the last rule, so
 * that the buffer contains the writes of all other rules.
 */
export const eventBufferRule = defineRule({
  name: 'scheduler.event-buffer',
  tables: Object.values(eventTables),
  apply(world: World, writes) {
    const index = nextIndex(world)
    const changes = writes.map(({ table, key, before, after }) => ({ table, key, before, after }))
    if (!changes.some((change) => mayHaveEvents(change, index))) return
    const row = world.table(bufferedCommits).get(keyOf(index))
    putCommit(world, {
      index,
      ...(row?.type === undefined ? {} : { type: row.type }),
      changes: row === undefined ? changes : [...row.changes, ...changes],
      reporters: [...(row?.reporters ?? []), ...reportersOf(world, changes)],
    })
  },
})

/** Tables whose deletions cause no events. */
const silentDeletions: ReadonlySet<string> = new Set([
  eventTables.evaluations.id,
  eventTables.allocations.id,
  eventTables.deployments.id,
])

/**
 * Returns true if a write may cause an event. A deletion from one of the `silentDeletions` tables
 * causes no event. A write to a job causes an event only if the write deletes the job or changes
 * the specification.
 */
function mayHaveEvents({ table, after }: EventChange, index: number): boolean {
  if (silentDeletions.has(table)) return after !== undefined
  return table !== jobs.id || after === undefined || Reflect.get(after, 'JobModifyIndex') === index
}

/** Returns the nodes of the allocations whose changes were reported by a client. */
function reportersOf(world: World, changes: readonly EventChange[]): readonly NodeRow[] {
  const reporters = new Set<NodeRow>()
  for (const { table, before, after } of changes) {
    if (table !== allocations.id || before === undefined || after === undefined) continue
    if (!isReported(before, after)) continue
    const node = world.table(nodes).get(String(Reflect.get(after, 'NodeID')))
    if (node !== undefined) reporters.add(node)
  }
  return [...reporters]
}

/**
 * Sets the type of all events that the open transaction causes. Needed only if the changes do not
 * determine the type.
 *
 * @param type empty for a write that has no events in the reference
 */
export function setEventType(world: World, type: string): void {
  const index = nextIndex(world)
  const { changes = [], reporters = [] } = world.table(bufferedCommits).get(keyOf(index)) ?? {}
  putCommit(world, { index, type, changes, reporters })
}

function putCommit(world: World, commit: BufferedCommit): void {
  const table = world.table(bufferedCommits)
  table.put(keyOf(commit.index), commit)
  for (let extra = table.size - eventBufferSize(world); extra > 0; extra--) {
    const oldest = table.first('')
    if (oldest !== undefined) table.delete(oldest[0])
  }
}

function keyOf(index: number): string {
  return sortableNumber(index, 16)
}

/**
 * Maximum number of commits in the buffer if the option `eventBufferSize` is 0, as in the
 * reference.
 */
const defaultSize = 100

/** Returns the maximum number of commits in the buffer. The option 0 means `defaultSize`. */
export function eventBufferSize(world: World): number {
  return optionsOf(world).eventBufferSize || defaultSize
}

/**
 * Returns the lines of the buffered commits, oldest first. A commit can have several lines, so only
 * the newest `eventBufferSize` lines are returned.
 */
export function bufferedLines(world: World): readonly EventLine[] {
  const lines = Array.from(world.table(bufferedCommits).rows(), (row) =>
    world.derived(row, linesOf),
  )
  return lines.flat().slice(-eventBufferSize(world))
}

/** Returns the lines of one commit. A commit that is no longer in the buffer has no lines. */
export function linesOfCommit(world: World, index: number): readonly EventLine[] {
  const row = world.table(bufferedCommits).get(keyOf(index))
  return row === undefined ? [] : world.derived(row, linesOf)
}

function linesOf({ index, type, changes, reporters }: BufferedCommit): readonly EventLine[] {
  if (type === '') return []
  return eventLines(changedRows(changes), { index, reporters, typeName: type })
}

/**
 * Removes buffered changes whose rows have since been replaced by a loaded document. Must run
 * inside a transaction.
 */
export function forgetReplacedRows(world: World): void {
  const definitions = new Map<string, (typeof eventTables)[keyof typeof eventTables]>(
    Object.values(eventTables).map((definition) => [definition.id, definition]),
  )
  const table = world.table(bufferedCommits)
  for (const [key, commit] of Array.from(table.entries())) {
    const latest = new Map(
      commit.changes.map(({ table: id, key: rowKey, after }) => [`${id} ${rowKey}`, after]),
    )
    const changes = commit.changes.filter(({ table: id, key: rowKey }) => {
      const definition = definitions.get(id)
      return (
        definition !== undefined &&
        storedRow(world, definition, rowKey) === latest.get(`${id} ${rowKey}`)
      )
    })
    if (changes.length < commit.changes.length) table.put(key, { ...commit, changes })
  }
}

function storedRow(world: World, definition: TableDefinition, key: string): Row | undefined {
  return world.table(definition).get(key)
}
