import { formatTimestamp, parseTimestamp } from '../../kernel/time.ts'

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

const shortDay = days.map((day) => day.slice(0, 3)).join('|')
const month = months.join('|')
const time = '(\\d{2}:\\d{2}:\\d{2})'

/** `Sun, 06 Nov 1994 08:49:37 GMT`, the preferred form. */
const fixed = new RegExp(`^(?:${shortDay}), (\\d{2}) (${month}) (\\d{4}) ${time} GMT$`)
/** `Sunday, 06-Nov-94 08:49:37 GMT`, the form of RFC 850. */
const dashed = new RegExp(`^(?:${days.join('|')}), (\\d{2})-(${month})-(\\d{2}) ${time} GMT$`)
/** `Sun Nov 6 08:49:37 1994`, the form of C's asctime. */
const asctime = new RegExp(`^(?:${shortDay}) (${month}) ([ \\d]\\d) ${time} (\\d{4})$`)

/**
 * Parses an HTTP date in one of its three forms (RFC 9110 section 5.6.7). Like the reference it
 * does not check the day of the week.
 *
 * @returns an instant; undefined for text that is no date.
 */
export function parseHttpDate(text: string): number | undefined {
  const [, day = '', name = '', year = '', clock = ''] = fixed.exec(text) ?? []
  if (year !== '') return instantOf(year, name, day, clock)
  const [, oldDay = '', oldName = '', short = '', oldClock = ''] = dashed.exec(text) ?? []
  if (short !== '') {
    // Two-digit years from 69 on belong to the last century, as in Go.
    const century = Number(short) >= 69 ? '19' : '20'
    return instantOf(century + short, oldName, oldDay, oldClock)
  }
  const [, cName = '', cDay = '', cClock = '', cYear = ''] = asctime.exec(text) ?? []
  return cYear === '' ? undefined : instantOf(cYear, cName, cDay.replace(' ', '0'), cClock)
}

function instantOf(year: string, name: string, day: string, clock: string): number | undefined {
  const number = String(months.indexOf(name) + 1).padStart(2, '0')
  return parseTimestamp(`${year}-${number}-${day}T${clock}Z`)
}

const millisecondsInDay = 86_400_000

/** Formats an instant as an HTTP date, truncated to seconds: `Thu, 01 Jan 2026 00:00:00 GMT`. */
export function formatHttpDate(instant: number): string {
  const [date = '', clock = ''] = formatTimestamp(instant).split('T')
  const [year = '', number = '', day = ''] = date.split('-')
  // 1970 began on a Thursday.
  const weekday = days[(Math.floor(instant / millisecondsInDay) + 4) % 7] ?? ''
  const name = months[Number(number) - 1] ?? ''
  return `${weekday.slice(0, 3)}, ${day} ${name} ${year} ${clock.slice(0, 8)} GMT`
}
