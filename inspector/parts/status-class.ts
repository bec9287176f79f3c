import type { FeedEntry } from '../feed.ts'

/** Returns the CSS class for the status of a request. */
export function statusClass({ status, outcome }: Pick<FeedEntry, 'status' | 'outcome'>): string {
  if (outcome === 'served') return 'status good'
  if (outcome === 'faulted' || outcome === 'aborted') return 'status odd'
  return status !== null && status < 400 ? 'status good' : 'status bad'
}
