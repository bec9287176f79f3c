import { DurationError, parseGoDuration } from '../../go/duration.ts'
import { quoteGo } from '../../go/text.ts'
import { months, weekdays } from '../../kernel/time.ts'
import { FunctionError } from '../language/function.ts'
import { type FunctionTable, textsFunction } from './arguments.ts'
import {
  addNanoseconds,
  formatOffset,
  formatRfc3339,
  padNumber,
  parseRfc3339,
  TimestampError,
  weekday,
  type ZonedTime,
} from './rfc3339.ts'

/** HCL functions for timestamps (behaviour/scheduler#functions). */
export const dateFunctions: FunctionTable = {
  formatdate: textsFunction(['format', 'time'], ([format = '', time = ''], { spend }) => {
    spend(4 * format.length)
    return formatDate(format, timeOf(time, 1))
  }),
  timeadd: textsFunction(['timestamp', 'duration'], ([timestamp = '', duration = '']) => {
    const time = timeOf(timestamp)
    return formatRfc3339(addNanoseconds(time, nanosecondsOf(duration)))
  }),
}

function timeOf(text: string, argumentIndex?: number): ZonedTime {
  try {
    return parseRfc3339(text)
  } catch (error) {
    if (error instanceof TimestampError) throw new FunctionError(error.message, argumentIndex)
    throw error
  }
}

function nanosecondsOf(text: string): number {
  try {
    return parseGoDuration(text)
  } catch (error) {
    if (error instanceof DurationError) throw new FunctionError(error.message)
    throw error
  }
}

/**
 * A letter of date formats: the output for each number of repetitions, and the hint for other
 * numbers.
 */
interface DateVerb {
  readonly forms: ReadonlyMap<number, (time: ZonedTime) => string>
  readonly hint: string
}

/** Returns the forms of a number: one without leading zeros, and one with two digits. */
function numericForms(numberOf: (time: ZonedTime) => number): DateVerb['forms'] {
  return new Map([
    [1, (time: ZonedTime) => String(numberOf(time))],
    [2, (time: ZonedTime) => padNumber(numberOf(time), 2)],
  ])
}

/** Returns the forms of a name: its first three letters, and the full name. */
function namedForms(nameOf: (time: ZonedTime) => string): DateVerb['forms'] {
  return new Map([
    [3, (time: ZonedTime) => nameOf(time).slice(0, 3)],
    [4, nameOf],
  ])
}

const halfOfDay = ({ hour }: ZonedTime): string => (hour < 12 ? 'AM' : 'PM')

const verbs: ReadonlyMap<string, DateVerb> = new Map([
  [
    'Y',
    {
      forms: new Map([
        [2, ({ year }: ZonedTime) => padNumber(year % 100, 2)],
        [4, ({ year }: ZonedTime) => padNumber(year, 4)],
      ]),
      hint: 'year must either be "YY" or "YYYY"',
    },
  ],
  [
    'M',
    {
      forms: new Map([
        ...numericForms(({ month }) => month),
        ...namedForms(({ month }) => months[month - 1] ?? ''),
      ]),
      hint: 'month must be "M", "MM", "MMM", or "MMMM"',
    },
  ],
  ['D', { forms: numericForms(({ day }) => day), hint: 'day of month must either be "D" or "DD"' }],
  [
    'E',
    {
      forms: namedForms((time) => weekdays[weekday(time)] ?? ''),
      hint: 'day of week must either be "EEE" or "EEEE"',
    },
  ],
  ['h', { forms: numericForms(({ hour }) => hour), hint: '24-hour must either be "h" or "hh"' }],
  [
    'H',
    {
      forms: numericForms(({ hour }) => hour % 12 || 12),
      hint: '12-hour must either be "H" or "HH"',
    },
  ],
  ['A', { forms: new Map([[2, halfOfDay]]), hint: 'must be "AA"' }],
  [
    'a',
    {
      forms: new Map([[2, (time: ZonedTime) => halfOfDay(time).toLowerCase()]]),
      hint: 'must be "aa"',
    },
  ],
  ['m', { forms: numericForms(({ minute }) => minute), hint: 'minute must either be "m" or "mm"' }],
  ['s', { forms: numericForms(({ second }) => second), hint: 'second must either be "s" or "ss"' }],
  [
    'Z',
    {
      forms: new Map([
        [1, (time: ZonedTime) => (time.offset === 0 ? 'Z' : formatOffset(time, ':'))],
        [3, (time: ZonedTime) => (time.offset === 0 ? 'UTC' : formatOffset(time, ''))],
        [4, (time: ZonedTime) => formatOffset(time, '')],
        [5, (time: ZonedTime) => formatOffset(time, ':')],
      ]),
      hint: 'timezone must be Z, ZZZZ, or ZZZZZ',
    },
  ],
])

/**
 * Formats a date. A format consists of quoted text (in which two quotes mean one), repeated
 * letters, and other text.
 */
function formatDate(format: string, time: ZonedTime): string {
  let formatted = ''
  let start = 0
  while (start < format.length) {
    const first = format.charAt(start)
    const end = endOfPart(format, start)
    const text = format.slice(start, end)
    if (first !== "'") formatted += isLetter(first) ? formatVerb(text, first, time) : text
    else formatted += text === "''" ? "'" : text.slice(1, -1).replaceAll("''", "'")
    start = end
  }
  return formatted
}

const isLetter = (character: string) => /^[A-Za-z]$/.test(character)

/**
 * Returns the offset after the part that begins at `start`. Throws a FunctionError for a quoted
 * string that is not closed.
 */
function endOfPart(format: string, start: number): number {
  const first = format.charAt(start)
  if (first === "'") return endOfLiteral(format, start)
  let end = start + 1
  if (isLetter(first)) {
    while (format[end] === first) end += 1
    return end
  }
  while (end < format.length && format[end] !== "'" && !isLetter(format.charAt(end))) end += 1
  return end
}

/** Returns the offset after a quoted string. Throws a FunctionError if the string is not closed. */
function endOfLiteral(format: string, start: number): number {
  if (format[start + 1] === "'") return start + 2
  let at = format.indexOf("'", start + 1)
  while (at >= 0 && format[at + 1] === "'") at = format.indexOf("'", at + 2)
  if (at >= 0) return at + 1
  // At the end of the format, two quotes count as one closing quote.
  if (start + 1 < format.length && format.endsWith("'")) return format.length
  throw new FunctionError("unterminated literal '", 0)
}

function formatVerb(text: string, letter: string, time: ZonedTime): string {
  const verb = verbs.get(letter)
  const form = verb?.forms.get(text.length)
  if (form !== undefined) return form(time)
  const hint = verb === undefined ? '' : `: ${verb.hint}`
  throw new FunctionError(`invalid date format verb ${quoteGo(text)}${hint}`, 0)
}
