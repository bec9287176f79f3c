import { sortableNumber } from '../kernel/sortable-number.ts'
import type { Table } from '../kernel/store/open-table.ts'
import type { Row } from '../kernel/store/table.ts'

const digits = 12

/**
 * Returns the next key of the form `<prefix><number>`, which sorts after all existing keys of this
 * form. Unlike keys that contain times, such keys are in creation order even if the clock stands
 * still.
 */
export function nextKey<R extends Row>(table: Table<R>, prefix: string): string {
  const [last = ''] = table.floor(prefix + '9'.repeat(digits)) ?? []
  const number = last.startsWith(prefix) ? Number(last.slice(prefix.length)) + 1 : 0
  return prefix + sortableNumber(number, digits)
}
