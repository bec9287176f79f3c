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
 * The last commits with events, by padded index (behaviour/scheduler#event-stream). The rows only
 * refer to other rows. When a client reads the stream, the event lines are built from them. Part of
 * snapshots, not of exports.
 */
const bufferedCommits = defineTable<BufferedCommit>()({
  service: kernelService,
  name: 'scheduler-events',
  secrets: 'none',
  // Never imported, so never validated.
  schema: { type: 'object' },
})

/**
 * Rule that buffers the writes of each commit. The rule runs last, so that it also sees the writes
 * of the other rules.
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

/** Tables whose deletions are not events. */
const silentDeletions: ReadonlySet<string> = new Set([
  eventTables.evaluations.id,
  eventTables.allocations.id,
  eventTables.deployments.id,
])

/**
 * Returns whether a write may be an event. Deletions in some tables are not. A write to a job is an
 * event only if it changes the specification or deletes the job.
 */
function mayHaveEvents({ table, after }: EventChange, index: number): boolean {
  if (silentDeletions.has(table)) return after !== undefined
  return table !== jobs.id || after === undefined || Reflect.get(after, 'JobModifyIndex') === index
}

/** Returns the nodes whose clients reported the changed allocations. */
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
 * Sets the type of the events of the open transaction, if its changes do not determine it. Must run
 * inside a transaction.
 *
 * @param type empty for a write that has no events in the reference
 */
export function nameEvents(world: World, type: string): void {
  const index = nextIndex(world)
  const { changes = [], reporters = [] } = world.table(bufferedCommits).get(keyOf(index)) ?? {}
  putCommit(world, { index, type, changes, reporters })
}

function putCommit(world: World, commit: BufferedCommit): void {
  const table = world.table(bufferedCommits)
  table.put(keyOf(commit.index), commit)
  for (let extra = table.size - bufferSize(world); extra > 0; extra--) {
    const oldest = table.first('')
    if (oldest !== undefined) table.delete(oldest[0])
  }
}

function keyOf(index: number): string {
  return sortableNumber(index, 16)
}

/**
 * Size of the buffer if none is configured. As in the reference, also the size if 0 is configured.
 */
const defaultSize = 100

function bufferSize(world: World): number {
  return optionsOf(world).eventBufferSize || defaultSize
}

/** Returns the lines that the buffer holds, oldest first. */
export function bufferedLines(world: World): readonly EventLine[] {
  const lines = Array.from(world.table(bufferedCommits).rows(), (row) =>
    world.derived(row, linesOf),
  )
  return lines.flat().slice(-bufferSize(world))
}

/** Returns the lines of a commit that was just made. */
export function linesOfCommit(world: World, index: number): readonly EventLine[] {
  const row = world.table(bufferedCommits).get(keyOf(index))
  return row === undefined ? [] : world.derived(row, linesOf)
}

function linesOf({ index, type, changes, reporters }: BufferedCommit): readonly EventLine[] {
  if (type === '') return []
  return eventLines(changedRows(changes), { index, reporters, typeName: type })
}

/**
 * Forgets the events of rows that the loading of a document has replaced. Must run inside a
 * transaction.
 */
export function forgetReplacedRows(world: World): void {
  const definitions = new Map<string, (typeof eventTables)[keyof typeof eventTables]>(
    Object.values(eventTables).map((definition) => [definition.id, definition]),
  )
  const table = world.table(bufferedCommits)
  for (const [key, commit] of Array.from(table.entries())) {
    const latest = new Map(
      commit.changes.map(({ table: id, key: of, after }) => [`${id} ${of}`, after]),
    )
    const changes = commit.changes.filter(({ table: id, key: of }) => {
      const definition = definitions.get(id)
      return (
        definition !== undefined && storedRow(world, definition, of) === latest.get(`${id} ${of}`)
      )
    })
    if (changes.length < commit.changes.length) table.put(key, { ...commit, changes })
  }
}

function storedRow(world: World, definition: TableDefinition, key: string): Row | undefined {
  return world.table(definition).get(key)
}
