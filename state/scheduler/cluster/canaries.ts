import type { Allocation } from './allocation-shapes.ts'
import type { Sorted } from './allocation-sorting.ts'
import { stopDescriptions } from './plan-builder.ts'

/** A group's allocations, its canaries apart from the others. */
interface Parted {
  readonly others: Sorted
  /** Canaries of the version that is rolled out, until they are promoted. */
  readonly canaries: Sorted
  /** Canaries of a rollout that did not come to its end. */
  readonly stale: readonly Allocation[]
}

/**
 * Parts canaries from the allocations of a group that count for its number
 * (behaviour/scheduler#updates).
 *
 * @param placed the IDs of the canaries that the deployment under way has placed
 */
export function partCanaries(sorted: Sorted, placed: ReadonlySet<string>): Parted {
  const { kept, migrating, lost, rescheduled, away } = sorted
  const all = [kept, migrating, lost, rescheduled, away].flat()
  return {
    others: only(sorted, (allocation) => !isCanary(allocation)),
    canaries: only(sorted, (allocation) => isCanary(allocation) && placed.has(allocation.ID)),
    stale: all.filter((allocation) => isCanary(allocation) && !placed.has(allocation.ID)),
  }
}

function isCanary({ DeploymentStatus }: Allocation): boolean {
  return DeploymentStatus?.Canary === true
}

function only(sorted: Sorted, test: (allocation: Allocation) => boolean): Sorted {
  return {
    kept: sorted.kept.filter(test),
    migrating: sorted.migrating.filter(test),
    lost: sorted.lost.filter(test),
    rescheduled: sorted.rescheduled.filter(test),
    later: sorted.later.filter(test),
    away: sorted.away.filter(test),
    silent: sorted.silent.filter(test),
  }
}

/** An allocation that another makes up for, and why it is stopped; '' when it is not. */
type Gone = readonly [previous: Allocation, text: string]

/** Returns what has to be made up for, the most urgent first. */
export function goneOf({ lost, rescheduled, migrating, away }: Sorted): readonly Gone[] {
  return [
    ...lost.map((previous) => [previous, stopDescriptions.lost] as const),
    ...rescheduled.map((previous) => [previous, stopDescriptions.rescheduled] as const),
    ...migrating.map((previous) => [previous, stopDescriptions.migrated] as const),
    ...away.map((previous) => [previous, ''] as const),
  ]
}
