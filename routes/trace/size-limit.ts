import type { Row } from '../../state/kernel/store/table.ts'
import { outcomeOf } from '../journal/outcome.ts'
import type { CollectedChange, CollectedStep } from './collected.ts'
import { isEmptyPatch, patchOf } from './row-patch.ts'
import type { SizeEstimator } from './size-estimate.ts'

/** World of a trace from which requests can be dropped. */
export interface LimitedWorld {
  steps: CollectedStep[]
  /** Number of requests that were dropped. */
  missing: number
}

/** Fraction of the limit that remains after requests were dropped, so that dropping is rare. */
const remainingFraction = 0.8

/**
 * Drops requests if the steps of the worlds together exceed a size: first the oldest served
 * requests, then the oldest others, until at most `remainingFraction` of the limit is left. Adds
 * the number of dropped requests to `missing`. The changes of rows by dropped requests stay, so
 * that later states are correct.
 *
 * @returns the estimated size of the remaining steps in bytes
 */
export function dropRequests(
  worlds: readonly LimitedWorld[],
  limit: number,
  estimator: SizeEstimator,
): number {
  let size = sizeOf(worlds, estimator)
  if (size <= limit) return size
  const targetSize = limit * remainingFraction
  const dropped = new Set<CollectedStep>()
  for (const step of requestsInDropOrder(worlds)) {
    if (size <= targetSize) break
    dropped.add(step)
    size -= estimator.sizeOfStep(step)
  }
  for (const world of worlds) {
    world.missing += world.steps.filter((step) => dropped.has(step)).length
    world.steps = withoutRequests(world.steps, dropped)
  }
  return sizeOf(worlds, estimator)
}

function sizeOf(worlds: readonly LimitedWorld[], estimator: SizeEstimator): number {
  let size = 0
  for (const { steps } of worlds) for (const step of steps) size += estimator.sizeOfStep(step)
  return size
}

/**
 * Returns all requests in the order in which they are dropped: first the served requests from the
 * oldest to the newest, then the others.
 */
function requestsInDropOrder(worlds: readonly LimitedWorld[]): readonly CollectedStep[] {
  const served: CollectedStep[] = []
  const others: CollectedStep[] = []
  for (const { steps } of worlds) {
    for (const step of steps) {
      if (step.kind !== 'request') continue
      ;(outcomeOf(step.record) === 'served' ? served : others).push(step)
    }
  }
  const byTime = (one: CollectedStep, other: CollectedStep) => one.time - other.time
  return [...served.sort(byTime), ...others.sort(byTime)]
}

/**
 * Returns the steps without the dropped requests. Changes that belong to no remaining request are
 * merged if no other step lies between them.
 */
function withoutRequests(
  steps: readonly CollectedStep[],
  dropped: ReadonlySet<CollectedStep>,
): CollectedStep[] {
  const droppedRecords = new Set<unknown>(
    [...dropped].map((step) => (step.kind === 'request' ? step.record : undefined)),
  )
  const kept: CollectedStep[] = []
  let orphans: ChangesStep[] = []
  const mergeOrphans = () => {
    const last = orphans.at(-1)
    if (last === undefined) return
    const changes = mergeChanges(orphans)
    if (changes.length > 0) kept.push({ ...last, record: undefined, changes })
    orphans = []
  }
  for (const step of steps) {
    if (dropped.has(step)) continue
    const isOrphan =
      step.kind === 'changes' && (step.record === undefined || droppedRecords.has(step.record))
    if (isOrphan) {
      orphans.push(step)
      continue
    }
    mergeOrphans()
    kept.push(step)
  }
  mergeOrphans()
  return kept
}

type ChangesStep = Extract<CollectedStep, { kind: 'changes' }>

/** Merges the changes of each row into one change. A row that ends as it began is left out. */
function mergeChanges(steps: readonly ChangesStep[]): readonly CollectedChange[] {
  const rows = new Map<string, CollectedChange>()
  for (const { changes } of steps) {
    for (const { table, key, before, after } of changes) {
      const rowName = `${table}/${key}`
      const earlier = rows.get(rowName)
      rows.set(rowName, {
        table,
        key,
        before: earlier === undefined ? before : earlier.before,
        after,
      })
    }
  }
  return [...rows.values()].filter(({ before, after }) => !isSameRow(before, after))
}

function isSameRow(before: Row | undefined, after: Row | undefined): boolean {
  if (before === undefined || after === undefined) return before === after
  const patch = patchOf(before, after)
  return patch !== undefined && isEmptyPatch(patch)
}
