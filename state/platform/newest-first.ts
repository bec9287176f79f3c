import { sortableNumber } from '../kernel/sortable-number.ts'
import type { Table } from '../kernel/store/open-table.ts'
import type { Row } from '../kernel/store/table.ts'

/**
 * Number from which the numbers in keys count down. The key of the n-th row of a parent is
 * `<parent>/<maxSequence - n>`, so the newest row has the first key. Callers never delete only some
 * rows of a parent, so the number of rows follows from the first key.
 */
const maxSequence = 10 ** 12

function newestFirstKey(parent: string, number: number): string {
  return `${parent}/${sortableNumber(maxSequence - number, 13)}`
}

export function countRows<R extends Row>(table: Table<R>, parent: string): number {
  const key = table.ceiling(`${parent}/`)?.[0]
  if (key === undefined || !key.startsWith(`${parent}/`)) return 0
  return maxSequence - Number(key.slice(parent.length + 1))
}

/** Returns the key for a new row of a parent. */
export function nextNewestFirstKey<R extends Row>(table: Table<R>, parent: string): string {
  return newestFirstKey(parent, countRows(table, parent) + 1)
}

/**
 * Returns the rows from index `start` up to, but not including, `end`, newest first. Reads only
 * those rows.
 */
export function rowRange<R extends Row>(
  table: Table<R>,
  parent: string,
  start: number,
  end: number,
): R[] {
  const rows: R[] = []
  const first = countRows(table, parent) - start
  if (first <= 0) return rows
  for (const [, row] of table.entries(`${parent}/`, newestFirstKey(parent, first))) {
    if (rows.length >= end - start) break
    rows.push(row)
  }
  return rows
}
