import { setAlarm } from '../../state/kernel/time.ts'
import { reasonOf } from '../config-error.ts'

/** The part of `process` that is used. */
interface SignalTarget {
  readonly stderr: { write(line: string): unknown }
  on(signal: 'SIGTERM' | 'SIGINT', handle: () => void): unknown
  exit(code: number): void
}

/** Requests still open after this many milliseconds are cut off, to end within 250 ms. */
const closeTimeout = 150

/**
 * Ends the process on SIGTERM and SIGINT (behaviour/program#command): the first signal closes and exits with
 * 0, or with 1 when closing fails; the second exits with 1 at once.
 *
 * @returns what a signal does
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
  // One handler for both: replacing it in between loses a signal that is already on its way.
  target.on('SIGTERM', end)
  target.on('SIGINT', end)
  return end
}
