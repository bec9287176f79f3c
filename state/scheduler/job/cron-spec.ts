/** A value of a field: a number, `*`, or a relative day such as `L`, `LW`, `15W`, `5L` or `5#3`. */
type CronDay = number | string

interface CronField {
  /** Name in the reference's messages. */
  readonly name: string
  readonly first: number
  readonly last: number
  /** Regular expression for one value in lower case. */
  readonly value: string
  /** Numbers by name, such as `jan`, and by alternative number, such as 7 for Sunday (0). */
  readonly names?: Readonly<Record<string, number>>
  /** Patterns of special values, with their form in the cron library that this project uses. */
  readonly specialForms?: readonly (readonly [
    form: RegExp,
    write: (match: RegExpExecArray) => CronDay,
  ])[]
}

const months = ['january', 'february', 'march', 'april', 'may', 'june'].concat([
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
])

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/**
 * Returns the numbers of names, counted from `first`. Each name is also listed by its first three
 * letters.
 */
function numbersByName(names: readonly string[], first: number): Record<string, number> {
  return Object.fromEntries(
    names.flatMap((name, at) => [
      [name, at + first],
      [name.slice(0, 3), at + first],
    ]),
  )
}

const monthNumbers = numbersByName(months, 1)
const weekdayNumbers = { ...numbersByName(days, 0), 7: 0, '07': 0 }

function alternatives(numbers: string, names: object): string {
  return [numbers, ...Object.keys(names).filter((name) => /^[a-z]/.test(name))].join('|')
}

const minutePattern = '0?[0-9]|[1-5][0-9]'
const dayOfMonthPattern = '0?[1-9]|[12][0-9]|3[01]'
const dayOfWeekPattern = alternatives('0?[0-7]', weekdayNumbers)

/** The fields of specifications in the reference's cron library, seconds first. */
const cronFields: readonly CronField[] = [
  { name: 'second', first: 0, last: 59, value: minutePattern },
  { name: 'minute', first: 0, last: 59, value: minutePattern },
  { name: 'hour', first: 0, last: 23, value: '0?[0-9]|1[0-9]|2[0-3]' },
  {
    name: 'day-of-month',
    first: 1,
    last: 31,
    value: dayOfMonthPattern,
    specialForms: [
      [/^l$/, () => 'L'],
      [/^lw$/, () => 'LW'],
      [new RegExp(`^(${dayOfMonthPattern})w$`), ([, day]) => `${Number(day)}W`],
    ],
  },
  {
    name: 'month',
    first: 1,
    last: 12,
    value: alternatives('0?[1-9]|1[012]', monthNumbers),
    names: monthNumbers,
  },
  {
    name: 'day-of-week',
    first: 0,
    last: 6,
    value: dayOfWeekPattern,
    names: weekdayNumbers,
    specialForms: [
      [new RegExp(`^(${dayOfWeekPattern})l$`), ([, day = '']) => `${dayNumber(day)}L`],
      [
        new RegExp(`^(${dayOfWeekPattern})#([1-5])$`),
        ([, day = '', week = '']) => `${dayNumber(day)}#${week}`,
      ],
    ],
  },
  { name: 'year', first: 1970, last: 2099, value: '19[789][0-9]|20[0-9]{2}' },
]

const macros: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 * *',
  '@annually': '0 0 0 1 1 * *',
  '@monthly': '0 0 0 1 * * *',
  '@weekly': '0 0 0 * * 0 *',
  '@daily': '0 0 0 * * * *',
  '@hourly': '0 0 * * * * *',
}

const macroPattern = new RegExp(Object.keys(macros).join('|'), 'g')

/**
 * Splits a cron specification into its seven fields and returns the values of each field. The
 * specification has 5 fields, 6 (with a year) or 7 (seconds first), or is a name such as `@daily`
 * (behaviour/scheduler#periodic). A field without values, such as `30-10`, is valid but never
 * matches.
 *
 * @throws RangeError with the message of the reference's cron library
 */
export function parseCronSpec(spec: string): readonly (readonly CronDay[])[] {
  const tokens = spec.replace(macroPattern, (name) => macros[name] ?? name).match(/[^\t\n\f\r ]+/g)
  const fields = tokens ?? []
  if (fields.length < 5) throw new RangeError('missing field(s)')
  const all = fields.length < 7 ? ['0', ...fields, '*'] : fields
  return cronFields.map((field, at) => parseField(all[at] ?? '*', field))
}

function parseField(text: string, field: CronField): readonly CronDay[] {
  const parts = text.split(',').filter((part) => part !== '')
  if (parts.length === 0) throw new RangeError(`${field.name} field: missing directive`)
  // All parts are parsed first, so an invalid interval in any part takes precedence over syntax
  // errors.
  const parsed = parts.map((part) => parsePart(part, field))
  const invalidAt = parsed.indexOf(undefined)
  // Fields that have no special values ignore everything after `*`.
  const wildcardAt =
    field.specialForms === undefined ? parsed.findIndex((values) => values?.[0] === '*') : -1
  if (invalidAt >= 0 && (wildcardAt < 0 || invalidAt < wildcardAt))
    throw new RangeError(`syntax error in ${field.name} field: '${parts[invalidAt]}'`)
  const values = new Set(parsed.flatMap((values) => values ?? []))
  return values.has('*') ? ['*'] : Array.from(values)
}

/**
 * Returns the values of one item of a field, or undefined if the item is invalid. Throws a
 * `RangeError` for an invalid interval.
 */
function parsePart(part: string, field: CronField): readonly CronDay[] | undefined {
  const text = part.toLowerCase()
  if (text === '*' || text === '?') return ['*']
  const match = new RegExp(`^(?:\\*|(${field.value})(?:-(${field.value}))?)(?:/(\\d+))?$`).exec(
    text,
  )
  if (match !== null) return expandRange(text, match, field)
  for (const [pattern, write] of field.specialForms ?? []) {
    const specialMatch = pattern.exec(text)
    if (specialMatch !== null) return [write(specialMatch)]
  }
  return undefined
}

function expandRange(text: string, match: RegExpExecArray, field: CronField): readonly number[] {
  const [, from, to, interval] = match
  const step = interval === undefined ? 1 : Number(interval)
  if (step < 1 || step > field.last) throw new RangeError(`invalid interval ${text}`)
  const first = from === undefined ? field.first : numberOf(from, field)
  if (from !== undefined && to === undefined && interval === undefined) return [first]
  const last = to === undefined ? field.last : rangeEnd(to, field)
  const values = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
  return values.filter((_, at) => at % step === 0)
}

/**
 * Returns the last value of a range. As in the reference, a range that ends on Sunday ends on
 * Saturday instead: `5-7` and `fri-sun` mean two days.
 */
function rangeEnd(to: string, field: CronField): number {
  const last = numberOf(to, field)
  return field.name === 'day-of-week' && last === 0 ? field.last : last
}

function numberOf(text: string, { names }: CronField): number {
  return (
    (names !== undefined && Object.hasOwn(names, text) ? names[text] : undefined) ?? Number(text)
  )
}

function dayNumber(text: string): number {
  const named: Readonly<Record<string, number>> = weekdayNumbers
  return (Object.hasOwn(named, text) ? named[text] : undefined) ?? Number(text)
}
