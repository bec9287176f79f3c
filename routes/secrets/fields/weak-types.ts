import { parseGoBoolean } from '../../../state/go/booleans.ts'
import { DurationError, parseDuration, toSeconds } from '../../../state/go/duration.ts'
import { parseGoInteger } from '../../../state/go/integer.ts'
import { quoteGo } from '../../../state/go/text.ts'
import { formatGoValue } from '../../../state/json/go-value.ts'
import { compareBytewise } from '../../../state/json/json.ts'
import {
  isJsonObject,
  type Json,
  JsonNumber,
  type JsonObject,
  setMember,
} from '../../../state/kernel/json.ts'

// The conversion rules and the error messages are those of the reference server's weak decoder
// (mapstructure 1.5). The decoder keeps JSON numbers as text, so a number is converted like the
// string of its digits.

/**
 * Error for a value that cannot be converted. The message becomes the reason in the service's
 * error.
 */
export class WeakTypeError extends Error {}

/** Returns a string unchanged, and a number as text; undefined for other values. */
function textOf(value: Json): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return String(value)
  return value instanceof JsonNumber ? value.text : undefined
}

/**
 * Returns a string unchanged, and a number as text; undefined for other values. A number loses a
 * fraction that consists of zeros: `3.0` becomes `3`.
 */
function numericText(value: Json): string | undefined {
  return value instanceof JsonNumber ? value.text.replace(/\.0+$/, '') : textOf(value)
}

function goType(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}'
  if (isJsonObject(value)) return 'map[string]interface {}'
  return typeof value === 'boolean' ? 'bool' : 'string'
}

function unconvertibleError(value: Json, type: string, name: string): WeakTypeError {
  return new WeakTypeError(
    `'${name}' expected type '${type}', got unconvertible type '${goType(value)}', value: '${formatGoValue(value)}'`,
  )
}

/**
 * Converts any scalar to text. True becomes `1`, false `0` and null an empty text. Throws a
 * `WeakTypeError` for a list or an object.
 * @param name place of the value in error messages, such as `[0]`
 */
export function weakString(value: Json, name = ''): string {
  const text = textOf(value)
  if (text !== undefined) return text
  if (value === null) return ''
  if (typeof value === 'boolean') return value ? '1' : '0'
  throw unconvertibleError(value, 'string', name)
}

/**
 * Converts a whole number, a text in Go's notations (`16`, `0x10`, `010`, `1_000`) or a boolean to
 * a whole number. Null and empty text become 0. Above 2^53, the result is the nearest double.
 * Throws a `WeakTypeError` for other values and beyond 64 bits.
 */
export function weakInteger(value: Json, name = ''): number {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  const text = numericText(value)
  if (text !== undefined) return parseInteger(text, name)
  if (value === null) return 0
  if (typeof value === 'boolean') return value ? 1 : 0
  throw unconvertibleError(value, 'int', name)
}

function parseInteger(text: string, name: string): number {
  if (text === '') return 0
  const parseError = (why: string) =>
    new WeakTypeError(`cannot parse '${name}' as int: ${parsingFailureText('ParseInt', text, why)}`)
  const signed = parseGoInteger(text)
  if (signed === undefined) throw parseError('invalid syntax')
  if (BigInt.asIntN(64, signed) !== signed) throw parseError('value out of range')
  return Number(signed)
}

/**
 * Converts a number, a text with a decimal number, or a boolean to a number. Null and empty text
 * become 0. Throws a `WeakTypeError` for other values.
 */
export function weakFloat(value: Json): number {
  const text = numericText(value)
  if (text !== undefined) {
    if (text === '') return 0
    if (/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i.test(text)) return Number(text)
    throw new WeakTypeError(
      `cannot parse '' as float: ${parsingFailureText('ParseFloat', text, 'invalid syntax')}`,
    )
  }
  if (value === null) return 0
  if (typeof value === 'boolean') return value ? 1 : 0
  throw unconvertibleError(value, 'float64', '')
}

function parsingFailureText(parser: string, text: string, why: string): string {
  return `strconv.${parser}: parsing ${quoteGo(text)}: ${why}`
}

/**
 * Converts `true`, `t`, `1` and so on to a boolean; null and empty text are false. Throws a
 * `WeakTypeError` for other values.
 */
export function weakBoolean(value: Json): boolean {
  if (typeof value === 'boolean') return value
  if (value === null) return false
  const text = textOf(value)
  if (text === undefined) throw unconvertibleError(value, 'bool', '')
  const known = text === '' ? false : parseGoBoolean(text)
  if (known !== undefined) return known
  throw new WeakTypeError(
    `cannot parse '' as bool: ${parsingFailureText('ParseBool', text, 'invalid syntax')}`,
  )
}

/**
 * Converts any duration of behaviour/secrets#durations to whole seconds, which may be negative.
 * Throws a `WeakTypeError` for other values.
 */
export function weakSeconds(value: Json): number {
  const text = numericText(value)
  if (text === undefined) throw new WeakTypeError('could not parse duration from input')
  try {
    return toSeconds(parseDuration(text))
  } catch (error) {
    if (error instanceof DurationError) throw new WeakTypeError(error.message)
    throw error
  }
}

/**
 * Converts a duration to whole seconds. Throws a `WeakTypeError` for a negative duration and for
 * other values.
 */
export function weakNonNegativeSeconds(value: Json): number {
  const seconds = weakSeconds(value)
  if (seconds < 0) throw new WeakTypeError(`cannot provide negative value '${seconds}'`)
  return seconds
}

/**
 * Converts a value to a list. Null and an empty object become an empty list; any other single value
 * becomes a list of one item.
 */
export function weakList(value: Json): Json[] {
  if (Array.isArray(value)) return value
  if (value === null) return []
  return isJsonObject(value) && Object.keys(value).length === 0 ? [] : [value]
}

/**
 * Converts the items of a list. As in the reference's decoder, all items are converted before an
 * error is thrown. The error contains the messages for all invalid items.
 */
function convertItems<T>(items: readonly Json[], convert: (item: Json, name: string) => T): T[] {
  const converted: T[] = []
  const problems: string[] = []
  for (const [index, item] of items.entries()) {
    try {
      converted.push(convert(item, `[${index}]`))
    } catch (error) {
      if (!(error instanceof WeakTypeError)) throw error
      problems.push(`* ${error.message}`)
    }
  }
  if (problems.length === 0) return converted
  problems.sort(compareBytewise)
  throw new WeakTypeError(`${problems.length} error(s) decoding:\n\n${problems.join('\n')}`)
}

/**
 * Returns the items of a list. `text` is the value as text, which is split at commas; undefined if
 * the value is not text.
 */
function commaItems(value: Json, text: string | undefined): Json[] {
  if (text === undefined) return weakList(value)
  return text === '' ? [] : text.split(',')
}

/**
 * Converts a list, comma-separated text or a single value to trimmed strings. Throws a
 * `WeakTypeError` if an item cannot be converted.
 */
export function weakStrings(value: Json): string[] {
  return convertItems(commaItems(value, textOf(value)), weakString).map((item) => item.trim())
}

/**
 * Converts a list or a single value to trimmed strings. A single text is not split at commas; an
 * empty text becomes an empty list. Throws a `WeakTypeError` if an item cannot be converted.
 */
export function weakUnsplitStrings(value: Json): string[] {
  return value === '' ? [] : convertItems(weakList(value), weakString).map((item) => item.trim())
}

/**
 * Converts a list, comma-separated text or a single value to whole numbers. As in Go, the text must
 * not contain spaces. Throws a `WeakTypeError` if an item cannot be converted.
 */
export function weakIntegers(value: Json): number[] {
  return convertItems(commaItems(value, numericText(value)), weakInteger)
}

/**
 * Converts a value to an object. Null becomes an empty object, and a list of objects becomes their
 * union. Throws a `WeakTypeError` for other values.
 */
export function weakMap(value: Json): JsonObject {
  if (isJsonObject(value)) return value
  const union: JsonObject = {}
  const pending: { readonly value: Json; readonly name: string }[] = [{ value, name: '' }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value: part, name } = next
    if (isJsonObject(part)) {
      for (const [key, member] of Object.entries(part)) setMember(union, key, member)
    } else if (Array.isArray(part)) {
      for (const [index, item] of [...part.entries()].reverse()) {
        pending.push({ value: item, name: `${name}[${index}]` })
      }
    } else if (part !== null) {
      throw new WeakTypeError(`'${name}' expected a map, got '${goType(part)}'`)
    }
  }
  return union
}

/** Converts a value as `weakMap` does, but returns undefined instead of throwing an error. */
export function parseMap(value: Json): JsonObject | undefined {
  try {
    return weakMap(value)
  } catch (error) {
    if (error instanceof WeakTypeError) return undefined
    throw error
  }
}

/**
 * Converts a value to an object with string values. The value is an object with scalar members, a
 * list of such objects, a list of `k=v`, or a string of comma-separated `k=v`. A comma that is not
 * followed by `k=` belongs to the value before it. Throws a `WeakTypeError` for other values.
 */
export function parseWeakPairs(value: Json): { [key: string]: string } {
  const pairs: { [key: string]: string } = {}
  const map = parseMap(value)
  if (map && Object.values(map).every(isPlain)) {
    for (const [key, member] of Object.entries(map)) setMember(pairs, key, weakString(member))
    return pairs
  }
  const items =
    typeof value === 'string'
      ? value.split(/,(?=[^,=]+=)/)
      : convertItems(weakList(value), weakString)
  for (const item of items) {
    const equalsSign = item.indexOf('=')
    if (equalsSign < 1) throw new WeakTypeError(`invalid key pair ${quoteGo(item)}`)
    setMember(pairs, item.slice(0, equalsSign), item.slice(equalsSign + 1))
  }
  return pairs
}

function isPlain(value: Json): boolean {
  return !Array.isArray(value) && !isJsonObject(value)
}
