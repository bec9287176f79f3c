import { MILLISECOND } from '../../go/duration.ts'
import type { Allocation } from '../cluster/model/allocation-shapes.ts'
import { isTerminal } from '../cluster/model/allocation-status.ts'
import type { Job } from '../job/job-shape.ts'

/**
 * Tells whether an allocation has no say in anything any more (behaviour/scheduler#operator):
 * it is terminal and does not run, and if it failed, it was replaced or never will be.
 *
 * @param job that it was placed for; undefined when that is gone
 * @param now in milliseconds since 1970
 */
export function isGcEligible(allocation: Allocation, job: Job | undefined, now: number): boolean {
  if (!isTerminal(allocation) || allocation.ClientStatus === 'running') return false
  if (job === undefined || job.Stop || job.Status === 'dead') return true
  if (allocation.DesiredStatus !== 'run' || allocation.ClientStatus !== 'failed') return true
  return allocation.NextAllocation !== '' || !mayBeRescheduled(allocation, job, now)
}

/** Tells whether a failed allocation may still be placed anew, or is counted when another one is. */
function mayBeRescheduled(allocation: Allocation, { TaskGroups }: Job, now: number): boolean {
  const policy = TaskGroups?.find(({ Name }) => Name === allocation.TaskGroup)?.ReschedulePolicy
  if (!policy || (!policy.Unlimited && policy.Attempts === 0)) return false
  const last = policy.Unlimited ? undefined : allocation.RescheduleTracker?.Events?.at(-1)
  return last === undefined || now * MILLISECOND - last.RescheduleTime <= policy.Interval
}
