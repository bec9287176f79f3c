import { parseTimestamp } from '../../../state/kernel/time.ts'

/** Returns whether one of the values contains a part, in any case; a missing part matches. */
export function containsPart(part: string | undefined, ...values: readonly string[]): boolean {
  return (
    part === undefined || values.some((each) => each.toLowerCase().includes(part.toLowerCase()))
  )
}

/** Returns whether a flag is as a query parameter says, which is `true` or `false` if it counts. */
export function isFlag(sent: string | undefined, flag: boolean): boolean {
  return (sent !== 'true' && sent !== 'false') || String(flag) === sent
}

/** Returns whether a value is in a list that is separated by commas; an empty list has every one. */
export function isListed(sent: string | undefined, value: string | undefined): boolean {
  return !sent || sent.split(',').some((each) => each.trim() === value)
}

/** Returns whether an instant is within two bounds as sent; invalid bounds are ignored. */
export function isWithin(at: number, from: string | undefined, to: string | undefined): boolean {
  const [start, end] = [from, to].map((sent) => (sent ? parseTimestamp(sent) : undefined))
  return at >= (start ?? at) && at <= (end ?? at)
}
