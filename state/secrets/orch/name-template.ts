import { createHash } from 'node:crypto'
import { formatTimestamp, months, weekdays } from '../../kernel/time.ts'
import { trimEndOf } from '../../kernel/trimming.ts'
import type { World } from '../../kernel/worlds/world.ts'
import { optionsOf } from '../options.ts'
import { refuse } from './messages.ts'
import { namesOfDialect } from './options.ts'
import { parseTemplate, TemplateError } from './template-parser.ts'
import {
  formatGo,
  maxTextLength,
  runTemplate,
  type TemplateFunction,
  type TemplateValue,
} from './template-run.ts'

/**
 * Pattern of the layout elements of Go's time.Format. An element precedes the shorter elements with
 * which it begins, because the regular expression selects the first alternative that matches.
 */
const layoutElement =
  /January|Jan(?![a-z])|Monday|Mon(?![a-z])|MST|Z07(?::?00){0,2}|-07(?::?00){0,2}|2006|__2|_2(?!006)|002|0[1-6]|15|PM|pm|[.,](?:0+|9+)(?!\d)|[1-5]/g

const millisecondsInDay = 86_400_000

/**
 * Formats an instant (milliseconds since 1970) in UTC as Go's time.Format does, by a layout such as
 * `2006-01-02T15:04:05Z07:00`.
 */
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
  return layout.replace(layoutElement, (form) => {
    const part = parts[form]
    if (part !== undefined) return part
    if (form.startsWith('Z')) return 'Z'
    if (form.startsWith('-')) return form.replace('-', '+').replaceAll('7', '0')
    return formatFraction(form, milliseconds)
  })
}

/**
 * Formats the fraction of a second. `.000` in a layout prints one digit for each zero; `.999` also
 * drops trailing zeros.
 */
function formatFraction(form: string, milliseconds: string): string {
  const count = form.length - 1
  const digits = milliseconds.padEnd(count, '0').slice(0, count)
  if (form.charAt(1) === '0') return form.charAt(0) + digits
  const kept = trimEndOf(digits, '0')
  return kept === '' ? '' : form.charAt(0) + kept
}

/**
 * Returns the day of the year, from 1.
 * @param days number of days since 1970-01-01
 */
function dayOfYear(days: number, year: string): string {
  const before = Number(year) - 1
  const leapDays = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  return String(days - (before * 365 + leapDays - 719_162) + 1)
}

/** The default name template of roles (behaviour/secrets#orch-creds). */
const defaultTemplate =
  '{{ printf "v-%s-%s-%s-%s" (.DisplayName | truncate 8) (.RoleName | truncate 8) (unix_time) (random 24) | truncate 62 | lowercase }}'

/** Maximum length of a template in characters, which also limits the number of actions. */
const maxTemplateLength = 16 * 1024

/**
 * Checks a template in a request. An empty template is valid and selects the default template.
 * @throws Refusal `invalid` for a template that does not parse or is too long
 */
export function checkNameTemplate(template: string): void {
  try {
    checkTemplateSyntax(template)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw refuse('name-template-invalid', { why: error.message })
  }
}

/**
 * Checks the length and the syntax of a template. An empty template is valid.
 * @throws TemplateError for a template that does not parse or is too long
 */
export function checkTemplateSyntax(template: string): void {
  if (template.length > maxTemplateLength) throw new TemplateError('template: too long')
  if (template !== '') parseTemplate(template, functionNames)
}

/** Values of the fields `.DisplayName` and `.RoleName`. */
interface NameData {
  /** Display name of the token that requests credentials. */
  readonly displayName: string
  readonly roleName: string
}

/**
 * Generates a name for new objects. Uses the default template if `template` is empty.
 * @throws Refusal `invalid` if evaluating the template fails, for example because of an unknown
 *   field
 */
export function generateName(world: World, template: string, names: NameData): string {
  const source = template === '' ? defaultTemplate : template
  try {
    return renderNameTemplate(world, source, names, namesOfDialect(optionsOf(world)).nameData)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw refuse('name-template-failed', { why: error.message })
  }
}

/**
 * Evaluates a template.
 * @param dataType Go type of the data, which error messages about unknown fields contain
 * @throws TemplateError if the template does not parse, or if its evaluation fails
 */
export function renderNameTemplate(
  world: World,
  source: string,
  names: NameData,
  dataType: string,
): string {
  return runTemplate(parseTemplate(source, functionNames), {
    data: { DisplayName: names.displayName, RoleName: names.roleName },
    dataType,
    functions: functionsOf(world),
    source,
  })
}

const text = String
const toInteger = Number

/** Returns the functions that templates can call. Argument types are those of the reference. */
const functionsOf = (world: World): Readonly<Record<FunctionName, TemplateFunction>> => ({
  random: { parameterTypes: ['int'], run: (length = 0) => random(world, toInteger(length)) },
  truncate: {
    parameterTypes: ['int', 'string'],
    run: (maxLength = 0, value = '') => truncate(maxLength, value),
  },
  truncate_sha256: {
    parameterTypes: ['int', 'string'],
    run: (maxLength = 0, value = '') => truncateSha256(toInteger(maxLength), text(value)),
  },
  uppercase: { parameterTypes: ['string'], run: (value = '') => text(value).toUpperCase() },
  lowercase: { parameterTypes: ['string'], run: (value = '') => text(value).toLowerCase() },
  replace: {
    parameterTypes: ['string', 'string', 'string'],
    run: (find = '', by = '', value = '') => replaceAll(text(find), text(by), text(value)),
  },
  sha256: { parameterTypes: ['string'], run: (value = '') => sha256(Buffer.from(text(value))) },
  base64: {
    parameterTypes: ['string'],
    run: (value = '') => Buffer.from(text(value)).toString('base64'),
  },
  unix_time: { parameterTypes: [], run: () => String(Math.floor(world.clock.now() / 1000)) },
  unix_time_millis: { parameterTypes: [], run: () => String(world.clock.now()) },
  timestamp: {
    parameterTypes: ['string'],
    run: (layout = '') => formatGoTime(world.clock.now(), text(layout)),
  },
  uuid: { parameterTypes: [], run: () => world.ids.uuid() },
  printf: {
    parameterTypes: ['string', 'any'],
    isVariadic: true,
    run: (form = '', ...values) => formatGo(text(form), values),
  },
})

const functionList = [
  'random',
  'truncate',
  'truncate_sha256',
  'uppercase',
  'lowercase',
  'replace',
  'sha256',
  'base64',
  'unix_time',
  'unix_time_millis',
  'timestamp',
  'uuid',
  'printf',
] as const

type FunctionName = (typeof functionList)[number]

const functionNames: ReadonlySet<string> = new Set(functionList)

function random(world: World, length: number): string {
  if (length < 0 || length > maxTextLength) throw new TemplateError(`bad length ${length}`)
  return world.ids.base62(length)
}

/**
 * Truncates a string to a number of bytes, as slicing does in Go. A character that is only partly
 * inside the limit becomes the replacement character.
 * @throws TemplateError for a length below 1
 */
function truncate(maxLength: TemplateValue, value: TemplateValue): string {
  const limit = toInteger(maxLength)
  if (limit <= 0) throw new TemplateError(`max length must be > 0 but was ${limit}`)
  return Buffer.from(text(value)).subarray(0, limit).toString()
}

const hashLength = 8

function truncateSha256(maxLength: number, value: string): string {
  if (maxLength <= hashLength)
    throw new TemplateError(`max length must be > 8 but was ${maxLength}`)
  const bytes = Buffer.from(value)
  if (bytes.length <= maxLength) return value
  const kept = maxLength - hashLength
  return bytes.subarray(0, kept).toString() + sha256(bytes.subarray(kept)).slice(0, hashLength)
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Replaces substrings as Go's ReplaceAll does.
 * @throws TemplateError if the replacements exceed `maxTextLength`. The check runs before the
 *   result is built, so that templates cannot exhaust the memory.
 */
function replaceAll(find: string, by: string, value: string): string {
  const times = find === '' ? value.length + 1 : value.split(find).length - 1
  if (times * by.length > maxTextLength) throw new TemplateError('the text is too long')
  return find === ''
    ? [by, ...Array.from(value, (character) => character + by)].join('')
    : value.replaceAll(find, () => by)
}
