import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { TableDefinition } from '../../../state/kernel/store/table.ts'
import type { ReplicationMessage } from '../../../state/secrets/replication/feed.ts'
import { sharedValidator } from '../../http/declare/validate.ts'

/**
 * URL prefix of the routes for secondaries in other processes. These routes are not part of the
 * product's API.
 */
export const replicationPrefix = '/_replication/dr'

const text = { type: 'string' } as const
const count = { type: 'integer', minimum: 0 } as const
const scheduledJob = {
  type: 'object',
  required: ['at', 'job', 'id'],
  properties: { at: { type: 'number' }, job: text, id: text },
} as const

function message(kind: string, properties: Record<string, JsonSchema>): JsonSchema {
  return {
    type: 'object',
    required: ['kind', ...Object.keys(properties)],
    properties: { kind: { const: kind }, ...properties },
  }
}

/**
 * Schemas of the messages, by kind. `readMessage` additionally checks rows with the schemas of
 * their tables.
 */
const shapes: Readonly<Record<ReplicationMessage['kind'], JsonSchema>> = {
  hello: message('hello', { cluster_id: text, feed: text, snapshot: { type: 'boolean' } }),
  rows: message('rows', {
    table: text,
    rows: {
      type: 'array',
      items: { type: 'array', minItems: 2, maxItems: 2, prefixItems: [text, { type: 'object' }] },
    },
  }),
  appointments: message('appointments', { appointments: { type: 'array', items: scheduledJob } }),
  complete: message('complete', { sequence: count, wal: count }),
  commit: message('commit', {
    sequence: count,
    wal: count,
    changes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['table', 'key', 'row'],
        properties: { table: text, key: text, row: { type: ['object', 'null'] } },
      },
    },
    appointments: {
      type: 'array',
      items: {
        type: 'object',
        required: ['appointment', 'made'],
        properties: { appointment: scheduledJob, made: { type: 'boolean' } },
      },
    },
  }),
  heartbeat: message('heartbeat', {}),
}

/** The ids of the replicated tables, with their definitions, and the kinds of replicated jobs. */
export interface ReplicationScope {
  readonly tables: ReadonlyMap<string, TableDefinition>
  readonly jobs: ReadonlySet<string>
}

/**
 * Parses one line of a stream. Throws an error for a line that primaries do not send: JSON of an
 * unknown shape, tables or jobs that are not replicated, or rows that do not fit their table.
 */
export function readMessage(line: string, { tables, jobs }: ReplicationScope): ReplicationMessage {
  const value: unknown = JSON.parse(line)
  const kind = typeof value === 'object' && value !== null && 'kind' in value ? value.kind : ''
  if (typeof kind !== 'string' || !Object.hasOwn(shapes, kind)) {
    throw new Error('the primary sent something unknown')
  }
  // The cast is safe, because the next line checks the message with the shape of its kind.
  const read = value as ReplicationMessage
  check(shapes[read.kind], read)
  for (const { table, row } of rowsOf(read)) {
    const definition = tables.get(table)
    if (definition === undefined) throw new Error(`the primary sent a row of ${table}`)
    if (row !== null) check(definition.schema, row)
  }
  for (const { job } of scheduledJobsIn(read)) {
    if (!jobs.has(job)) throw new Error(`the primary sent a scheduled job named ${job}`)
  }
  return read
}

function scheduledJobsIn(read: ReplicationMessage) {
  if (read.kind === 'commit') return read.appointments.map(({ appointment }) => appointment)
  return read.kind === 'appointments' ? read.appointments : []
}

function rowsOf(read: ReplicationMessage) {
  if (read.kind === 'commit') return read.changes
  if (read.kind !== 'rows') return []
  return read.rows.map(([, row]) => ({ table: read.table, row }))
}

function check(schema: JsonSchema, value: unknown): void {
  const [problem] = sharedValidator.check(schema, value, 'the message')
  if (problem !== undefined) throw new Error(`the primary sent garbage: ${problem}`)
}
