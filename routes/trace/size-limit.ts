import { isDeepStrictEqual } from 'node:util'
import { outcomeOf } from '../journal/outcome.ts'
import type { CollectedChange, CollectedStep } from './collected.ts'
import type { SizeEstimate } from './size-estimate.ts'

/** World of a trace from which requests may be dropped. */
export interface LimitedWorld {
  steps: CollectedStep[]
  /** Number of requests that were dropped. */
  missing: number
}

/** Part of the limit that stays after requests were dropped, so that this happens rarely. */
const remainingPart = 0.8

/**
 * Drops requests until the steps of some worlds fit into a size: the oldest served ones first, then
 * the oldest others. The rows that a dropped request wrote stay, so that later states are right.
 *
 * @returns the estimated size that is left
 */
export function dropRequests(
  worlds: readonly LimitedWorld[],
  limit: number,
  estimate: SizeEstimate,
): number {
  let size = sizeOf(worlds, estimate)
  if (size <= limit) return size
  const goal = limit * remainingPart
  const dropped = new Set<CollectedStep>()
  for (const step of inOrderOfDropping(worlds)) {
    if (size <= goal) break
    dropped.add(step)
    size -= estimate.of(step)
  }
  for (const world of worlds) {
    world.missing += world.steps.filter((step) => dropped.has(step)).length
    world.steps = withoutRequests(world.steps, dropped)
  }
  return sizeOf(worlds, estimate)
}

function sizeOf(worlds: readonly LimitedWorld[], estimate: SizeEstimate): number {
  let size = 0
  for (const { steps } of worlds) for (const step of steps) size += estimate.of(step)
  return size
}

function inOrderOfDropping(worlds: readonly LimitedWorld[]): readonly CollectedStep[] {
  const requests = worlds.flatMap(({ steps }) =>
    steps.flatMap((step) =>
      step.kind === 'request' ? [{ step, isServed: outcomeOf(step.record) === 'served' }] : [],
    ),
  )
  return requests
    .sort(
      (one, other) =>
        Number(other.isServed) - Number(one.isServed) || one.step.time - other.step.time,
    )
    .map(({ step }) => step)
}

/** Returns the steps without some requests; consecutive changes that nothing parts are merged. */
function withoutRequests(
  steps: readonly CollectedStep[],
  dropped: ReadonlySet<CollectedStep>,
): CollectedStep[] {
  const droppedRecords = new Set<unknown>(
    [...dropped].map((step) => (step.kind === 'request' ? step.record : undefined)),
  )
  const kept: CollectedStep[] = []
  for (const step of steps) {
    if (dropped.has(step)) continue
    if (step.kind !== 'changes') {
      kept.push(step)
      continue
    }
    const isOrphan = step.record === undefined || droppedRecords.has(step.record)
    const last = kept.at(-1)
    if (!isOrphan) {
      kept.push(step)
    } else if (last?.kind === 'changes' && last.record === undefined) {
      kept[kept.length - 1] = {
        ...step,
        record: undefined,
        changes: [...last.changes, ...step.changes],
      }
    } else {
      kept.push({ ...step, record: undefined })
    }
  }
  return kept.flatMap((step) => {
    if (step.kind !== 'changes' || step.record !== undefined) return [step]
    const changes = merged(step.changes)
    return changes.length === 0 ? [] : [{ ...step, changes }]
  })
}

/** Merges the changes of each row into one; rows that are as before are left out. */
function merged(changes: readonly CollectedChange[]): readonly CollectedChange[] {
  const rows = new Map<string, CollectedChange>()
  for (const change of changes) {
    const { table, key } = change
    const place = `${table}/${key}`
    const before = rows.has(place) ? rows.get(place)?.before : change.before
    rows.set(place, { table, key, before, after: change.after })
  }
  return [...rows.values()].filter(({ before, after }) => !isDeepStrictEqual(before, after))
}
