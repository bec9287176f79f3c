import { MILLISECOND, parseGoDuration } from '../../go/duration.ts'
import type { Row } from '../../kernel/store/table.ts'
import type { ScheduledJob } from '../../kernel/time/agenda.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { arrivalJobs, enqueueArrival, enqueueArrivals, hasPendingArrivals } from './arrivals.ts'
import { applyChanges, raiseIndex } from './changes.ts'
import { engineData } from './engine-data.ts'
import {
  localJobPrefix,
  type ReplicatedChange,
  type ReplicationMessage,
  replicatedTables,
  storeSuspendedJob,
  suspendedJobs,
} from './feed.ts'
import { replicationLinkKind } from './links.ts'
import { changeSecondary, replicationRow } from './modes.ts'

type CompleteMessage = Extract<ReplicationMessage, { kind: 'complete' }>
type CommitMessage = Extract<ReplicationMessage, { kind: 'commit' }>

/** Content of a primary's snapshot. Nothing is applied before the content is complete. */
interface ReceivedSnapshot {
  /** Rows by table id and key. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, Row>>
  readonly appointments: readonly ScheduledJob[]
}

/**
 * Replaces this world's data and scheduled jobs with those of the primary. For a first copy whose
 * timing is not `immediate`, applies only the core tables now, and engine data arrive later
 * (behaviour/secrets#first-copy). Otherwise, applies all tables, and `finishSync` ends the sync.
 */
export function applySnapshot(
  world: World,
  snapshot: ReceivedSnapshot,
  message: CompleteMessage,
): void {
  const row = replicationRow(world)
  const timing = world.timing(replicationLinkKind)
  const isSpreadOverTime =
    row?.mode === 'secondary' && row.copying === true && timing !== 'immediate'
  world.write(() => {
    for (const [id, definition] of replicatedTables(world)) {
      if (isSpreadOverTime && engineData.has(id)) continue
      const table = world.table(definition)
      const rows = snapshot.tables.get(id)
      // Two rows may have swapped unique index keys, so all old rows are deleted before new rows
      // are stored.
      const rewritesAll = table.indexes.length > 0
      for (const key of Array.from(table.entries(), ([key]) => key)) {
        if (rewritesAll || !rows?.has(key)) table.delete(key)
      }
      for (const [key, row] of rows ?? []) table.put(key, row)
    }
    world.table(suspendedJobs).deleteAll('')
    for (const scheduledJob of snapshot.appointments) storeSuspendedJob(world, scheduledJob, true)
    if (isSpreadOverTime)
      return enqueueArrivals(world, engineChanges(world, snapshot), message, timing)
    setPosition(world, message)
    finishSync(world)
  })
  if (!isSpreadOverTime) raiseIndex(world, message.wal)
}

/**
 * Yields the engine data that a first copy still lacks, and deletes rows that the primary does not
 * have. Some data may have arrived before the link broke.
 */
function* engineChanges(
  world: World,
  { tables }: Pick<ReceivedSnapshot, 'tables'>,
): Generator<ReplicatedChange> {
  for (const [id, definition] of replicatedTables(world)) {
    if (!engineData.has(id)) continue
    const table = world.table(definition)
    const rows = new Map(tables.get(id))
    for (const [key, localRow] of [...table.entries()]) {
      const primaryRow = rows.get(key)
      if (primaryRow === undefined) table.delete(key)
      else if (JSON.stringify(primaryRow) === JSON.stringify(localRow)) rows.delete(key)
    }
    for (const [key, row] of rows) yield { table: id, key, row }
  }
}

/**
 * Records, without applying a snapshot, that this world has everything up to a position of the
 * primary. Raises the write-ahead index and ends the sync as `finishSync` does.
 */
export function resumeStream(world: World, message: CompleteMessage): void {
  world.write(() => {
    setPosition(world, message)
    finishSync(world)
  })
  raiseIndex(world, message.wal)
}

/**
 * Applies one commit of the primary. While a first copy is in progress, engine data in the commit
 * arrive only after the copy.
 */
export function applyCommit(world: World, commit: CommitMessage): void {
  const { sequence, wal, changes } = commit
  const isPending = hasPendingArrivals(world)
  world.write(() => {
    applyChanges(world, isPending ? changes.filter(({ table }) => !engineData.has(table)) : changes)
    for (const { appointment, made } of commit.appointments)
      storeSuspendedJob(world, appointment, made)
    if (!isPending) return setPosition(world, commit)
    const engineDataChanges = changes.filter(({ table }) => engineData.has(table))
    enqueueArrival(world, { sequence, wal, changes: engineDataChanges })
  })
  if (!isPending) raiseIndex(world, wal)
}

function setPosition(
  world: World,
  { sequence, wal }: Pick<CompleteMessage, 'sequence' | 'wal'>,
): void {
  changeSecondary(world, { position: sequence, last_remote_wal: wal, copying: false })
}

const syncedJob = `${localJobPrefix}synced`

/**
 * Ends the sync immediately, after a delay, or only when forced, depending on the timing of the
 * links.
 */
function finishSync(world: World): void {
  const timing = world.timing(replicationLinkKind)
  changeSecondary(world, { state: timing === 'immediate' ? 'stream-wals' : 'merkle-sync' })
  if (timing === 'immediate' || timing === 'manual') return
  const at = world.clock.now() + parseGoDuration(timing.after) / MILLISECOND
  world.agenda.schedule({ at, job: syncedJob, id: 'self' })
}

export const replicationJobs: Readonly<Record<string, JobHandler>> = {
  ...arrivalJobs,
  [syncedJob]: (world) => {
    const row = replicationRow(world)
    if (row?.mode === 'secondary' && row.state === 'merkle-sync') {
      changeSecondary(world, { state: 'stream-wals' })
    }
  },
}
