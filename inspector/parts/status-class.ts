import type { FeedEntry } from '../feed.ts'

/**
 * Returns the CSS classes for the outcome and status of a request. A served request is `good` even
 * with an error status.
 */
export function statusClass({ status, outcome }: Pick<FeedEntry, 'status' | 'outcome'>): string {
  if (outcome === 'served') return 'status good'
  if (outcome === 'faulted' || outcome === 'aborted') return 'status odd'
  return status !== null && status < 400 ? 'status good' : 'status bad'
}
