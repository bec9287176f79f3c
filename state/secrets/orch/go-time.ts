import { formatTimestamp, months, weekdays } from '../../kernel/time.ts'
import { trimEndOf } from '../../kernel/trimming.ts'

/** The elements of a layout, the longest first. */
const chunk =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|Z07(?::?00){0,2}|-07(?::?00){0,2}|2006|__2|_2(?!006)|002|0[1-6]|15|PM|pm|[.,](?:0+|9+)(?!\d)|[1-5]/g

const millisecondsInDay = 86_400_000

/** Formats an instant in UTC by a layout of Go's time.Format: `2006-01-02T15:04:05Z07:00`. */
export function formatGoTime(instant: number, layout: string): string {
  const [date = '', time = ''] = formatTimestamp(instant).split('T')
  const [year = '', month = '', day = ''] = date.split('-')
  const [hour = '', minute = '', second = ''] = time.slice(0, 8).split(':')
  const monthName = months[Number(month) - 1] ?? ''
  const days = Math.floor(instant / millisecondsInDay)
  const weekday = weekdays[(((days + 4) % 7) + 7) % 7] ?? ''
  const hour12 = String(Number(hour) % 12 || 12)
  const parts: Readonly<Record<string, string>> = {
    January: monthName,
    Jan: monthName.slice(0, 3),
    Monday: weekday,
    Mon: weekday.slice(0, 3),
    MST: 'UTC',
    '2006': year,
    '06': year.slice(-2),
    '01': month,
    '1': String(Number(month)),
    '02': day,
    _2: String(Number(day)).padStart(2),
    '2': String(Number(day)),
    '002': dayOfYear(days, year).padStart(3, '0'),
    __2: dayOfYear(days, year).padStart(3),
    '15': hour,
    '03': hour12.padStart(2, '0'),
    '3': hour12,
    '04': minute,
    '4': String(Number(minute)),
    '05': second,
    '5': String(Number(second)),
    PM: Number(hour) < 12 ? 'AM' : 'PM',
    pm: Number(hour) < 12 ? 'am' : 'pm',
  }
  const milliseconds = String(instant - Math.floor(instant / 1000) * 1000).padStart(3, '0')
  return layout.replace(chunk, (form) => {
    const part = parts[form]
    if (part !== undefined) return part
    if (form.startsWith('Z')) return 'Z'
    if (form.startsWith('-')) return form.replace('-', '+').replaceAll('7', '0')
    return fraction(form, milliseconds)
  })
}

/**
 * Formats a fraction: `.000` prints as many digits as it has zeros, `.999` drops trailing zeros.
 */
function fraction(form: string, milliseconds: string): string {
  const digits = milliseconds.padEnd(form.length - 1, '0').slice(0, form.length - 1)
  if (form.charAt(1) === '0') return form.charAt(0) + digits
  const kept = trimEndOf(digits, '0')
  return kept === '' ? '' : form.charAt(0) + kept
}

/** Returns the day of the year, counted from 1. `days` counts from 1970. */
function dayOfYear(days: number, year: string): string {
  const before = Number(year) - 1
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  return String(days - (before * 365 + leaps - 719_162) + 1)
}
