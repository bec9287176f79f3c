import type { Entry } from '../../routes/journal/entry.ts'

/** A request as the list has it: without bodies. */
export type ListedEntry = Omit<Entry, 'body' | 'responseBody'>

/** Which requests are shown. */
export interface RequestFilter {
  readonly service: string
  readonly outcome: string
  readonly text: string
}

/** Outcomes that may be asked for, and `failed` for all that are not served. */
export const outcomes = ['failed', 'served', 'refused', 'faulted', 'unmatched', 'aborted'] as const

/** Tells whether a request is shown. Words of the text must all stand somewhere in it. */
export function matchesFilter(
  entry: ListedEntry,
  { service, outcome, text }: RequestFilter,
): boolean {
  if (service !== '' && entry.service !== service) return false
  if (outcome === 'failed' ? entry.outcome === 'served' : outcome && entry.outcome !== outcome) {
    return false
  }
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return true
  const { id, method, path, operation, status, rule, fault, caller } = entry
  const searchText = [id, method, path, operation, status, rule, fault, caller?.name, caller?.id]
    .join(' ')
    .toLowerCase()
  return words.every((word) => searchText.includes(word))
}
