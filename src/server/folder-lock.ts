import { rmSync, statSync, writeFileSync } from 'node:fs'
import { setAlarm, wallClock } from '../../state/kernel/time.ts'

/** Milliseconds between two attempts to take a lock, and after which a lock counts as left behind. */
const pollInterval = 50
const staleAge = 10_000

/**
 * Runs work while a lock file exists, which only one process can create. A file that a dead process
 * left behind is removed after ten seconds.
 *
 * @param otherwise called with the error if the file cannot be created
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  otherwise: (error: unknown) => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      writeFileSync(file, `${process.pid}\n`, { flag: 'wx' })
      break
    } catch (error) {
      if (!(error instanceof Error) || Reflect.get(error, 'code') !== 'EEXIST') {
        return await otherwise(error)
      }
      if (isStale(file)) rmSync(file, { force: true })
      else await new Promise<void>((resolve) => void setAlarm(pollInterval, resolve))
    }
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

/** Returns true if the lock is older than any work under it. */
function isStale(file: string): boolean {
  const age = wallClock() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? wallClock())
  return age > staleAge
}
