import { formatGoDuration, SECOND } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import type { Message } from '../../kernel/message.ts'
import type { RestartPolicy } from '../job/scheduling-shapes.ts'
import { failedChecks } from './errors.ts'
import { message } from './scheduling-messages.ts'

const minInterval = 5 * SECOND

/** Finds what is wrong with a group's restarts (behaviour/scheduler#validation, restart). */
export function restartErrors({
  Attempts: attempts,
  Interval,
  Delay,
  Mode,
}: RestartPolicy): readonly Message[] {
  const interval = formatGoDuration(Interval)
  const mode = quoteGo(Mode)
  return failedChecks(
    Mode !== 'delay' && Mode !== 'fail' && message('restart-mode-unknown', { mode }),
    attempts === 0 && Mode !== 'fail' && message('restart-ambiguous', { mode }),
    Interval < minInterval && message('restart-interval-short', { interval }),
    attempts * Delay > Interval &&
      message('restart-impossible', { attempts, interval, delay: formatGoDuration(Delay) }),
  )
}
