import { setAlarm } from '../../state/kernel/time.ts'
import { reasonOf } from '../config-error.ts'

/** Part of `process` that signal handlers need. */
interface SignalTarget {
  readonly stderr: { write(line: string): unknown }
  on(signal: 'SIGTERM' | 'SIGINT', handle: () => void): unknown
  exit(code: number): void
}

/** Milliseconds after which open requests are cut off, so that the process ends within 250 ms. */
const closeTimeout = 150

/**
 * Ends the process on SIGTERM and SIGINT (behaviour/program#command). The first signal closes the
 * server and exits with 0, or with 1 if closing fails; the second exits with 1 at once.
 *
 * @returns the signal handler
 */
export function endOnSignals(target: SignalTarget, close: () => Promise<void>): () => void {
  let closing = false
  const end = (): void => {
    if (closing) {
      target.exit(1)
      return
    }
    closing = true
    setAlarm(closeTimeout, () => target.exit(0))
    close().then(
      () => target.exit(0),
      (error) => {
        target.stderr.write(`understudy: ${reasonOf(error)}\n`)
        target.exit(1)
      },
    )
  }
  // Both signals share one handler, because replacing a handler could lose a signal.
  target.on('SIGTERM', end)
  target.on('SIGINT', end)
  return end
}
