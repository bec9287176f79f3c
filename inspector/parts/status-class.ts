import type { FeedEntry } from '../feed.ts'

/** What kind of status a request has, as a class. */
export function statusClass({ status, outcome }: Pick<FeedEntry, 'status' | 'outcome'>): string {
  if (outcome === 'served') return 'status good'
  if (outcome === 'faulted' || outcome === 'aborted') return 'status odd'
  return status !== null && status < 400 ? 'status good' : 'status bad'
}
