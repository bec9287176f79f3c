import { MILLISECOND } from '../../../go/duration.ts'
import { greatest } from '../../../kernel/lists.ts'
import { parseTimestamp } from '../../../kernel/time.ts'
import type { ReschedulePolicy } from '../../job/scheduling-shapes.ts'
import type { Allocation, RescheduleEvent } from '../model/allocation-shapes.ts'
import { groupOf } from './feasibility.ts'

/** Maximum number of earlier events to keep under an unlimited policy. */
const maxUnlimitedEvents = 5

/** Returns the reschedule policy under which an allocation was placed. */
export function reschedulePolicyOf(allocation: Allocation): ReschedulePolicy | null {
  return groupOf(allocation)?.ReschedulePolicy ?? null
}

/** Returns true if a policy allows any attempt to reschedule. */
export function isReschedulingEnabled(
  policy: ReschedulePolicy | null | undefined,
): policy is ReschedulePolicy {
  return policy != null && (policy.Unlimited || policy.Attempts > 0)
}

/**
 * Returns when an allocation's last task ended, or if none has ended, when the allocation was last
 * changed; in milliseconds since 1970.
 */
export function endedAt({ TaskStates, ModifyTime }: Allocation): number {
  const ends = Object.values(TaskStates ?? {}).map(
    ({ FinishedAt }) => parseTimestamp(FinishedAt ?? '') ?? 0,
  )
  const last = Math.max(0, greatest(ends))
  return last > 0 ? last : ModifyTime / MILLISECOND
}

function trackerEvents({ RescheduleTracker }: Allocation): readonly RescheduleEvent[] {
  return RescheduleTracker?.Events ?? []
}

/**
 * Returns the delay between an allocation's failure and its replacement, in nanoseconds: constant,
 * doubled, or the sum of the last two, at most MaxDelay. If a replacement ran longer than MaxDelay,
 * the sequence starts again.
 */
export function nextDelay(allocation: Allocation, policy: ReschedulePolicy): number {
  const events = trackerEvents(allocation)
  const last = events.at(-1)
  if (last === undefined) return policy.Delay
  const delay = grownDelay(events, last, policy)
  if (policy.DelayFunction === 'constant' || policy.MaxDelay <= 0 || delay <= policy.MaxDelay) {
    return delay
  }
  const ranFor = endedAt(allocation) * MILLISECOND - last.RescheduleTime
  return ranFor > policy.MaxDelay ? policy.Delay : policy.MaxDelay
}

function grownDelay(
  events: readonly RescheduleEvent[],
  last: RescheduleEvent,
  policy: ReschedulePolicy,
): number {
  if (policy.DelayFunction === 'exponential') return last.Delay * 2
  if (policy.DelayFunction !== 'fibonacci') return policy.Delay
  const before = events.at(-2)
  if (before === undefined) return policy.Delay
  const wasReset = before.Delay === policy.MaxDelay && last.Delay === policy.Delay
  return wasReset ? last.Delay : last.Delay + before.Delay
}

/**
 * Returns true if a failed allocation may be rescheduled (behaviour/scheduler#cluster).
 *
 * @param interval scaled length of the policy's `Interval`, in milliseconds
 * @param at instant from which the interval reaches back, in milliseconds since 1970; the end of
 *   the allocation by default
 */
export function canReschedule(
  allocation: Allocation,
  policy: ReschedulePolicy | null,
  interval: number,
  at = endedAt(allocation),
): boolean {
  if (policy === null) return false
  if (policy.Unlimited) return true
  const recent = trackerEvents(allocation).filter(
    ({ RescheduleTime }) => at - RescheduleTime / MILLISECOND < interval,
  )
  return recent.length < policy.Attempts
}

/** Returns the tracker of an allocation after an attempt to replace it. */
export function annotatedTracker(allocation: Allocation, LastReschedule: 'ok' | 'no placement') {
  return { Events: trackerEvents(allocation), LastReschedule }
}

/**
 * Returns the reschedule events of the allocation that replaces a failed one.
 *
 * @param now in milliseconds since 1970
 * @param interval scaled length of the policy's `Interval`, in milliseconds
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
