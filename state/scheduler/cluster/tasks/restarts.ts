import { formatGoDuration } from '../../../go/duration.ts'
import type { RestartPolicy } from '../../job/scheduling-shapes.ts'
import { withinPolicyReason } from '../allocations/task-events.ts'
import type { TaskRuntime } from '../model/tables.ts'

/** Decision of the restart policy about a task that has ended. */
interface RestartDecision {
  readonly verdict: 'restart' | 'done' | 'failed'
  readonly reason: string
  /** Time until the restart in nanoseconds, before scaling. */
  readonly delay: number
  /** True if the number of restarts is unlimited. */
  readonly endless: boolean
  readonly restarts: number
  readonly since: number
}

/** Facts about the end of a task on which the restart policy depends. */
export interface TaskEnding {
  /** True for exit code 0 without a signal. */
  readonly success: boolean
  /** True if the task could not be started. */
  readonly neverStarted: boolean
  /** True if a start that failed may be retried. */
  readonly recoverable: boolean
  /**
   * True if the task is complete once it succeeds. This holds for tasks of batch jobs, and for
   * hooks that are not sidecars.
   */
  readonly endsByItself: boolean
}

/**
 * Returns what the restart policy decides about a task that has ended (behaviour/scheduler#cluster;
 * the reference's restart tracker).
 *
 * @param now in milliseconds since 1970
 * @param interval scaled length of the policy's `Interval`, in milliseconds
 */
export function decideRestart(
  policy: RestartPolicy | null,
  { restarts, since }: Pick<TaskRuntime, 'restarts' | 'since'>,
  taskEnding: TaskEnding,
  now: number,
  interval: number,
): RestartDecision {
  const unchanged = { delay: 0, endless: false, restarts, since }
  if (taskEnding.success && !taskEnding.neverStarted && taskEnding.endsByItself) {
    return { ...unchanged, verdict: 'done', reason: '' }
  }
  // As in the reference, the policy is checked before the kind of error.
  if (policy === null || policy.Attempts === 0) {
    return { ...unchanged, verdict: 'failed', reason: 'Policy allows no restarts' }
  }
  if (taskEnding.neverStarted && !taskEnding.recoverable) {
    return { ...unchanged, verdict: 'failed', reason: 'Error was unrecoverable' }
  }
  const isIntervalOver = now > since + interval
  // As in the reference, the restart with which an interval begins does not count in this interval.
  const updatedCounts = isIntervalOver
    ? { restarts: 0, since: now }
    : { restarts: restarts + 1, since }
  if (updatedCounts.restarts <= policy.Attempts) {
    return {
      ...updatedCounts,
      verdict: 'restart',
      reason: withinPolicyReason,
      delay: Number(policy.Delay),
      endless: false,
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
    endless: true,
  }
}
