import { onTestFinished, vi } from 'vitest'

/**
 * Replaces the monotonic clock until the end of the test. Each reading is `step` milliseconds later
 * than the previous one.
 */
export function slowClock(step = 1): void {
  let readings = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => readings++ * step)
  onTestFinished(() => spy.mockRestore())
}

/**
 * Runs work, and returns how often the event loop could run other callbacks before the work ended.
 */
export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  const count = () => {
    turns += 1
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  await work()
  clearImmediate(timer)
  return turns
}
