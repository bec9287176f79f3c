/** Members of a journal entry that a filter looks at. */
export interface FilterableEntry {
  readonly id: string
  readonly service: string
  readonly method: string
  readonly path: string
  readonly operation: string | null
  readonly status: number | null
  readonly outcome: string
  readonly rule: string | null
  readonly fault: string | null
  readonly caller: { readonly name?: string; readonly id?: string } | null
}

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
  entry: FilterableEntry,
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
