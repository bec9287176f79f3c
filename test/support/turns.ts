import { onTestFinished, vi } from 'vitest'

/**
 * Makes each reading of the monotonic clock `step` milliseconds later than the one before, until
 * the end of the test.
 */
export function slowClock(step = 1): void {
  let readings = 0
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => readings++ * step)
  onTestFinished(() => spy.mockRestore())
}

/** Runs work and returns the number of turns of the event loop during which other work can run. */
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
