import { Cron } from 'croner'
import { formatTimestamp } from '../../kernel/time.ts'
import { parseCronSpec } from './cron-spec.ts'
import { wallClock } from './wall-clock.ts'

/** When a periodic job is launched. */
export interface CronSchedule {
  /** The first time after an instant; both in milliseconds since 1970. Undefined when there is none. */
  next(after: number): number | undefined
}

/**
 * Reads a cron specification of 5 fields, 6 (with a year) or 7 (seconds first), or a name such as
 * `@daily` (behaviour/scheduler#versions). Its days are the library's; its syntax, the texts of its
 * errors and its way with daylight saving are the reference's, which differ.
 *
 * @param timeZone of the IANA database; empty is UTC
 * @throws RangeError with the reference's text: `missing field(s)`, `unknown time zone x`
 */
export function parseCron(spec: string, timeZone: string): CronSchedule {
  const fields = parseCronSpec(spec)
  checkTimeZone(timeZone)
  const crons = cronPatterns(fields).map(
    (pattern) => new Cron(pattern, { mode: '7-part', paused: true, timezone: 'UTC' }),
  )
  const nextReading = (wall: number): number | undefined => {
    const next = crons.flatMap((cron) => cron.nextRun(formatTimestamp(wall))?.getTime() ?? [])
    return next.length === 0 ? undefined : Math.min(...next)
  }
  const clock = wallClock(timeZone === 'Local' ? 'UTC' : timeZone || 'UTC')
  return { next: (after) => clock.next(after, nextReading) }
}

/** @throws RangeError with the reference's text: `missing field(s)`, `syntax error in hour field: '25'` */
export function checkCronSpec(spec: string): void {
  parseCronSpec(spec)
}

/** @throws RangeError with the text of Go's time.LoadLocation */
export function checkTimeZone(name: string): void {
  if (name === '' || name === 'UTC' || name === 'Local') return
  if (name.split(/[/\\]/).includes('..') || /^[/\\]/.test(name)) {
    throw new RangeError('time: invalid location name')
  }
  if (!isTimeZone(name)) throw new RangeError(`unknown time zone ${name}`)
}

function isTimeZone(name: string): boolean {
  // The platform also takes offsets such as +01:00, which are no names.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
  } catch {
    return false
  }
}

/**
 * The library's patterns whose times are those of the fields. Every value is listed, so that only the
 * simplest syntax of the library is used; it takes `LW` on its own alone.
 */
function cronPatterns(fields: ReturnType<typeof parseCronSpec>): readonly string[] {
  const [second, minute, hour, days = [], month, weekdays = [], year] = fields
  const others = [second, minute, hour, month, year]
  // Of two kinds of days one is enough: `*` is neither.
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
