import { formatGoDuration } from '../../../go/duration.ts'
import type { RestartPolicy } from '../../job/scheduling-shapes.ts'
import { withinPolicyReason } from '../allocations/task-events.ts'
import type { TaskRuntime } from '../model/tables.ts'

/** The fate of a task that ended. */
interface RestartDecision {
  readonly verdict: 'restart' | 'done' | 'failed'
  readonly reason: string
  /** Nanoseconds until the restart, as the policy counts them. */
  readonly delay: number
  /** The restart may be repeated for ever. */
  readonly endless: boolean
  readonly restarts: number
  readonly since: number
}

/** The end of a task. */
export interface TaskEnding {
  /** Exit code 0, no signal. */
  readonly success: boolean
  /** It could not even be started. */
  readonly neverStarted: boolean
  /** A start that failed may be tried again. */
  readonly recoverable: boolean
  /** It has done its work when it ends well: tasks of batch jobs, and hooks that are no sidecars. */
  readonly endsByItself: boolean
}

/**
 * Returns what the restart policy says (behaviour/scheduler#cluster; the reference's
 * restart tracker).
 *
 * @param now in milliseconds since 1970
 * @param interval milliseconds that the policy's Interval takes here
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
  if (taskEnding.neverStarted && !taskEnding.recoverable) {
    return { ...unchanged, verdict: 'failed', reason: 'Error was unrecoverable' }
  }
  if (policy === null || policy.Attempts === 0) {
    return { ...unchanged, verdict: 'failed', reason: 'Policy allows no restarts' }
  }
  const isIntervalOver = now > since + interval
  // The restart that begins an interval does not count in it, as in the reference.
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
