import { formatGoDuration, SECOND } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { RestartPolicy } from '../job/scheduling-shapes.ts'
import { failing } from './errors.ts'

const shortestInterval = 5 * SECOND

/** What is wrong with a group's restarts (3b-scheduler-decisions.md section 5, restart). */
export function restartErrors({
  Attempts,
  Interval,
  Delay,
  Mode,
}: RestartPolicy): readonly string[] {
  const interval = formatGoDuration(Interval)
  const delay = formatGoDuration(Delay)
  return failing(
    [Mode !== 'delay' && Mode !== 'fail', `Unsupported restart mode: ${quoteGo(Mode)}`],
    [
      Attempts === 0 && Mode !== 'fail',
      `Restart policy ${quoteGo(Mode)} with 0 attempts is ambiguous`,
    ],
    [Interval < shortestInterval, `Interval can not be less than 5s (got ${interval})`],
    [
      Attempts * Delay > Interval,
      `Sched can't restart the TaskGroup ${Attempts} times in an interval of ${interval} with a ` +
        `delay of ${delay}`,
    ],
  )
}
