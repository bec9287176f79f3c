/** Work that pauses between its parts, so that other work of the process can run. */
export type InParts<T> = Generator<undefined, T>

/** Runs work without pauses and returns its result. */
export function runParts<T>(work: InParts<T>): T {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}

/** Returns true for work that pauses between its parts. */
export function isInParts(value: unknown): value is InParts<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && Symbol.iterator in value
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
