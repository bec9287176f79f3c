import { Refusal } from '../../state/kernel/refusal.ts'
import type { Reading } from './operation.ts'

/**
 * The reading of something that has indexes; what does not exist tells the index of its table
 * (behaviour/scheduler#conventions: headers of reads also on their 404s).
 */
export function readOr404<T extends { readonly ModifyIndex: number }>(
  tableIndex: () => number,
  read: () => T,
): Reading {
  return readOrAbsent(tableIndex, read, ({ ModifyIndex }) => ModifyIndex)
}

/**
 * The reading of something, or of its absence with a 404 of the same headers. The index of the table is
 * read only if it is told: who waits for what is there does not wait for the rest.
 */
export function readOrAbsent<T>(
  tableIndex: () => number,
  read: () => T,
  indexOf: (found: T) => number = tableIndex,
): Reading {
  try {
    const body = read()
    return { index: indexOf(body), body }
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== 'absent') throw error
    return { index: tableIndex(), absent: error.reason }
  }
}
