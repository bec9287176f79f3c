import { formatGoDuration } from '../../../go/duration.ts'
import type { RestartPolicy } from '../../job/scheduling-shapes.ts'
import { withinPolicyReason } from '../allocations/task-events.ts'
import type { TaskRuntime } from '../model/tables.ts'

/** Result of the restart policy for a task that has ended. */
interface RestartDecision {
  readonly verdict: 'restart' | 'done' | 'failed'
  readonly reason: string
  /** Nanoseconds until the restart, not yet multiplied by the time scale. */
  readonly delay: number
  /** True if the restart exceeds the policy's `Attempts`. The policy's mode then is not `fail`. */
  readonly exceedsAttempts: boolean
  readonly restarts: number
  readonly since: number
}

/** Properties of a task's end that matter to the restart policy. */
export interface TaskEnding {
  /** True for exit code 0 without a signal. */
  readonly isSuccess: boolean
  readonly neverStarted: boolean
  /** True if a failed start may be tried again. */
  readonly isRecoverable: boolean
  /**
   * True if a successful exit completes the task: for tasks of batch jobs, for hooks that are not
   * sidecars, and for exits after which the task must not restart.
   */
  readonly endsByItself: boolean
}

/**
 * Decides whether a task that has ended restarts. Applies the restart policy as the reference's
 * restart tracker does (behaviour/scheduler#task-events).
 *
 * @param now in milliseconds since 1970
 * @param interval the policy's `Interval` in milliseconds, multiplied by the time scale
 */
export function decideRestart(
  policy: RestartPolicy | null,
  { restarts, since }: Pick<TaskRuntime, 'restarts' | 'since'>,
  taskEnding: TaskEnding,
  now: number,
  interval: number,
): RestartDecision {
  const unchanged = { delay: 0, exceedsAttempts: false, restarts, since }
  if (taskEnding.isSuccess && !taskEnding.neverStarted && taskEnding.endsByItself) {
    return { ...unchanged, verdict: 'done', reason: '' }
  }
  // As in the reference, this check comes before the check for unrecoverable errors.
  if (policy === null || policy.Attempts === 0) {
    return { ...unchanged, verdict: 'failed', reason: 'Policy allows no restarts' }
  }
  if (taskEnding.neverStarted && !taskEnding.isRecoverable) {
    return { ...unchanged, verdict: 'failed', reason: 'Error was unrecoverable' }
  }
  const isIntervalOver = now > since + interval
  // As in the reference, the restart that begins a new interval is not counted.
  const updatedCounts = isIntervalOver
    ? { restarts: 0, since: now }
    : { restarts: restarts + 1, since }
  if (updatedCounts.restarts <= policy.Attempts) {
    return {
      ...updatedCounts,
      verdict: 'restart',
      reason: withinPolicyReason,
      delay: Number(policy.Delay),
      exceedsAttempts: false,
    }
  }
  if (policy.Mode === 'fail') {
    const attemptsText = `${policy.Attempts} in interval ${formatGoDuration(policy.Interval)}`
    const reason = `Exceeded allowed attempts ${attemptsText} and mode is "fail"`
    return { ...unchanged, ...updatedCounts, verdict: 'failed', reason }
  }
  const remainingShare = interval <= 0 ? 0 : Math.max(0, since + interval - now) / interval
  return {
    ...updatedCounts,
    verdict: 'restart',
    reason: 'Exceeded allowed attempts, applying a delay',
    delay: Math.round(remainingShare * Number(policy.Interval)),
    exceedsAttempts: true,
  }
}
