import { Cron } from 'croner'
import { least } from '../../kernel/lists.ts'
import { formatTimestamp } from '../../kernel/time.ts'
import { parseCronSpec } from './cron-spec.ts'

const HOUR = 3_600_000
const MINUTE = 60_000

/** Offset of a time zone as `Intl` formats it: `GMT+05:30`, or `GMT` alone. */
const offsetName = /^GMT([+-])(\d\d):(\d\d)/

/**
 * Local time of a time zone. A wall time is a local time, encoded in milliseconds as if it were
 * UTC.
 */
interface WallClock {
  /**
   * Finds the first instant after `after` whose wall time matches; undefined if no later wall time
   * matches. As in the reference, a wall time that daylight saving skips never occurs, and a
   * repeated wall time occurs twice.
   *
   * @param after milliseconds since 1970, like the result
   * @param nextWallTime returns the first matching wall time after `wall`; undefined if no later
   *   wall time matches
   */
  next(after: number, nextWallTime: (wall: number) => number | undefined): number | undefined
}

/**
 * Returns the clock of a time zone.
 * @param timeZone name in the IANA database
 */
function wallClock(timeZone: string): WallClock {
  if (timeZone === 'UTC') return { next: (after, nextWallTime) => nextWallTime(after) }
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' })
  const offsetAt = (instant: number): number => {
    const name = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')
    const [, sign, hours, minutes] = offsetName.exec(name?.value ?? '') ?? []
    const offset = Number(hours ?? 0) * HOUR + Number(minutes ?? 0) * MINUTE
    return sign === '-' ? -offset : offset
  }
  const wallTimeAt = (instant: number): number => instant + offsetAt(instant)

  /**
   * Returns the first instant in the next 3 hours at which the offset differs; undefined if the
   * offset stays the same until then.
   */
  const offsetChangeAfter = (instant: number): number | undefined => {
    let [earlier, later] = [instant, instant + 3 * HOUR]
    const offset = offsetAt(earlier)
    if (offsetAt(later) === offset) return undefined
    while (later - earlier > 1) {
      const middle = Math.floor((earlier + later) / 2)
      if (offsetAt(middle) === offset) earlier = middle
      else later = middle
    }
    return later
  }

  const instantsAt = (wall: number): number[] =>
    Array.from(new Set([offsetAt(wall - 24 * HOUR), offsetAt(wall + 24 * HOUR)]))
      .map((offset) => wall - offset)
      .filter((instant) => wallTimeAt(instant) === wall)

  return {
    next(after, nextWallTime) {
      const change = offsetChangeAfter(after)
      const start = change ?? after
      if (change !== undefined) {
        const offset = offsetAt(after)
        const wall = nextWallTime(after + offset)
        if (wall !== undefined && wall - offset < change) return wall - offset
      }
      // If the offset changes, the search starts 1 ms earlier, because `nextWallTime` finds only
      // later wall times and the instant of the change may match.
      let wall = nextWallTime(wallTimeAt(start) - (change === undefined ? 0 : 1))
      for (; wall !== undefined; wall = nextWallTime(wall)) {
        const instants = instantsAt(wall).filter((instant) => instant > after && instant >= start)
        if (instants.length > 0) return least(instants)
      }
      return undefined
    },
  }
}

export interface CronSchedule {
  /**
   * Returns the first launch after an instant, or undefined if no launch follows. Instants are
   * milliseconds since 1970.
   */
  next(after: number): number | undefined
}

/**
 * Parses a cron specification of 5 fields, 6 (with a year) or 7 (seconds first), or a name such as
 * `@daily` (behaviour/scheduler#periodic). A library computes the days. The syntax, the error
 * messages and the treatment of daylight saving follow the reference, which differs from the
 * library.
 *
 * @param timeZone name in the IANA database; empty means UTC
 * @throws RangeError with the reference's message: `missing field(s)`, `unknown time zone x`
 */
export function parseCron(spec: string, timeZone: string): CronSchedule {
  const fields = parseCronSpec(spec)
  checkTimeZone(timeZone)
  const crons = cronPatterns(fields).map(
    (pattern) => new Cron(pattern, { mode: '7-part', paused: true, timezone: 'UTC' }),
  )
  const nextWallTime = (wall: number): number | undefined => {
    const next = crons.flatMap((cron) => cron.nextRun(formatTimestamp(wall))?.getTime() ?? [])
    return next.length === 0 ? undefined : least(next)
  }
  const clock = wallClock(timeZone === 'Local' ? 'UTC' : timeZone || 'UTC')
  return { next: (after) => clock.next(after, nextWallTime) }
}

/**
 * Validates a cron specification.
 *
 * @throws RangeError with the reference's message: `missing field(s)`, `syntax error in hour field:
 *   '25'`
 */
export function checkCronSpec(spec: string): void {
  parseCronSpec(spec)
}

/**
 * Validates the name of a time zone.
 *
 * @throws RangeError with the message of Go's time.LoadLocation
 */
export function checkTimeZone(name: string): void {
  if (name === '' || name === 'UTC' || name === 'Local') return
  if (name.split(/[/\\]/).includes('..') || /^[/\\]/.test(name)) {
    throw new RangeError('time: invalid location name')
  }
  if (!isTimeZone(name)) throw new RangeError(`unknown time zone ${name}`)
}

function isTimeZone(name: string): boolean {
  // `Intl.DateTimeFormat` also accepts offsets such as +01:00, which Go rejects.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

/**
 * Converts the fields to patterns of the library. Every value is written out, so that differences
 * in the syntax do not matter. Returns several patterns if necessary, because the library accepts
 * `LW` only if the field has no other values.
 */
function cronPatterns(fields: ReturnType<typeof parseCronSpec>): readonly string[] {
  const [second, minute, hour, days = [], month, weekdays = [], year] = fields
  const others = [second, minute, hour, month, year]
  // As in cron, if both fields for days restrict the days, a day needs to match only one of these
  // fields. `*` restricts nothing.
  const dayFields = [days, weekdays].filter((values) => values[0] !== '*')
  if (others.some((values) => values?.length === 0)) return []
  if (dayFields.length > 0 && dayFields.every((values) => values.length === 0)) return []
  const lastWeekdays = days.filter((day) => day === 'LW')
  const otherDays = days.filter((day) => day !== 'LW')
  return [lastWeekdays, otherDays]
    .filter((part) => part.length > 0 || days.length === 0)
    .map((part) =>
      [second, minute, hour, part, month, weekdays, year]
        .map((values) => (values === undefined || values.length === 0 ? '*' : values.join(',')))
        .join(' '),
    )
}
