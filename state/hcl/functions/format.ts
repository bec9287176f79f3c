import { quoteGo, quoteGoCharacter } from '../../go/text.ts'
import { ConversionError, convertValue } from '../language/convert.ts'
import { FunctionError, type HclFunctionContext } from '../language/function.ts'
import {
  formatNumber,
  type HclType,
  type HclValue,
  isNumber,
  isSequence,
} from '../language/values.ts'
import {
  asNumber,
  asText,
  type FunctionTable,
  listOf,
  normalize,
  nullable,
  parameter,
} from './arguments.ts'
import { type DecimalForm, formatDecimal } from './decimal.ts'
import { countGraphemeClusters, graphemeClusters } from './graphemes.ts'
import { encodeJson } from './json.ts'

type Spend = HclFunctionContext['spend']

/** Functions that use format strings (behaviour/scheduler#functions). */
export const formatFunctions: FunctionTable = {
  format: {
    parameters: [parameter('format', 'string')],
    variadic: nullable('args', 'any'),
    run: ([format, ...values], { spend }) => formatValues(asText(format), values, spend),
  },
  formatlist: {
    parameters: [parameter('format', 'string')],
    variadic: nullable('args', 'any'),
    run: ([format, ...values], { spend }) => formatEach(asText(format), values, spend),
  },
}

function formatValues(format: string, values: readonly HclValue[], spend: Spend): string {
  spend(format.length)
  let text = ''
  let highestArgument = 0
  for (const part of scanFormat(format)) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    highestArgument = Math.max(highestArgument, part.argument)
    const piece = formatVerb(part, values, spend)
    spend(piece.length + 1)
    text += piece
  }
  if (highestArgument >= values.length) return text
  const usage =
    highestArgument === 0
      ? 'no verbs in format string'
      : `only ${highestArgument} used by format string`
  throw new FunctionError(`too many arguments; ${usage}`, highestArgument + 1)
}

/**
 * Formats one string for each position in the lists among the values. A value that is not a list is
 * used at every position. Throws a FunctionError for lists of different lengths.
 */
function formatEach(format: string, values: readonly HclValue[], spend: Spend): HclValue {
  if (values.length === 0) return listOf([normalize(formatValues(format, values, spend))])
  const sequences = values.map((value) => (isSequence(value) ? value.items : undefined))
  const firstSequenceIndex = sequences.findIndex((items) => items !== undefined)
  const length = sequences[firstSequenceIndex]?.length ?? 1
  const mismatchedIndex = sequences.findIndex(
    (items) => items !== undefined && items.length !== length,
  )
  if (mismatchedIndex >= 0) {
    throw new FunctionError(
      `argument ${mismatchedIndex + 1} has length ${sequences[mismatchedIndex]?.length}, which is inconsistent with argument ${firstSequenceIndex + 1} of length ${length}`,
      mismatchedIndex + 1,
    )
  }
  const texts: string[] = []
  for (let at = 0; at < length; at++) {
    const row = values.map((value, index) => {
      const items = sequences[index]
      return items === undefined ? value : (items[at] ?? null)
    })
    spend(values.length)
    try {
      texts.push(normalize(formatValues(format, row, spend)))
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error
      throw new FunctionError(`error on format iteration ${at}: ${error.message}`)
    }
  }
  return listOf(texts)
}

function formatVerb(verb: Verb, values: readonly HclValue[], spend: Spend): string {
  const { raw, offset, mode, argument } = verb
  const value = values[argument - 1]
  if (value === undefined) {
    throw new FunctionError(
      `not enough arguments for ${quoteGo(raw)} at ${offset}: need index ${argument} but have ${values.length} total`,
    )
  }
  if (mode !== 'v' && value === null) throw unsupportedVerb(verb, 'null value cannot be formatted')
  switch (mode) {
    case 'v':
      return pad(verb, formatDefault(verb, value, spend), spend)
    case 't':
      return String(convertArgument(verb, value, 'bool', spend))
    case 'b':
    case 'd':
    case 'o':
    case 'x':
    case 'X':
      return formatInteger(verb, asNumber(convertArgument(verb, value, 'number', spend)), spend)
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
      return formatFloat(verb, asNumber(convertArgument(verb, value, 'number', spend)), spend)
    case 's':
    case 'q': {
      const text = truncate(verb, asText(convertArgument(verb, value, 'string', spend)), spend)
      return pad(verb, mode === 'q' ? encodeJson(text, spend) : text, spend)
    }
    default:
      throw new FunctionError(
        `unsupported format verb ${quoteGoCharacter(mode)} in ${quoteGo(raw)} at offset ${offset}`,
      )
  }
}

function convertArgument(verb: Verb, value: HclValue, type: HclType, spend: Spend): HclValue {
  try {
    return convertValue(value, type, spend)
  } catch (error) {
    if (error instanceof ConversionError) throw unsupportedVerb(verb, error.message)
    throw error
  }
}

function formatDefault({ flags }: Verb, value: HclValue, spend: Spend): string {
  if (!flags.includes('#')) {
    if (typeof value === 'string') return value
    if (isNumber(value)) {
      return (value < 0 ? '-' : '') + formatDecimal(Math.abs(Number(value)), 'g')
    }
  }
  return encodeJson(value, spend)
}

/**
 * Truncates a string to the number of characters that the precision allows. Without a precision, or
 * with the precision 0, returns the string unchanged.
 */
function truncate({ precision }: Verb, text: string, spend: Spend): string {
  if (!precision || text.length <= precision) return text
  return graphemeClusters(text, spend).slice(0, precision).join('')
}

function pad({ width = 0, flags }: Verb, text: string, spend: Spend): string {
  const missingWidth = width - countGraphemeClusters(text, spend)
  if (missingWidth <= 0) return text
  spend(missingWidth)
  const padding = (flags.includes('0') ? '0' : ' ').repeat(missingWidth)
  return flags.includes('-') ? text + padding : padding + text
}

const bases: Readonly<Record<string, readonly [base: number, prefix: string]>> = {
  b: [2, '0b'],
  d: [10, ''],
  o: [8, '0'],
  x: [16, '0x'],
  X: [16, '0X'],
}

/** Formats a whole number as Go's big.Int does. Throws a FunctionError for other numbers. */
function formatInteger(verb: Verb, value: number, spend: Spend): string {
  if (!Number.isInteger(value)) throw unsupportedVerb(verb, 'an integer is required')
  const { mode, flags, width = 0, precision } = verb
  spend(Math.max(width, precision ?? 0))
  const [base, prefix] = bases[mode] ?? [10, '']
  const plain = BigInt(formatNumber(Math.abs(value))).toString(base)
  if (plain === '0' && precision === 0) return ''
  const digits = (mode === 'X' ? plain.toUpperCase() : plain).padStart(precision ?? 0, '0')
  const sign = signOf(value, flags) + (flags.includes('#') ? prefix : '')
  if (flags.includes('-')) return (sign + digits).padEnd(width)
  if (flags.includes('0') && precision === undefined) {
    return sign + digits.padStart(width - sign.length, '0')
  }
  return (sign + digits).padStart(width)
}

const forms: Readonly<Record<string, DecimalForm>> = { e: 'e', E: 'e', f: 'f', g: 'g', G: 'g' }

/** Formats a number as Go's big.Float does. */
function formatFloat(
  { mode, flags, width = 0, precision }: Verb,
  value: number,
  spend: Spend,
): string {
  spend(Math.max(width, precision ?? 0))
  const form = forms[mode] ?? 'g'
  const places = precision ?? (form === 'g' ? undefined : 6)
  const lowerCaseText = formatDecimal(Math.abs(value), form, places)
  const magnitude = mode === 'E' || mode === 'G' ? lowerCaseText.toUpperCase() : lowerCaseText
  const sign = signOf(value, flags)
  if (flags.includes('0')) return sign + magnitude.padStart(width - sign.length, '0')
  return flags.includes('-') ? (sign + magnitude).padEnd(width) : (sign + magnitude).padStart(width)
}

function signOf(value: number, flags: string): string {
  if (value < 0) return '-'
  if (flags.includes('+')) return '+'
  return flags.includes(' ') ? ' ' : ''
}

/** A verb of a format string: `%`, options and a letter. */
interface Verb {
  /** Source text of the verb. */
  readonly raw: string
  /** Offset in the format string, in bytes. */
  readonly offset: number
  readonly mode: string
  /** Number of the value to format, from 1. */
  readonly argument: number
  /** Flags: `0`, `#`, `-`, `+` and space. */
  readonly flags: string
  readonly width: number | undefined
  readonly precision: number | undefined
}

/**
 * Pattern of a verb: flags, width, precision, number of the value and letter. If the verb is
 * invalid, the match ends where it becomes invalid.
 */
const verbPattern =
  /%(?:%|([0#\-+ ]*)([1-9]\d*)?(?:\.(\d*))?(?:\[(?:([1-9]\d*)(\])?)?)?([A-Za-z])?)/y

/**
 * Yields the literal text and the verbs of a format string. The generator works step by step,
 * because an invalid verb is reported only after everything before it was formatted.
 *
 * @throws FunctionError with the product's message
 */
function* scanFormat(format: string): Generator<string | Verb> {
  let argument = 1
  let offset = 0
  for (let at = 0; at < format.length; ) {
    const start = format.indexOf('%', at)
    const text = format.slice(at, start < 0 ? undefined : start)
    if (text !== '') yield text
    if (start < 0) return
    offset += Buffer.byteLength(text)
    verbPattern.lastIndex = start
    const [raw = '%', flags = '', width, precision, index, closingBracket, mode] =
      verbPattern.exec(format) ?? []
    at = start + raw.length
    const verbOffset = offset
    offset += raw.length
    if (raw === '%%') {
      yield '%'
      continue
    }
    const isIndexUnclosed = raw.includes('[') && closingBracket === undefined
    if (mode === undefined || isIndexUnclosed) {
      const backstep = isIndexUnclosed && mode !== undefined ? 1 : 0
      throw invalidVerb(format.codePointAt(at - backstep), offset - backstep)
    }
    if (index !== undefined) argument = Number(index)
    yield {
      raw,
      offset: verbOffset,
      mode,
      argument,
      flags,
      width: width === undefined ? undefined : Number(width),
      precision: precision === undefined ? undefined : Number(precision),
    }
    argument += 1
  }
}

/** Returns the error for a format string that ends too early or contains an unknown verb. */
function invalidVerb(code: number | undefined, offset: number): FunctionError {
  if (code === undefined) {
    return new FunctionError(`invalid format string starting at offset ${offset}`)
  }
  const character = quoteGoCharacter(String.fromCodePoint(code))
  return new FunctionError(`unrecognized format character ${character} at offset ${offset}`)
}

/** Returns the error for a value that a verb cannot format. */
function unsupportedVerb({ raw, offset }: Verb, why: string): FunctionError {
  return new FunctionError(`unsupported value for ${quoteGo(raw)} at ${offset}: ${why}`)
}
