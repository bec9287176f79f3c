import type { Allocation } from '../model/allocation-shapes.ts'
import { stopDescriptions } from '../placement/plan-builder.ts'
import type { SortedAllocations } from './allocation-sorting.ts'

/**
 * Separates canaries from the allocations that count towards the desired number of the group
 * (behaviour/scheduler#updates).
 * @param placedIds IDs of the canaries that the active deployment has placed
 */
export function separateCanaries(sorted: SortedAllocations, placedIds: ReadonlySet<string>) {
  const { kept, migrating, lost, rescheduled, disconnected } = sorted
  const allSorted = [kept, migrating, lost, rescheduled, disconnected].flat()
  return {
    nonCanaries: filterSorted(sorted, (allocation) => !isCanary(allocation)),
    /** Canaries of the current rollout, which are not promoted yet. */
    canaries: filterSorted(
      sorted,
      (allocation) => isCanary(allocation) && placedIds.has(allocation.ID),
    ),
    /** Canaries of an earlier rollout, which ended without promotion. */
    staleCanaries: allSorted.filter(
      (allocation) => isCanary(allocation) && !placedIds.has(allocation.ID),
    ),
  }
}

function isCanary({ DeploymentStatus }: Allocation): boolean {
  return DeploymentStatus?.Canary === true
}

function filterSorted(sorted: SortedAllocations, test: (allocation: Allocation) => boolean) {
  return {
    kept: sorted.kept.filter(test),
    migrating: sorted.migrating.filter(test),
    lost: sorted.lost.filter(test),
    rescheduled: sorted.rescheduled.filter(test),
    delayed: sorted.delayed.filter(test),
    disconnected: sorted.disconnected.filter(test),
    disconnectedUnreplaced: sorted.disconnectedUnreplaced.filter(test),
  }
}

/**
 * An allocation to replace, and the description with which this allocation is stopped. If the
 * description is empty, the allocation is not stopped.
 */
type ReplacedAllocation = readonly [previous: Allocation, description: string]

/** Returns the allocations that need a replacement, in the order in which they are replaced. */
export function allocationsToReplace({
  lost,
  rescheduled,
  migrating,
  disconnected,
}: SortedAllocations): readonly ReplacedAllocation[] {
  return [
    ...lost.map((previous) => [previous, stopDescriptions.lost] as const),
    ...rescheduled.map((previous) => [previous, stopDescriptions.rescheduled] as const),
    ...migrating.map((previous) => [previous, stopDescriptions.migrated] as const),
    ...disconnected.map((previous) => [previous, ''] as const),
  ]
}
