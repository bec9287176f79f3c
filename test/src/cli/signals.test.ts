import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { endOnSignals } from '../../../src/cli/signals.ts'

/**
 * Returns a substitute for `process`. The test sends signals by hand, and exits are recorded in a
 * list.
 */
function target() {
  const handlers: (() => void)[] = []
  const codes: number[] = []
  const lines: string[] = []
  return {
    codes,
    lines,
    signals: [] as string[],
    stderr: { write: (line: string) => lines.push(line) },
    on(signal: string, handle: () => void) {
      this.signals.push(signal)
      handlers.push(handle)
    },
    exit: (code: number) => void codes.push(code),
    send: (index: number) => handlers[index]?.(),
  }
}

const never = (): Promise<void> => new Promise(() => {})

describe('behaviour/program#command: SIGTERM and SIGINT', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  test('either closes, then exits with 0', async () => {
    for (const index of [0, 1]) {
      const process = target()
      const close = vi.fn(() => Promise.resolve())
      endOnSignals(process, close)
      expect(process.signals).toEqual(['SIGTERM', 'SIGINT'])
      expect(close).not.toHaveBeenCalled()
      process.send(index)
      await vi.advanceTimersByTimeAsync(0)
      expect(close).toHaveBeenCalledTimes(1)
      expect(process.codes).toEqual([0])
    }
  })

  test('closing that takes too long is cut off in time for the 250 ms', async () => {
    const process = target()
    endOnSignals(process, never)
    process.send(0)
    await vi.advanceTimersByTimeAsync(100)
    expect(process.codes).toEqual([])
    await vi.advanceTimersByTimeAsync(100)
    expect(process.codes).toEqual([0])
  })

  // choice/process#exit-codes
  test('a second signal exits at once, and closes nothing twice', () => {
    const process = target()
    const close = vi.fn(never)
    endOnSignals(process, close)
    process.send(0)
    process.send(1)
    expect(process.codes).toEqual([1])
    expect(close).toHaveBeenCalledTimes(1)
  })

  // choice/process#exit-codes
  test('a failure while closing is printed, and exits with code 1', async () => {
    const process = target()
    endOnSignals(process, () => Promise.reject(new Error('cannot close')))
    process.send(0)
    await vi.advanceTimersByTimeAsync(0)
    expect(process.codes).toEqual([1])
    expect(process.lines).toEqual(['understudy: cannot close\n'])
  })
})
