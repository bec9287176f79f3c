import { MILLISECOND } from '../../../go/duration.ts'
import { greatest } from '../../../kernel/lists.ts'
import { parseTimestamp } from '../../../kernel/time.ts'
import type { ReschedulePolicy } from '../../job/scheduling-shapes.ts'
import type { Allocation, RescheduleEvent } from '../model/allocation-shapes.ts'
import { groupOf } from './feasibility.ts'

/**
 * Maximum number of earlier reschedule events that a replacement keeps if no policy limits the
 * attempts.
 */
const maxUnlimitedEvents = 5

/**
 * Returns the reschedule policy of an allocation's group, as it was when the allocation was placed
 * or last updated. Returns null if the group has no policy.
 */
export function reschedulePolicyOf(allocation: Allocation): ReschedulePolicy | null {
  return groupOf(allocation)?.ReschedulePolicy ?? null
}

export function isReschedulingEnabled(
  policy: ReschedulePolicy | null | undefined,
): policy is ReschedulePolicy {
  return policy != null && (policy.Unlimited || policy.Attempts > 0)
}

/**
 * Returns the time at which the last task of an allocation ended, in milliseconds since 1970. If no
 * task has ended, returns the time of the allocation's last change.
 */
export function endedAt({ TaskStates, ModifyTime }: Allocation): number {
  const endTimes = Object.values(TaskStates ?? {}).map(
    ({ FinishedAt }) => parseTimestamp(FinishedAt ?? '') ?? 0,
  )
  const last = Math.max(0, greatest(endTimes))
  return last > 0 ? last : ModifyTime / MILLISECOND
}

function trackerEvents({ RescheduleTracker }: Allocation): readonly RescheduleEvent[] {
  return RescheduleTracker?.Events ?? []
}

/**
 * Returns the delay between the failure of an allocation and its replacement, in nanoseconds. The
 * policy decides whether the delay is constant, doubles each time, or is the sum of the last two
 * delays. If `MaxDelay` is positive, growing delays are limited to `MaxDelay`. When a delay would
 * exceed `MaxDelay` and the allocation ran longer than `MaxDelay`, the delay is the policy's
 * `Delay` again.
 */
export function nextDelay(allocation: Allocation, policy: ReschedulePolicy): number {
  const events = trackerEvents(allocation)
  const last = events.at(-1)
  if (last === undefined) return Number(policy.Delay)
  const delay = grownDelay(events, last, policy)
  if (policy.DelayFunction === 'constant' || policy.MaxDelay <= 0 || delay <= policy.MaxDelay) {
    return delay
  }
  const runTime = endedAt(allocation) * MILLISECOND - last.RescheduleTime
  return Number(runTime > policy.MaxDelay ? policy.Delay : policy.MaxDelay)
}

function grownDelay(
  events: readonly RescheduleEvent[],
  last: RescheduleEvent,
  policy: ReschedulePolicy,
): number {
  if (policy.DelayFunction === 'exponential') return last.Delay * 2
  if (policy.DelayFunction !== 'fibonacci') return Number(policy.Delay)
  const before = events.at(-2)
  if (before === undefined) return Number(policy.Delay)
  const wasReset = before.Delay === policy.MaxDelay && last.Delay === policy.Delay
  return wasReset ? last.Delay : last.Delay + before.Delay
}

/**
 * Returns true if the policy allows another attempt for a failed allocation
 * (behaviour/scheduler#task-events).
 *
 * @param interval the policy's `Interval` in milliseconds, multiplied by the time scale
 * @param at end of the interval in milliseconds since 1970; by default the time at which the
 *   allocation ended
 */
export function canReschedule(
  allocation: Allocation,
  policy: ReschedulePolicy | null,
  interval: number,
  at = endedAt(allocation),
): boolean {
  if (policy === null) return false
  if (policy.Unlimited) return true
  const recentEvents = trackerEvents(allocation).filter(
    ({ RescheduleTime }) => at - RescheduleTime / MILLISECOND < interval,
  )
  return recentEvents.length < policy.Attempts
}

/**
 * Returns the allocation's reschedule tracker, with `LastReschedule` as the result of the last
 * attempt to replace the allocation.
 */
export function annotatedTracker(allocation: Allocation, LastReschedule: 'ok' | 'no placement') {
  return { Events: trackerEvents(allocation), LastReschedule }
}

/**
 * Returns the reschedule events of a replacement: the recent events of the failed allocation, and
 * an event for this attempt.
 *
 * @param now in milliseconds since 1970
 * @param interval the policy's `Interval` in milliseconds, multiplied by the time scale
 */
export function nextTrackerEvents(
  previous: Allocation,
  policy: ReschedulePolicy | null,
  now: number,
  interval: number,
): readonly RescheduleEvent[] {
  const events = trackerEvents(previous)
  const kept =
    policy !== null && policy.Attempts > 0
      ? events.filter(({ RescheduleTime }) => now - RescheduleTime / MILLISECOND <= interval)
      : events.slice(-maxUnlimitedEvents)
  const event: RescheduleEvent = {
    PrevAllocID: previous.ID,
    PrevNodeID: previous.NodeID,
    RescheduleTime: now * MILLISECOND,
    Delay: policy === null ? 0 : nextDelay(previous, policy),
  }
  return [...kept, event]
}
