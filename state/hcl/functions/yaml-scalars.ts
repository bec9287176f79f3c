import { quoteGo } from '../../go/text.ts'
import { convertValue } from '../language/convert.ts'
import { FunctionError } from '../language/function.ts'
import type { HclValue } from '../language/values.ts'
import { parseNumber } from '../language/values.ts'
import { normalize } from './arguments.ts'
import { daysIn, formatRfc3339 } from './rfc3339.ts'

/** A scalar whose value is not resolved yet. */
export interface YamlScalar {
  readonly source?: string
  readonly tag?: string
  /** Style: plain, quoted or block. */
  readonly type?: string
}

/**
 * The resolved value of a scalar (in an object, because the value may be null), or `merge` for the
 * key that merges mappings.
 */
type ResolvedScalar = { readonly value: HclValue } | 'merge'

const tagPrefix = 'tag:yaml.org,2002:'

/** Texts for booleans and null. Each word may be in lower case, in upper case, or capitalized. */
const keywords: ReadonlyMap<string, boolean | null> = new Map([
  ...spellings(['y', 'yes', 'true', 'on'], true),
  ...spellings(['n', 'no', 'false', 'off'], false),
  ...spellings(['null'], null),
  ['', null],
  ['~', null],
])

function spellings<T>(names: readonly string[], value: T): (readonly [string, T])[] {
  return names.flatMap((name) => {
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    return [name, title, name.toUpperCase()].map((spelling) => [spelling, value] as const)
  })
}

const integerPattern = /^(?:[-+]?\d+|0o[0-7]+|0x[0-9a-fA-F]+)$/
const floatPattern = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/

/**
 * Resolves a scalar by its tag or its text as the product does.
 * @throws FunctionError with the product's message
 */
export function resolveScalar({ source = '', tag: fullTag, type }: YamlScalar): ResolvedScalar {
  const tag = fullTag?.startsWith(tagPrefix) ? fullTag.slice(tagPrefix.length) : (fullTag ?? '')
  if (fullTag !== undefined && !resolvers.has(tag)) {
    throw new FunctionError(`unsupported tag ${quoteGo(fullTag)}`)
  }
  if (tag !== 'str' && tag !== 'binary') {
    const resolved = resolvePlainText(source, tag, type)
    // A block scalar without a tag is a string. As in the product, its text is first resolved like
    // a plain scalar, and the resolved value is then converted to a string.
    if (resolved !== undefined) {
      const isBlock = tag === '' && type?.startsWith('BLOCK')
      return { value: isBlock ? convertValue(resolved, 'string') : resolved }
    }
  }
  if (tag === '' && source === '<<' && type === 'PLAIN') return 'merge'
  const value = resolvers.get(tag)?.(source)
  if (value === undefined) {
    const why = tag === 'binary' ? ': not valid base64' : ''
    throw new FunctionError(`cannot parse ${quoteGo(source)} as ${fullTag}${why}`)
  }
  return { value }
}

/**
 * Returns the value that the text of a scalar determines, such as a number, a boolean or a time.
 * Returns undefined for any other text, whose value the tag determines.
 * @throws FunctionError for infinity and NaN
 */
function resolvePlainText(source: string, tag: string, type: string | undefined) {
  if (!/^(?:$|[-+\d.~yYnNtTfFoO])/.test(source)) return undefined
  if (type?.startsWith('QUOTE')) return normalize(source)
  const word = keywords.get(source)
  if (word !== undefined) return word
  if (/^[-+]?\.(?:inf|Inf|INF)$/.test(source)) {
    throw new FunctionError('infinity is not supported')
  }
  if (tag === '' && /^\.(?:nan|NaN|NAN)$/.test(source)) {
    throw new FunctionError('floating point NaN is not supported')
  }
  if (tag === '' || tag === 'timestamp') {
    const time = parseYamlTimestamp(source)
    if (time !== undefined) return time
  }
  if (source.startsWith('.')) return parseNumber(source)
  return integerPattern.test(source) || floatPattern.test(source)
    ? parseYamlNumber(source)
    : undefined
}

/** Resolvers by tag. A resolver returns undefined if the text does not have the type of the tag. */
const resolvers: ReadonlyMap<string, (source: string) => HclValue | undefined> = new Map<
  string,
  (source: string) => HclValue | undefined
>([
  ['', normalize],
  ['str', normalize],
  ['binary', (source) => (isBase64(source) ? source : undefined)],
  ['bool', () => undefined],
  ['int', parseYamlNumber],
  ['float', parseYamlNumber],
  ['null', () => null],
  ['timestamp', () => undefined],
])

function isBase64(text: string): boolean {
  const digits = text.replace(/[\r\n]/g, '')
  return digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits)
}

function parseYamlNumber(source: string): number | undefined {
  const plain = source.replaceAll('_', '')
  const decimal = parseNumber(plain)
  if (decimal !== undefined) return Number(decimal)
  const other = /^0(?:x[0-9a-f]+|o[0-7]+|b[01]+)$/i.test(plain) ? Number(plain) : Number.NaN
  return other < 2 ** 64 ? other : undefined
}

const timestampForm =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(Z|[+-]\d{2}:\d{2}))|(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?))?$/

/** Converts a date or time to RFC 3339; undefined for other text. */
function parseYamlTimestamp(source: string): string | undefined {
  const match = timestampForm.exec(source)
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0] = match.slice(1, 4).map(Number)
  const [hour = 0, minute = 0, second = 0] = (
    match[4] === undefined ? match.slice(8) : match.slice(4, 7)
  ).map((part) => Number(part ?? 0))
  const zone = match[7] ?? 'Z'
  const [hours = 0, minutes = 0] = zone === 'Z' ? [] : zone.slice(1).split(':').map(Number)
  const isTime = hour < 24 && minute < 60 && second < 60 && hours <= 24 && minutes <= 60
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
  if (!isTime || !isDate) return undefined
  const offset = (zone.startsWith('-') ? -1 : 1) * (hours * 3600 + minutes * 60)
  return formatRfc3339({ year, month, day, hour, minute, second, nanosecond: 0, offset })
}
