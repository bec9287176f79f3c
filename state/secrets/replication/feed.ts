import { float, text } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { Commit } from '../../kernel/store/commits.ts'
import type { StoreSnapshot } from '../../kernel/store/open-table.ts'
import { agendaTable, type Row, type TableDefinition } from '../../kernel/store/table.ts'
import type { ScheduledJob } from '../../kernel/time/agenda.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { secretsTable } from '../table.ts'

/**
 * Scheduled jobs of the primary, by job and id. A secondary stores these jobs without running them,
 * because their effects arrive from the primary. After a promotion, the cluster runs the jobs
 * itself.
 */
export const suspendedJobs = secretsTable(
  'replication-agenda',
  struct({ at: float, job: text, id: text }),
  { secrets: { key: true, members: ['id'] }, local: true },
)

/**
 * Prefix of the names of jobs that are not replicated, because they concern the cluster's own
 * replication.
 */
export const localJobPrefix = 'secrets.replication.'

function isReplicated({ job }: Pick<ScheduledJob, 'job'>): boolean {
  return job.startsWith('secrets.') && !job.startsWith(localJobPrefix)
}

/** Stores a scheduled job of the primary, or deletes it if `isScheduled` is false. */
export function storeSuspendedJob(
  world: World,
  scheduledJob: ScheduledJob,
  isScheduled: boolean,
): void {
  const key = `${scheduledJob.job}/${scheduledJob.id}`
  if (isScheduled) world.table(suspendedJobs).put(key, scheduledJob)
  else world.table(suspendedJobs).delete(key)
}

/**
 * Moves replicated jobs from the agenda to `suspendedJobs`, so that this cluster no longer runs
 * them.
 */
export function suspendJobs(world: World): void {
  for (const scheduledJob of Array.from(world.agenda.all()).filter(isReplicated)) {
    world.agenda.cancel(scheduledJob.job, scheduledJob.id)
    storeSuspendedJob(world, scheduledJob, true)
  }
}

/** Moves suspended jobs back to the agenda. Overdue jobs run immediately. */
export function resumeJobs(world: World): void {
  for (const scheduledJob of [...world.table(suspendedJobs).rows()]) {
    world.agenda.schedule(scheduledJob)
  }
  world.table(suspendedJobs).deleteAll('')
}

/** A write of the primary to one row. `row` is null for a deletion. */
export interface ReplicatedChange {
  /** Table id, such as `secrets.mounts`. */
  readonly table: string
  readonly key: string
  readonly row: Row | null
}

/** A change of the primary's agenda. `made` is false if the job was cancelled or has run. */
interface ReplicatedJob {
  readonly appointment: ScheduledJob
  readonly made: boolean
}

/**
 * Message from a primary to a secondary, as JSON. A connection begins with `hello`. A snapshot
 * consists of `rows`, `appointments` and `complete`, in this order.
 */
export type ReplicationMessage =
  /** First message of a connection; sent again if commits were lost. */
  | {
      readonly kind: 'hello'
      readonly cluster_id: string
      /** Id of the primary's change feed. Positions of different feeds are not comparable. */
      readonly feed: string
      /**
       * True if a full snapshot follows, up to the message `complete`; false if only missed commits
       * follow.
       */
      readonly snapshot: boolean
    }
  | {
      readonly kind: 'rows'
      readonly table: string
      readonly rows: readonly (readonly [string, Row])[]
    }
  | { readonly kind: 'appointments'; readonly appointments: readonly ScheduledJob[] }
  /** The secondary now has everything up to this position. */
  | { readonly kind: 'complete'; readonly sequence: number; readonly wal: number }
  | {
      readonly kind: 'commit'
      readonly sequence: number
      readonly wal: number
      readonly changes: readonly ReplicatedChange[]
      readonly appointments: readonly ReplicatedJob[]
    }
  | { readonly kind: 'heartbeat' }

/**
 * Maximum number of rows per `rows` message. Larger batches are faster, but delay other messages on
 * the socket.
 */
const batchSize = 200

/** Returns all tables of the service except local tables, by id. */
export function replicatedTables(world: World): ReadonlyMap<string, TableDefinition> {
  const service = world.services.find(({ name }) => name === 'secrets')
  const replicated = service?.tables.filter(({ local }) => local !== true) ?? []
  return new Map(replicated.map((definition) => [definition.id, definition]))
}

/** Returns the names of the jobs of the secrets service that secondaries receive. */
export function replicatedJobs(world: World): ReadonlySet<string> {
  const service = world.services.find(({ name }) => name === 'secrets')
  return new Set(Object.keys(service?.jobs ?? {}).filter((job) => isReplicated({ job })))
}

/**
 * Yields the `rows` and `appointments` messages of a snapshot, which callers send between `hello`
 * and `complete`.
 */
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

/**
 * Converts a commit to a message for secondaries. Returns undefined for a commit without changes to
 * this service.
 */
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
