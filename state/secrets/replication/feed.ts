import type { Commit } from '../../kernel/store/commits.ts'
import type { StoreSnapshot } from '../../kernel/store/open-table.ts'
import { agendaTable, type Row, type TableDefinition } from '../../kernel/store/table.ts'
import type { ScheduledJob } from '../../kernel/time/agenda.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { isReplicated } from './suspend-jobs.ts'

/** A row as it replicates; null for one that is gone. */
export interface ReplicatedChange {
  /** `service.table` */
  readonly table: string
  readonly key: string
  readonly row: Row | null
}

/** An appointment that was made, or called off. */
interface ReplicatedJob {
  readonly appointment: ScheduledJob
  readonly made: boolean
}

/** The messages that a primary sends to a secondary, in order. Each is JSON-plain. */
export type ReplicationMessage =
  /** First, and again whenever the sequence breaks. */
  | {
      readonly kind: 'hello'
      readonly cluster_id: string
      /** Names the feed: positions in different ones cannot be compared. */
      readonly feed: string
      /**
       * True when everything there is follows, up to `complete`, or only commits that were missed.
       */
      readonly snapshot: boolean
    }
  | {
      readonly kind: 'rows'
      readonly table: string
      readonly rows: readonly (readonly [string, Row])[]
    }
  | { readonly kind: 'appointments'; readonly appointments: readonly ScheduledJob[] }
  /** The secondary has everything up to this position. */
  | { readonly kind: 'complete'; readonly sequence: number; readonly wal: number }
  | {
      readonly kind: 'commit'
      readonly sequence: number
      readonly wal: number
      readonly changes: readonly ReplicatedChange[]
      readonly appointments: readonly ReplicatedJob[]
    }
  | { readonly kind: 'heartbeat' }

/** Rows of one `rows` message: large enough for speed, small enough to share a socket. */
const batchSize = 200

/** The tables that replicate, by id: all of the service's that are not about one world alone. */
export function replicatedTables(world: World): ReadonlyMap<string, TableDefinition> {
  const service = world.services.find(({ name }) => name === 'secrets')
  const replicated = service?.tables.filter(({ local }) => local !== true) ?? []
  return new Map(replicated.map((definition) => [definition.id, definition]))
}

/** The jobs whose appointments replicate, by name: all of the service's but those about one world. */
export function replicatedJobs(world: World): ReadonlySet<string> {
  const service = world.services.find(({ name }) => name === 'secrets')
  return new Set(Object.keys(service?.jobs ?? {}).filter((job) => isReplicated({ job })))
}

/** Everything that replicates as it is in a snapshot, between `hello` and `complete`. */
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

/** A commit as it replicates; undefined for one of another service. */
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
