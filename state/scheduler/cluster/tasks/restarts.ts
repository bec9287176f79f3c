import { formatGoDuration } from '../../../go/duration.ts'
import type { RestartPolicy } from '../../job/scheduling-shapes.ts'
import { withinPolicyReason } from '../allocations/task-events.ts'
import type { TaskRuntime } from '../model/tables.ts'

/** Decision about a task that ended. */
interface RestartDecision {
  readonly verdict: 'restart' | 'done' | 'failed'
  readonly reason: string
  /** Nanoseconds until the restart, before scaling. */
  readonly delay: number
  /** True if the number of restarts is unlimited. */
  readonly endless: boolean
  readonly restarts: number
  readonly since: number
}

/** The end of a task, as the restart policy sees it. */
export interface TaskEnding {
  /** True for exit code 0 without a signal. */
  readonly success: boolean
  /** True if the task could not be started. */
  readonly neverStarted: boolean
  /** True if a failed start may be retried. */
  readonly recoverable: boolean
  /** True if success completes the task: tasks of batch jobs, and hooks that are not sidecars. */
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
  // As in the reference, the policy comes before the kind of error.
  if (policy === null || policy.Attempts === 0) {
    return { ...unchanged, verdict: 'failed', reason: 'Policy allows no restarts' }
  }
  if (taskEnding.neverStarted && !taskEnding.recoverable) {
    return { ...unchanged, verdict: 'failed', reason: 'Error was unrecoverable' }
  }
  const isIntervalOver = now > since + interval
  // As in the reference, the restart that begins an interval does not count in it.
  const updatedCounts = isIntervalOver
    ? { restarts: 0, since: now }
    : { restarts: restarts + 1, since }
  if (updatedCounts.restarts <= policy.Attempts) {
    return {
      ...updatedCounts,
      verdict: 'restart',
      reason: withinPolicyReason,
      delay: policy.Delay,
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
    delay: Math.round(remainingShare * policy.Interval),
    endless: true,
  }
}
