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

/** Trace that is written before the process ends. */
interface EndingTrace {
  /** Writes the trace; called before the server closes. Returns false if it cannot be written. */
  write(): Promise<boolean>
  /** Stops the writing and removes what was written of the trace. */
  abandon(): void
}

/**
 * Ends the process on SIGTERM and SIGINT (behaviour/program#command). The first signal closes the
 * server and exits with 0, or with 1 if closing fails; the second exits with 1 at once. If closing
 * takes longer than `closeTimeout`, the process exits with 0. The process waits for the trace
 * before it exits, and exits with 1 if the trace cannot be written.
 *
 * @returns the signal handler
 */
export function endOnSignals(
  target: SignalTarget,
  close: () => Promise<void>,
  trace?: EndingTrace,
): () => void {
  let isClosing = false
  const end = (): void => {
    if (isClosing) {
      trace?.abandon()
      target.exit(1)
      return
    }
    isClosing = true
    const writing = trace?.write() ?? Promise.resolve(true)
    const exit = async (code: number) => target.exit((await writing) ? code : 1)
    setAlarm(closeTimeout, () => void exit(0))
    close().then(
      () => exit(0),
      (error) => {
        target.stderr.write(`understudy: ${reasonOf(error)}\n`)
        void exit(1)
      },
    )
  }
  // Both signals share one handler, because replacing a handler could lose a signal.
  target.on('SIGTERM', end)
  target.on('SIGINT', end)
  return end
}
