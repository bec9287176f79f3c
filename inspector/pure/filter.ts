/** Members of a journal entry that decide whether it matches a filter. */
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

interface RequestFilter {
  readonly service: string
  readonly outcome: string
  readonly text: string
}

/** Outcomes to choose from; `failed` stands for every outcome except `served`. */
export const outcomes = ['failed', 'served', 'refused', 'faulted', 'unmatched', 'aborted'] as const

/**
 * Returns true if a request matches the filter. Every word of the filter's text must occur in the
 * request.
 */
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
