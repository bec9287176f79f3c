import type { Commit } from '../../kernel/store/commits.ts'
import type { StoreSnapshot } from '../../kernel/store/open-table.ts'
import { agendaTable, type Row, type TableDefinition } from '../../kernel/store/table.ts'
import type { ScheduledJob } from '../../kernel/time/agenda.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isReplicated } from './suspend-jobs.ts'

/** A replicated row; null for a deleted one. */
export interface ReplicatedChange {
  /** `service.table` */
  readonly table: string
  readonly key: string
  readonly row: Row | null
}

/** A job that was scheduled or cancelled. */
interface ReplicatedJob {
  readonly appointment: ScheduledJob
  readonly made: boolean
}

/** The messages from a primary to a secondary, in order. Each is plain JSON. */
export type ReplicationMessage =
  /** Sent first, and again whenever the sequence breaks. */
  | {
      readonly kind: 'hello'
      readonly cluster_id: string
      /** Id of the feed: positions of different feeds cannot be compared. */
      readonly feed: string
      /**
       * True if a full snapshot follows, up to `complete`; false if only the missed commits follow.
       */
      readonly snapshot: boolean
    }
  | {
      readonly kind: 'rows'
      readonly table: string
      readonly rows: readonly (readonly [string, Row])[]
    }
  | { readonly kind: 'appointments'; readonly appointments: readonly ScheduledJob[] }
  /** Marks that the secondary has everything up to this position. */
  | { readonly kind: 'complete'; readonly sequence: number; readonly wal: number }
  | {
      readonly kind: 'commit'
      readonly sequence: number
      readonly wal: number
      readonly changes: readonly ReplicatedChange[]
      readonly appointments: readonly ReplicatedJob[]
    }
  | { readonly kind: 'heartbeat' }

/** Number of rows in one `rows` message: large enough for speed, small enough to share a socket. */
const batchSize = 200

/** Returns the replicated tables by id: all tables of the service except local ones. */
export function replicatedTables(world: World): ReadonlyMap<string, TableDefinition> {
  const service = world.services.find(({ name }) => name === 'secrets')
  const replicated = service?.tables.filter(({ local }) => local !== true) ?? []
  return new Map(replicated.map((definition) => [definition.id, definition]))
}

/** Returns the names of the replicated jobs: all jobs of the service except local ones. */
export function replicatedJobs(world: World): ReadonlySet<string> {
  const service = world.services.find(({ name }) => name === 'secrets')
  return new Set(Object.keys(service?.jobs ?? {}).filter((job) => isReplicated({ job })))
}

/** Yields all replicated data of a snapshot, between `hello` and `complete`. */
export function* snapshotMessages(
  world: World,
  snapshot: StoreSnapshot,
): Generator<ReplicationMessage> {
  for (const table of replicatedTables(world).keys()) {
    let rows: [string, Row][] = []
    for (const entry of snapshot.tables.get(table)?.tree.entries() ?? []) {
      rows.push([...entry])
      if (rows.length < batchSize) continue
      yield { kind: 'rows', table, rows }
      rows = []
    }
    if (rows.length > 0) yield { kind: 'rows', table, rows }
  }
  const agenda = snapshot.tables.get(agendaTable)?.tree.valuesArray() ?? []
  yield { kind: 'appointments', appointments: (agenda as ScheduledJob[]).filter(isReplicated) }
}

/** Returns the message of a commit; undefined for a commit of another service. */
export function commitMessage(
  commit: Commit,
  tables: ReadonlyMap<string, TableDefinition>,
): ReplicationMessage | undefined {
  const wal = commit.indexes['secrets']
  if (wal === undefined) return undefined
  return {
    kind: 'commit',
    sequence: commit.sequence,
    wal,
    changes: commit.changes
      .filter(({ table }) => tables.has(table))
      .map(({ table, key, after }) => ({ table, key, row: after ?? null })),
    appointments: commit.scheduledJobs.flatMap(({ before, after }) => {
      const scheduledJob = (after ?? before) as ScheduledJob | undefined
      if (scheduledJob === undefined || !isReplicated(scheduledJob)) return []
      return [{ appointment: scheduledJob, made: after !== undefined }]
    }),
  }
}
