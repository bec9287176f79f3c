import { parseTimestamp } from '../../../state/kernel/time.ts'

/**
 * Returns whether a flag matches a query parameter; a parameter other than `true` or `false`
 * matches every flag.
 */
export function matchesFlag(sent: string | undefined, flag: boolean): boolean {
  return (sent !== 'true' && sent !== 'false') || String(flag) === sent
}

/** Returns whether a comma-separated list contains a value; an empty list matches every value. */
export function matchesList(sent: string | undefined, value: string | undefined): boolean {
  return !sent || sent.split(',').some((each) => each.trim() === value)
}

/**
 * Returns whether an instant is between two times of a query, or equal to one of them. A missing or
 * invalid time sets no limit.
 */
export function isWithin(at: number, from: string | undefined, to: string | undefined): boolean {
  const [start, end] = [from, to].map((sent) => (sent ? parseTimestamp(sent) : undefined))
  return at >= (start ?? at) && at <= (end ?? at)
}
