import { appendAll } from '../../state/kernel/lists.ts'
import { diffSnapshots } from '../../state/kernel/store/diff.ts'
import type { StoreSnapshot } from '../../state/kernel/store/open-table.ts'
import { Store } from '../../state/kernel/store/store.ts'
import type { RequestRecord } from '../http/journal-hooks/request-record.ts'
import type { Journal } from '../journal/journal.ts'
import type { CollectedChange, CollectedStep, CollectedWorld } from './collected.ts'
import { faultsAt } from './collected-faults.ts'
import type { SizeEstimator } from './size-estimate.ts'
import type { LimitedWorld } from './size-limit.ts'
import type { Turns } from './turns.ts'

/**
 * Returns a world whose steps are derived from its journal. The steps are the requests that the
 * journal still contains, the rows that differ between the states after these requests, and the
 * marks.
 */
export async function collectFromJournal(
  journal: Journal,
  estimator: SizeEstimator,
  turns: Turns,
): Promise<CollectedWorld & LimitedWorld> {
  const { world } = journal
  const records = [...journal.records()]
  const endState = world.store.snapshot()
  const marks = [...journal.marks.list()]
  const isComplete = journal.dropped === 0
  const states = await statesAfter(records, endState, journal, turns)
  // Reading `journal.beginning` is cheap here, because this state is computed from the state after
  // the first request, which is already known.
  const beginning = isComplete ? journal.beginning : undefined
  const [first] = records
  const start = beginning ?? stateBefore(first, states[0] ?? endState)
  const steps: CollectedStep[] = []
  let before = start
  for (const [at, record] of records.entries()) {
    const after = states[at] ?? before
    const firstNewStep = steps.length
    for (const step of changesBetween(before, after, record)) steps.push(step)
    const time = endTimeOf(record)
    const faults = faultsAt(after, record)
    steps.push({
      kind: 'request',
      record,
      round: journal.restartCount,
      faults,
      at: record.at,
      time,
    })
    // The size limit is applied later without pauses, and needs the sizes of all steps. Estimating
    // the sizes here avoids blocking the event loop then.
    for (const step of steps.slice(firstNewStep)) estimator.sizeOfStep(step)
    before = after
    if (turns.isOver()) await turns.pause()
  }
  const last = records.at(-1)
  if (last !== undefined) appendAll(steps, changesBetween(before, endState, last, false))
  const all = [...steps, ...marks.map((mark) => ({ kind: 'mark' as const, ...mark }))]
  return {
    world,
    journal,
    start,
    // The sort is stable, so steps of equal times keep their order.
    steps: marks.length === 0 ? steps : all.sort((one, other) => one.time - other.time),
    isDeleted: false,
    missing: journal.dropped,
  }
}

/**
 * Returns the states after the given requests, in the order of the requests. The latest state is
 * computed first, because each state is computed from the state that follows it.
 */
async function statesAfter(
  records: readonly RequestRecord[],
  endState: StoreSnapshot,
  { world }: Journal,
  turns: Turns,
): Promise<readonly StoreSnapshot[]> {
  const states: StoreSnapshot[] = []
  let next: RequestRecord | undefined
  for (const record of records.toReversed()) {
    const { checkpoint } = record
    const isUnchanged = next !== undefined && next.checkpoint?.store === checkpoint?.store
    const known = isUnchanged ? states.at(-1) : undefined
    states.push(known ?? (checkpoint === undefined ? endState : world.at(checkpoint).store))
    next = record
    if (turns.isOver()) await turns.pause()
  }
  return states.reverse()
}

/**
 * Computes the state before a request by undoing the writes of the request in the state `after`.
 * Returns `after` itself if `record` is undefined.
 */
function stateBefore(record: RequestRecord | undefined, after: StoreSnapshot): StoreSnapshot {
  if (record === undefined) return after
  const store = new Store()
  store.restore(after)
  for (const { table, key, before } of record.changes.toReversed()) {
    const definition = record.world.services
      .flatMap(({ tables }) => tables)
      .find(({ id }) => id === table)
    if (definition !== undefined) store.table(definition).revert(key, before)
  }
  return store.snapshot()
}

/**
 * Returns the changes between two states: first the changes outside the request, then the changes
 * by the request. If `isWriter` is false, all changes count as changes outside the request.
 */
function changesBetween(
  before: StoreSnapshot,
  after: StoreSnapshot,
  record: RequestRecord,
  isWriter = true,
): readonly CollectedStep[] {
  if (before === after) return []
  const writtenRows = new Set(isWriter ? record.changes.map(rowName) : [])
  const requestChanges: CollectedChange[] = []
  const otherChanges: CollectedChange[] = []
  for (const { table, key, before: old, after: changed } of diffSnapshots(before, after)) {
    const change = { table, key, before: old, after: changed }
    ;(writtenRows.has(rowName(change)) ? requestChanges : otherChanges).push(change)
  }
  const { at } = record
  const time = endTimeOf(record)
  return [
    ...(otherChanges.length > 0
      ? [{ kind: 'changes' as const, record: undefined, changes: otherChanges, at, time }]
      : []),
    ...(requestChanges.length > 0
      ? [{ kind: 'changes' as const, record, changes: requestChanges, at, time }]
      : []),
  ]
}

function rowName({ table, key }: Pick<CollectedChange, 'table' | 'key'>): string {
  return `${table}/${key}`
}

function endTimeOf({ startedAt, duration }: RequestRecord): number {
  return startedAt + duration
}
