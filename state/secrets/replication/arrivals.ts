import { MILLISECOND, parseGoDuration } from '../../go/duration.ts'
import { any, int, list, nullable, text, uint } from '../../kernel/shape/kinds.ts'
import { struct } from '../../kernel/shape/members.ts'
import type { StoredOf } from '../../kernel/shape/values.ts'
import { sortableNumber } from '../../kernel/sortable-number.ts'
import type { Row } from '../../kernel/store/table.ts'
import type { Timing } from '../../kernel/time/transitions.ts'
import type { JobHandler } from '../../kernel/worlds/service.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { secretsTable } from '../table.ts'
import { applyChanges, raiseIndex } from './changes.ts'
import type { ReplicatedChange } from './feed.ts'
import { localJobPrefix } from './feed.ts'
import { changeSecondary, replicationRow } from './modes.ts'

/** A write of the primary that has not yet arrived at a new secondary. */
const arrivalShape = struct({
  /**
   * Time of arrival in milliseconds since 1970; null if a forced transition must trigger the
   * arrival.
   */
  at: nullable(int),
  /** Write-ahead position of the primary after the write. */
  wal: uint,
  /**
   * Sequence number of a commit of the primary. The secondary stores this number as its `position`
   * when this write arrives and no other arrival is pending.
   */
  sequence: uint,
  changes: list(struct({ table: text, key: text, row: nullable(any) })),
})
type Arrival = StoredOf<typeof arrivalShape>

/**
 * Writes of the primary that have not yet reached a new secondary in its initial copy, by
 * write-ahead position.
 */
export const arrivals = secretsTable('replication-arrivals', arrivalShape, {
  secrets: { members: ['changes/*/key', 'changes/*/row'] },
  local: true,
})

/** Pads positions, so that keys are sorted by number. */
const keyOf = (wal: number): string => sortableNumber(wal, 16)

const arrivalJob = `${localJobPrefix}arrival`

/**
 * Maximum number of steps in which a copy arrives. More steps would cost time without a visible
 * difference.
 */
const maxSteps = 100

/** A point in the history of the primary: commit sequence number and write-ahead position. */
interface Position {
  readonly sequence: number
  readonly wal: number
}

/**
 * Stores engine data as arrivals, in the order of the writes and spread over the duration of the
 * sync. The last arrival ends the sync (behaviour/secrets#first-copy).
 */
export function enqueueArrivals(
  world: World,
  changes: Iterable<ReplicatedChange>,
  { sequence, wal: end }: Position,
  timing: Timing,
): void {
  const writes = changesByWal(changes)
  // If the last write changed no engine data, an empty arrival ends the copy.
  if (!writes.has(end)) writes.set(end, [])
  const sortedWrites = [...writes].sort(([one], [other]) => one - other)
  const steps = Math.min(sortedWrites.length, maxSteps)
  const duration = typeof timing === 'string' ? 0 : parseGoDuration(timing.after) / MILLISECOND
  const now = world.clock.now()
  const dueAt = (index: number): number | null => {
    const step = Math.ceil((index * steps) / sortedWrites.length)
    return typeof timing === 'string' ? null : now + Math.ceil((duration * step) / steps)
  }
  for (const [index, [wal, changesOfWrite]] of sortedWrites.entries()) {
    const at = dueAt(index + 1)
    const arrival = { at, wal, sequence, changes: changesOfWrite as Arrival['changes'] }
    world.table(arrivals).put(keyOf(wal), arrival)
  }
  scheduleNextArrival(world)
}

/**
 * Collects changes by the write-ahead position of their write. Uses position 0 for rows without a
 * position.
 */
function changesByWal(changes: Iterable<ReplicatedChange>): Map<number, ReplicatedChange[]> {
  const writes = new Map<number, ReplicatedChange[]>()
  for (const change of changes) {
    const wal = walOf(change.row)
    const before = writes.get(wal)
    if (before === undefined) writes.set(wal, [change])
    else before.push(change)
  }
  return writes
}

function walOf(row: Row | null): number {
  return row !== null && 'wal' in row && typeof row.wal === 'number' ? row.wal : 0
}

/** Stores a new write of the primary as an arrival, due together with the last pending arrival. */
export function enqueueArrival(
  world: World,
  { sequence, wal, changes }: Position & { readonly changes: readonly ReplicatedChange[] },
): void {
  const [, last] = world.table(arrivals).last('') ?? []
  const arrival = { at: last?.at ?? null, wal, sequence, changes: changes as Arrival['changes'] }
  world.table(arrivals).put(keyOf(wal), arrival)
}

export function hasPendingArrivals(world: World): boolean {
  return world.table(arrivals).size > 0
}

/** Drops pending arrivals. Called when the link to the primary ends. */
export function dropArrivals(world: World): void {
  if (!hasPendingArrivals(world)) return
  world.write(() => {
    world.table(arrivals).deleteAll('')
    world.agenda.cancel(arrivalJob, 'self')
  })
}

export function applyAllArrivals(world: World): void {
  applyDueArrivals(world, () => true)
}

function applyDueArrivals(world: World, isDue: (arrival: Arrival) => boolean): void {
  const due: Arrival[] = []
  world.write(() => {
    for (const [key, arrival] of [...world.table(arrivals).entries()]) {
      if (!isDue(arrival)) break
      world.table(arrivals).delete(key)
      applyChanges(world, arrival.changes as readonly ReplicatedChange[])
      due.push(arrival)
    }
    const last = due.at(-1)
    if (last === undefined) return
    const finished = { state: 'stream-wals', position: last.sequence, copying: false } as const
    const outcome = hasPendingArrivals(world) ? {} : finished
    changeSecondary(world, { last_remote_wal: last.wal, ...outcome })
    scheduleNextArrival(world)
  })
  const last = due.at(-1)
  if (last !== undefined) raiseIndex(world, last.wal)
}

function scheduleNextArrival(world: World): void {
  world.agenda.cancel(arrivalJob, 'self')
  const [, next] = world.table(arrivals).first('') ?? []
  if (next !== undefined && next.at !== null) {
    world.agenda.schedule({ at: next.at, job: arrivalJob, id: 'self' })
  }
}

/** Handler of the job that applies the arrivals that are due. The job always has the id `self`. */
export const arrivalJobs: Readonly<Record<string, JobHandler>> = {
  [arrivalJob]: (world, { at }) => {
    if (replicationRow(world)?.mode !== 'secondary') return
    applyDueArrivals(world, (arrival) => arrival.at !== null && arrival.at <= at)
  },
}
