import { quoteGo } from '../../go/text.ts'
import { type CivilDate, civilDate, dayNumber } from '../../kernel/time.ts'

/** Content of a timestamp: a local date and time, and the offset of the time zone from UTC. */
export interface ZonedTime extends CivilDate {
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly nanosecond: number
  /** Offset from UTC, in seconds. */
  readonly offset: number
}

/** Error for an invalid timestamp, with the product's message. */
export class TimestampError extends Error {
  constructor(why: string) {
    super(`not a valid RFC3339 timestamp${why}`)
    this.name = 'TimestampError'
  }
}

/**
 * A part of a timestamp: its name in messages, the separator in front of it, the pattern of its
 * digits, and the range of its values.
 */
interface Part {
  readonly name: string
  readonly before: string
  readonly form: RegExp
  readonly range: readonly [least: number, most: number]
}

/**
 * The parts in the order of the text. Like the product, the parser accepts an hour of one digit and
 * rejects it later.
 */
const parts: readonly Part[] = [
  { name: 'year', before: '', form: /^\d{4}/, range: [0, 9999] },
  { name: 'month', before: '-', form: /^\d{2}/, range: [1, 12] },
  { name: 'day of month', before: '-', form: /^\d{2}/, range: [0, 99] },
  { name: 'hour', before: 'T', form: /^\d{1,2}/, range: [0, 23] },
  { name: 'minute', before: ':', form: /^\d{2}/, range: [0, 59] },
  { name: 'second', before: ':', form: /^\d{2}/, range: [0, 59] },
]

/**
 * Parses a timestamp strictly by RFC 3339. `state/kernel/time.ts` has a parser for callers that do
 * not need to know which part is wrong.
 *
 * @throws TimestampError that names the invalid part as the product does
 */
export function parseRfc3339(text: string): ZonedTime {
  let rest = text
  const found = parts.map((part) => {
    const [digits, remainder] = readPart(part, rest)
    rest = remainder
    return digits
  })
  const fraction = /^[.,](\d+)/.exec(rest)
  rest = rest.slice(fraction?.[0].length ?? 0)
  const zone = readZone(rest)
  const trailingText = rest.slice(zone.length)
  if (trailingText !== '')
    throw new TimestampError(`: cannot use ${quoteGo(trailingText)} as timestamp segment`)
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found.map(Number)
  if (day < 1 || day > daysIn(year, month)) throw new TimestampError(': day out of range')
  if (found[3]?.length !== 2) throw new TimestampError(oneDigitHourMessage)
  if (fraction?.[0].startsWith(',')) {
    throw new TimestampError(': cannot use "," as timestamp segment')
  }
  const nanosecond = Number((fraction?.[1] ?? '').slice(0, 9).padEnd(9, '0'))
  return { year, month, day, hour, minute, second, nanosecond, offset: offsetOf(zone) }
}

const oneDigitHourMessage = ': hour must have exactly two digits'

function readPart(part: Part, text: string): readonly [digits: string, after: string] {
  const { name, before, form, range } = part
  if (!text.startsWith(before)) throw missingSeparatorError(before, text)
  const rest = text.slice(before.length)
  const [digits] = form.exec(rest) ?? []
  if (digits === undefined) throw unparsablePartError(name, rest)
  const remainder = rest.slice(digits.length)
  const value = Number(digits)
  if (value < range[0] || value > range[1]) throw unparsablePartError(name, remainder)
  return [digits, remainder]
}

function missingSeparatorError(separator: string, text: string): TimestampError {
  if (separator === 'T') return new TimestampError(": missing required time introducer 'T'")
  const wanted = `where ${quoteGo(separator)} is expected`
  if (text === '') return new TimestampError(`: end of string ${wanted}`)
  return new TimestampError(`: found ${quoteGo(text)} ${wanted}`)
}

/**
 * Returns the error for a part. The product quotes the end of the text. If the part is not a
 * number, the quotation begins with the part; if the number is out of range, the quotation begins
 * after the part.
 */
function unparsablePartError(name: string, text: string): TimestampError {
  if (text === '') return new TimestampError(`: end of string before ${name}`)
  if (name === 'hour' && text.includes(':')) {
    return new TimestampError(': hour must be between 0 and 23 inclusive')
  }
  if ((name === 'hour' || name === 'minute') && Buffer.byteLength(text) !== 2) {
    return new TimestampError(`: ${name} must have exactly two digits`)
  }
  return new TimestampError(`: cannot use ${quoteGo(text)} as ${name}`)
}

function readZone(text: string): string {
  if (text.startsWith('Z')) return 'Z'
  const [zone, hours = '', minutes = ''] = /^[+-](\d{2}):(\d{2})/.exec(text) ?? []
  if (zone === undefined) throw unparsablePartError('UTC offset', text)
  if (Number(hours) > 24 || Number(minutes) > 60) {
    throw unparsablePartError('UTC offset', text.slice(zone.length))
  }
  if (Number(hours) > 23 || Number(minutes) > 59) throw unparsablePartError('UTC offset', zone)
  return zone
}

function offsetOf(zone: string): number {
  if (zone === 'Z') return 0
  const size = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4)) * 60
  return zone.startsWith('-') ? -size : size
}

/** Returns the number of days of a month; January is 1. */
export function daysIn(year: number, month: number): number {
  const next = month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 }
  return dayNumber({ ...next, day: 1 }) - dayNumber({ year, month, day: 1 })
}

/** Adds nanoseconds to a time. The result is in the same time zone. */
export function addNanoseconds(time: ZonedTime, nanoseconds: number): ZonedTime {
  const whole = Math.floor(nanoseconds / 1e9)
  const fraction = time.nanosecond + nanoseconds - whole * 1e9
  const carry = fraction >= 1e9 ? 1 : 0
  const seconds = time.hour * 3600 + time.minute * 60 + time.second + whole + carry
  const days = Math.floor(seconds / 86_400)
  const secondOfDay = seconds - days * 86_400
  return {
    ...civilDate(dayNumber(time) + days),
    hour: Math.floor(secondOfDay / 3600),
    minute: Math.floor(secondOfDay / 60) % 60,
    second: secondOfDay % 60,
    nanosecond: fraction - carry * 1e9,
    offset: time.offset,
  }
}

/** Returns the day of the week; Sunday is 0. */
export function weekday(date: CivilDate): number {
  // 1970-01-01 was a Thursday.
  return (((dayNumber(date) + 4) % 7) + 7) % 7
}

/** Pads a number with leading zeros. The length includes the sign. */
export function padNumber(value: number, length: number): string {
  const digits = String(Math.abs(value)).padStart(length - (value < 0 ? 1 : 0), '0')
  return value < 0 ? `-${digits}` : digits
}

/** Formats a time in Go's RFC3339 layout, without fractions. */
export function formatRfc3339(time: ZonedTime): string {
  const [month, day, hour, minute, second] = [
    time.month,
    time.day,
    time.hour,
    time.minute,
    time.second,
  ].map((value) => padNumber(value, 2))
  const zone = time.offset === 0 ? 'Z' : formatOffset(time, ':')
  return `${padNumber(time.year, 4)}-${month}-${day}T${hour}:${minute}:${second}${zone}`
}

/** Formats the offset of a zone from UTC, such as `+01:00`. */
export function formatOffset({ offset }: ZonedTime, separator: ':' | ''): string {
  const size = Math.abs(offset)
  const hours = padNumber(Math.floor(size / 3600), 2)
  const minutes = padNumber(Math.floor(size / 60) % 60, 2)
  return `${offset < 0 ? '-' : '+'}${hours}${separator}${minutes}`
}
