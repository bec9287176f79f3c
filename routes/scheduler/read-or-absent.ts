import { Refusal } from '../../state/kernel/refusal.ts'
import type { Reading } from './operation.ts'

/**
 * Reads an object with its ModifyIndex. For a missing object, returns a 404 with the index of its
 * table (behaviour/scheduler#conventions: 404s have read headers as well).
 */
export function readOr404<T extends { readonly ModifyIndex: number }>(
  tableIndex: () => number,
  read: () => T,
): Reading {
  return readOrAbsent(tableIndex, read, ({ ModifyIndex }) => ModifyIndex)
}

/**
 * Reads an object, or returns a 404 with read headers if it is missing. The index of the table is
 * read only for a missing object, so that a wait for an existing one does not end for changes to
 * others.
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
