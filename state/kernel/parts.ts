import { monotonicTime, yieldToEventLoop } from './time.ts'

/** Work that pauses between its parts, so that other work of the process can run. */
export type InParts<T> = Generator<undefined, T>

/** Runs work without pauses and returns its result. */
export function runParts<T>(work: InParts<T>): T {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}

/** Maximum time, in milliseconds, for which work runs before it yields to the event loop. */
export const maxStepTime = 20

/**
 * Runs work, and yields to the event loop whenever the work has run for `maxStepTime`. If the work
 * ends before it first yields, returns the result; otherwise returns a promise of the result.
 */
export function runInTurns<T>(work: InParts<T>): T | Promise<T> {
  const step = runTurn(work)
  return step.done === true ? step.value : runRemainingTurns(work)
}

async function runRemainingTurns<T>(work: InParts<T>): Promise<T> {
  for (;;) {
    await yieldToEventLoop()
    const step = runTurn(work)
    if (step.done === true) return step.value
  }
}

/**
 * Runs parts of work until they have taken `maxStepTime` or the work has ended. Returns the last
 * step.
 */
function runTurn<T>(work: InParts<T>): IteratorResult<undefined, T> {
  const startedAt = monotonicTime()
  let step = work.next()
  while (step.done !== true && monotonicTime() - startedAt <= maxStepTime) step = work.next()
  return step
}

/**
 * Returns whether a result is work in parts: only a generator has both `next` and an iterator
 * method.
 */
export function isInParts(value: unknown): value is InParts<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && Symbol.iterator in value
}

/**
 * Runs work with its pauses and calls `check` after each pause. If `check` throws, the work ends.
 */
export function* checkPauses<T>(work: InParts<T>, check: () => void): InParts<T> {
  let step = work.next()
  while (step.done !== true) {
    yield
    check()
    step = work.next()
  }
  return step.value
}

/** Maps a list with a pause after each item. */
export function* mapInParts<T, U>(items: readonly T[], map: (item: T) => U): InParts<U[]> {
  const results: U[] = []
  for (const item of items) {
    results.push(map(item))
    yield
  }
  return results
}

/** Number of rows of a table that are read, checked or written between two pauses. */
const rowsPerPart = 50

/** Calls `work` for each piece of `rowsPerPart` items, with a pause after each piece. */
export function* forEachPiece<T>(
  items: readonly T[],
  work: (piece: readonly T[]) => void,
): InParts<void> {
  for (let at = 0; at < items.length; at += rowsPerPart) {
    work(items.slice(at, at + rowsPerPart))
    yield
  }
}
