/** A value of a field: a number, `*`, or a day by its place: `L`, `LW`, `15W`, `5L`, `5#3`. */
type CronDay = number | string

interface FieldForm {
  /** As the reference's messages call it. */
  readonly name: string
  readonly first: number
  readonly last: number
  /** One value, in lower case. */
  readonly value: string
  /** Names of values, and numbers that are other values' names. */
  readonly names?: Readonly<Record<string, number>>
  /** Further values that are allowed, and how the library writes them. */
  readonly special?: readonly (readonly [
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

/** Each name in full and by its first three letters. */
function numbered(names: readonly string[], first: number): Record<string, number> {
  return Object.fromEntries(
    names.flatMap((name, at) => [
      [name, at + first],
      [name.slice(0, 3), at + first],
    ]),
  )
}

const monthNames = numbered(months, 1)
const dayNames = { ...numbered(days, 0), 7: 0, '07': 0 }

function oneOf(numbers: string, names: object): string {
  const letters = Object.keys(names).filter((name) => /^[a-z]/.test(name))
  return [numbers, ...letters.sort((a, b) => b.length - a.length)].join('|')
}

const sixty = '0?[0-9]|[1-5][0-9]'
const dayOfMonth = '0?[1-9]|[12][0-9]|3[01]'
const dayOfWeek = oneOf('0?[0-7]', dayNames)

/** The fields of the reference's cron library, seconds first. */
const forms: readonly FieldForm[] = [
  { name: 'second', first: 0, last: 59, value: sixty },
  { name: 'minute', first: 0, last: 59, value: sixty },
  { name: 'hour', first: 0, last: 23, value: '0?[0-9]|1[0-9]|2[0-3]' },
  {
    name: 'day-of-month',
    first: 1,
    last: 31,
    value: dayOfMonth,
    special: [
      [/^l$/, () => 'L'],
      [/^lw$/, () => 'LW'],
      [new RegExp(`^(${dayOfMonth})w$`), ([, day]) => `${Number(day)}W`],
    ],
  },
  {
    name: 'month',
    first: 1,
    last: 12,
    value: oneOf('0?[1-9]|1[012]', monthNames),
    names: monthNames,
  },
  {
    name: 'day-of-week',
    first: 0,
    last: 6,
    value: dayOfWeek,
    names: dayNames,
    special: [
      [new RegExp(`^(${dayOfWeek})l$`), ([, day = '']) => `${dayNumber(day)}L`],
      [
        new RegExp(`^(${dayOfWeek})#([1-5])$`),
        ([, day = '', week = '']) => `${dayNumber(day)}#${week}`,
      ],
    ],
  },
  { name: 'year', first: 1970, last: 2099, value: '19[789][0-9]|20[0-9]{2}' },
]

const nicknames: Readonly<Record<string, string>> = {
  '@yearly': '0 0 0 1 1 * *',
  '@annually': '0 0 0 1 1 * *',
  '@monthly': '0 0 0 1 * * *',
  '@weekly': '0 0 0 * * 0 *',
  '@daily': '0 0 0 * * * *',
  '@hourly': '0 0 * * * * *',
}

const nickname = new RegExp(Object.keys(nicknames).join('|'), 'g')

/**
 * Splits a cron specification into its seven fields and lists their values (behaviour/scheduler#versions:
 * 5, 6 (year) or 7 (seconds first) fields, `@daily` etc.). A field without any value, such as
 * `30-10`, is valid and never comes.
 *
 * @throws RangeError with the text of the reference's cron library
 */
export function readCronSpec(spec: string): readonly (readonly CronDay[])[] {
  const written = spec.replace(nickname, (name) => nicknames[name] ?? name).match(/[^\t\n\f\r ]+/g)
  const fields = written ?? []
  if (fields.length < 5) throw new RangeError('missing field(s)')
  const all = fields.length < 7 ? ['0', ...fields, '*'] : fields
  return forms.map((form, at) => readField(all[at] ?? '*', form))
}

function readField(field: string, form: FieldForm): readonly CronDay[] {
  const parts = field.split(',').filter((part) => part !== '')
  if (parts.length === 0) throw new RangeError(`${form.name} field: missing directive`)
  // An interval is looked at in all parts before the rest: its error comes first.
  const read = parts.map((part) => readPart(part, form))
  const wrong = read.indexOf(undefined)
  // But for days, nothing behind `*` is looked at.
  const all = form.special === undefined ? read.findIndex((values) => values?.[0] === '*') : -1
  if (wrong >= 0 && (all < 0 || wrong < all))
    throw new RangeError(`syntax error in ${form.name} field: '${parts[wrong]}'`)
  const values = new Set(read.flatMap((values) => values ?? []))
  return values.has('*') ? ['*'] : Array.from(values)
}

/** Returns what a part between commas stands for; undefined when it is no part. */
function readPart(part: string, form: FieldForm): readonly CronDay[] | undefined {
  const text = part.toLowerCase()
  if (text === '*' || text === '?') return ['*']
  const match = new RegExp(`^(?:\\*|(${form.value})(?:-(${form.value}))?)(?:/(\\d+))?$`).exec(text)
  if (match !== null) return expand(text, match, form)
  for (const [special, write] of form.special ?? []) {
    const found = special.exec(text)
    if (found !== null) return [write(found)]
  }
  return undefined
}

function expand(text: string, match: RegExpExecArray, form: FieldForm): readonly number[] {
  const [, from, to, interval] = match
  const step = interval === undefined ? 1 : Number(interval)
  if (step < 1 || step > form.last) throw new RangeError(`invalid interval ${text}`)
  const first = from === undefined ? form.first : numberOf(from, form)
  if (from !== undefined && to === undefined && interval === undefined) return [first]
  const last = to === undefined ? form.last : lastOf(to, form)
  const values = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at)
  return values.filter((_, at) => at % step === 0)
}

/**
 * Returns what ends on Sunday ends the day before, in the reference: `5-7` and `fri-sun` are two
 * days.
 */
function lastOf(to: string, form: FieldForm): number {
  const last = numberOf(to, form)
  return form.name === 'day-of-week' && last === 0 ? form.last : last
}

function numberOf(text: string, { names }: FieldForm): number {
  return (
    (names !== undefined && Object.hasOwn(names, text) ? names[text] : undefined) ?? Number(text)
  )
}

function dayNumber(text: string): number {
  const named: Readonly<Record<string, number>> = dayNames
  return (Object.hasOwn(named, text) ? named[text] : undefined) ?? Number(text)
}
