import { formatGoDuration } from '../../go/duration.ts'
import type { RestartPolicy } from '../job/scheduling-shapes.ts'
import type { TaskLife } from './tables.ts'
import { withinPolicy } from './task-events.ts'

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
export interface Ending {
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
  { restarts, since }: Pick<TaskLife, 'restarts' | 'since'>,
  ending: Ending,
  now: number,
  interval: number,
): RestartDecision {
  const kept = { delay: 0, endless: false, restarts, since }
  if (ending.success && !ending.neverStarted && ending.endsByItself) {
    return { ...kept, verdict: 'done', reason: '' }
  }
  if (ending.neverStarted && !ending.recoverable) {
    return { ...kept, verdict: 'failed', reason: 'Error was unrecoverable' }
  }
  if (policy === null || policy.Attempts === 0) {
    return { ...kept, verdict: 'failed', reason: 'Policy allows no restarts' }
  }
  const isOver = now > since + interval
  // The restart that begins an interval does not count in it, as in the reference.
  const counted = isOver ? { restarts: 0, since: now } : { restarts: restarts + 1, since }
  if (counted.restarts <= policy.Attempts) {
    return {
      ...counted,
      verdict: 'restart',
      reason: withinPolicy,
      delay: policy.Delay,
      endless: false,
    }
  }
  if (policy.Mode === 'fail') {
    const within = `${policy.Attempts} in interval ${formatGoDuration(policy.Interval)}`
    const reason = `Exceeded allowed attempts ${within} and mode is "fail"`
    return { ...kept, ...counted, verdict: 'failed', reason }
  }
  const left = interval <= 0 ? 0 : Math.max(0, since + interval - now) / interval
  return {
    ...counted,
    verdict: 'restart',
    reason: 'Exceeded allowed attempts, applying a delay',
    delay: Math.round(left * policy.Interval),
    endless: true,
  }
}
