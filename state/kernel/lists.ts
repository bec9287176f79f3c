/**
 * Appends items to a list of any length. A spread in a call, as in `push(...list)`, throws a
 * RangeError from some 100,000 items on.
 */

export function appendAll<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item)
}

/** Returns the greatest number; -Infinity for an empty list. */
export function greatest(numbers: Iterable<number>): number {
  let found = -Infinity
  for (const number of numbers) if (!(number <= found)) found = number
  return found
}

/** Returns the least number; Infinity for an empty list. */
export function least(numbers: Iterable<number>): number {
  let found = Infinity
  for (const number of numbers) if (!(number >= found)) found = number
  return found
}
