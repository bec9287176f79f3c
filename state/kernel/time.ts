/**
 * Real time, the calendar, and the text form of instants. Only this file reads the clocks and sets
 * the timers of the process; all other code calls its functions or asks a world's clock. An instant
 * is a whole number of milliseconds since 1970.
 */

/** Returns the wall clock, in milliseconds since 1970. */
export function wallClock(): number {
  return Date.now()
}

/** Returns the monotonic clock in milliseconds with fractions, for measuring durations. */
export function monotonicTime(): number {
  return performance.now()
}

/** Measures how long one turn of the event loop takes, in seconds. */
export function measureEventLoopDelay(): Promise<number> {
  const start = monotonicTime()
  return new Promise((resolve) => {
    setImmediate(() => resolve((monotonicTime() - start) / 1000))
  })
}

/** Waits until the event loop has done other pending work. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** A pending call that can be cancelled. */
export interface Alarm {
  cancel(): void
}

/**
 * Longest delay of Node's timers, which hold a signed 32-bit number of milliseconds. A longer wait
 * takes several alarms.
 */
const maxTimerDelay = 2 ** 31 - 1

/**
 * Calls `callback` after `delay` milliseconds of real time, or after the longest delay a timer can
 * hold, whichever is sooner. Callers check their own deadline again.
 *
 * @param keepsProcessAlive true if the process must not exit before the call
 */
export function setAlarm(delay: number, callback: () => void, keepsProcessAlive = false): Alarm {
  const timer = setTimeout(callback, Math.min(Math.max(delay, 0), maxTimerDelay))
  if (!keepsProcessAlive) timer.unref()
  return { cancel: () => clearTimeout(timer) }
}

/** English names of the months, January first. */
export const months: readonly string[] = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

/** English names of the days of the week, Sunday first. */
export const weekdays: readonly string[] = [
  'Sunday',
  'Monday',
  'Tuesday',
  'Wednesday',
  'Thursday',
  'Friday',
  'Saturday',
]

/** First instant that a timestamp can represent: 0001-01-01T00:00:00Z. */
const firstInstant = -62_135_596_800_000
/** Last instant that a timestamp can represent: 9999-12-31T23:59:59.999Z. */
export const lastInstant = 253_402_300_799_999

/** Returns the nearest instant that a timestamp can represent. */
export function clampInstant(instant: number): number {
  return Math.min(Math.max(instant, firstInstant), lastInstant)
}

const padTwo = (value: number): string => (value < 10 ? `0${value}` : `${value}`)

/**
 * Formats an instant as the APIs do: RFC 3339 in UTC, without trailing zeros of the fraction
 * (behaviour/secrets#durations). Nearly every reply has a timestamp, and `toISOString` would cost
 * as much as the rest of a small read, so this function computes the date itself. Instants before
 * 1970 have three digits of fraction. An instant before year 1 or after year 9999 is formatted as
 * the nearest instant of those years.
 */
export function formatTimestamp(instant: number): string {
  if (!(instant >= 0 && instant <= lastInstant))
    return new Date(clampInstant(instant)).toISOString()
  const seconds = Math.floor(instant / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  const time = `${padTwo(hours % 24)}:${padTwo(minutes % 60)}:${padTwo(seconds % 60)}`
  return `${dateOf(Math.floor(hours / 24))}T${time}${fractionOf(Math.floor(instant) % 1000)}Z`
}

/**
 * Days from 0000-03-01 to 1970-01-01. If years begin in March, the leap day is the last day of the
 * year, so one formula covers all months.
 */
const daysToMarchOfYear0 = 719_468
const daysInEra = 146_097

/** A date of the Gregorian calendar; months and days count from 1. */
export interface CivilDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

/**
 * Returns the date of a day counted from 1970-01-01, by the Gregorian calendar's eras of 400 years.
 */
export function civilDate(dayNumber: number): CivilDate {
  const days = dayNumber + daysToMarchOfYear0
  const era = Math.floor(days / daysInEra)
  const dayOfEra = days - era * daysInEra
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153)
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  }
}

/**
 * Returns the days from 1970-01-01 to a date: the inverse of `civilDate`. A day past the end of its
 * month is a day of the next month.
 */
export function dayNumber({ year, month, day }: CivilDate): number {
  const marchYear = month <= 2 ? year - 1 : year
  const era = Math.floor(marchYear / 400)
  const yearOfEra = marchYear - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  return era * daysInEra + yearOfEra * 365 + leapDays + dayOfYear - daysToMarchOfYear0
}

/**
 * Returns an instant moved by a number of years. 29 February becomes 1 March in a year that is not
 * a leap year.
 */
export function yearsAfter(instant: number, years: number): number {
  const days = Math.floor(instant / 86_400_000)
  const { year, ...rest } = civilDate(days)
  return instant + (dayNumber({ ...rest, year: year + years }) - days) * 86_400_000
}

function dateOf(dayNumber: number): string {
  const { year, month, day } = civilDate(dayNumber)
  return `${year}-${padTwo(month)}-${padTwo(day)}`
}

/** Formats 0 to 999 milliseconds as a fraction without trailing zeros; empty for 0. */
function fractionOf(milliseconds: number): string {
  if (milliseconds === 0) return ''
  const digits = `.${milliseconds < 100 ? '0' : ''}${padTwo(milliseconds)}`
  if (milliseconds % 10 !== 0) return digits
  return digits.slice(0, milliseconds % 100 === 0 ? 2 : 3)
}

/** Pattern of the output of `formatTimestamp` for days up to the 28th, which every month has. */
const commonTimestampPattern =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|1\d|2[0-8])T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,3}))?Z$/

const timestampForm =
  /^(\d{4}-\d{2}-\d{2})[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/

/**
 * Parses an RFC 3339 timestamp with at most nine digits of fraction. Returns undefined for other
 * strings and for instants outside the years 1 to 9999. Digits below the millisecond are dropped.
 */
export function parseTimestamp(text: string): number | undefined {
  const instant = readTimestamp(text)
  return instant !== undefined && clampInstant(instant) === instant ? instant : undefined
}

function readTimestamp(text: string): number | undefined {
  const common = commonTimestampPattern.exec(text)
  if (common !== null) return instantOf(common)
  const [, day] = timestampForm.exec(text) ?? []
  const instant = Date.parse(text.replace(/(\.\d{3})\d+/, '$1'))
  if (day === undefined || Number.isNaN(instant)) return undefined
  // The built-in parser reads 30 February as 2 March.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day) ? instant : undefined
}

function instantOf([, year, month, day, hour, minute, second, fraction = '']: RegExpExecArray) {
  const date = dayNumber({ year: Number(year), month: Number(month), day: Number(day) })
  const minutes = (date * 24 + Number(hour)) * 60 + Number(minute)
  return (minutes * 60 + Number(second)) * 1000 + Number(fraction.padEnd(3, '0'))
}
