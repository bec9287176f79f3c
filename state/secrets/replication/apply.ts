import { MILLISECOND, parseGoDuration } from '../../go/duration.ts'
import type { Appointment } from '../../kernel/agenda.ts'
import type { Job } from '../../kernel/service.ts'
import type { Row } from '../../kernel/table.ts'
import type { World } from '../../kernel/world.ts'
import { type ReplicationMessage, replicatedTables } from './feed.ts'
import { replicationLinkKind } from './links.ts'
import { replicationRow } from './modes.ts'
import { ownJobs, park, parkedAppointments } from './park.ts'
import { changeSecondary } from './replication.ts'

type Complete = Extract<ReplicationMessage, { kind: 'complete' }>
type CommitMessage = Extract<ReplicationMessage, { kind: 'commit' }>

/** A snapshot of a primary on its way: kept apart until it is complete. */
interface ReceivedSnapshot {
  /** Rows by table id and key. */
  readonly tables: ReadonlyMap<string, ReadonlyMap<string, Row>>
  readonly appointments: readonly Appointment[]
}

/** Puts the primary's data in place of this world's, as a whole, and is in sync with that moment. */
export function applySnapshot(
  world: World,
  { tables, appointments }: ReceivedSnapshot,
  at: Complete,
): void {
  world.write(() => {
    for (const [id, definition] of replicatedTables(world)) {
      const table = world.table(definition)
      const rows = tables.get(id)
      // Rows may have swapped their places in an index: all of them leave before any comes.
      const anew = table.indexes.length > 0
      for (const key of Array.from(table.entries(), ([key]) => key)) {
        if (anew || !rows?.has(key)) table.delete(key)
      }
      for (const [key, row] of rows ?? []) table.put(key, row)
    }
    world.table(parkedAppointments).deleteAll('')
    for (const appointment of appointments) park(world, appointment, true)
    follow(world, at)
    finishSync(world)
  })
  raiseIndex(world, at.wal)
}

/** Has caught up: this world's data is the primary's at that position. */
export function resumeStream(world: World, at: Complete): void {
  world.write(() => {
    follow(world, at)
    finishSync(world)
  })
  raiseIndex(world, at.wal)
}

/** Does what one commit of the primary did. */
export function applyCommit(world: World, commit: CommitMessage): void {
  const tables = replicatedTables(world)
  world.write(() => {
    for (const { table: id, key, row } of commit.changes) {
      const definition = tables.get(id)
      if (definition === undefined) throw new Error(`the primary sent a row of ${id}`)
      if (row === null) world.table(definition).delete(key)
      else world.table(definition).put(key, row)
    }
    for (const { appointment, made } of commit.appointments) park(world, appointment, made)
    follow(world, commit)
  })
  raiseIndex(world, commit.wal)
}

function follow(world: World, { sequence, wal }: Pick<Complete, 'sequence' | 'wal'>): void {
  changeSecondary(world, { position: sequence, last_remote_wal: wal })
}

/** After a promotion the write-ahead position goes on where the primary's stood. */
function raiseIndex(world: World, wal: number): void {
  if (world.store.index('secrets') < wal) world.store.startIndex('secrets', wal)
}

const syncedJob = `${ownJobs}synced`

/** In sync at once, after a while or when pushed: as links of this world are paced. */
function finishSync(world: World): void {
  const pace = world.pace(replicationLinkKind)
  changeSecondary(world, { state: pace === 'immediate' ? 'stream-wals' : 'merkle-sync' })
  if (pace === 'immediate' || pace === 'manual') return
  const at = world.clock.now() + parseGoDuration(pace.after) / MILLISECOND
  world.agenda.schedule({ at, job: syncedJob, id: 'self' })
}

/** The job that ends a sync which takes its time. */
export const replicationJobs: Readonly<Record<string, Job>> = {
  [syncedJob]: (world) => {
    const row = replicationRow(world)
    if (row?.mode === 'secondary' && row.state === 'merkle-sync') {
      changeSecondary(world, { state: 'stream-wals' })
    }
  },
}
