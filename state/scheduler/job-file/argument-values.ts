import { DurationError, parseGoDuration } from '../../go/duration.ts'
import { ConversionError, convertValue } from '../../hcl/language/convert.ts'
import { startRange } from '../../hcl/language/evaluation.ts'
import { verbatimTextOf } from '../../hcl/language/json-body.ts'
import type { Scope } from '../../hcl/language/scope.ts'
import { valueType } from '../../hcl/language/types.ts'
import {
  type HclType,
  type HclValue,
  isMapping,
  isNumber,
  isSequence,
} from '../../hcl/language/values.ts'
import type { Attribute, Expression } from '../../hcl/syntax/ast.ts'
import type { Range } from '../../hcl/syntax/source.ts'
import { compareBytewise } from '../../json/json.ts'
import type { Integer } from '../../kernel/integers.ts'
import { type Json, type JsonObject, setMember } from '../../kernel/json.ts'
import type { JobFileReader } from './reader.ts'
import type { ArgumentRule, ArgumentType, FixedContents } from './schema.ts'

/** Value of an argument, as rows store it. A bigint keeps all digits of a 64-bit integer. */
export type ArgumentJson = Json | bigint

/** Error for a value that an argument does not accept, with the reference's message. */
class UnsuitableValueError extends Error {}

/** Limits of the reference's integer types. `limit` is the first number above the range. */
const integerRanges = {
  int: {
    min: -(2 ** 63),
    limit: 2 ** 63,
    range: '-9223372036854775808 and 9223372036854775807',
  },
  int8: { min: -128, limit: 128, range: '-128 and 127' },
  uint8: { min: 0, limit: 256, range: '0 and 255 inclusive' },
  uint16: { min: 0, limit: 65_536, range: '0 and 65535 inclusive' },
  uint32: { min: 0, limit: 4_294_967_296, range: '0 and 4294967295 inclusive' },
  uint64: { min: 0, limit: 2 ** 64, range: '0 and 18446744073709551615 inclusive' },
} as const
type IntegerType = keyof typeof integerRanges

const listOf = (elementType: HclType): HclType => ({ kind: 'list', of: elementType })
const hclTypes: Readonly<Record<Exclude<ArgumentType, 'duration'>, HclType>> = {
  string: 'string',
  bool: 'bool',
  int: 'number',
  int8: 'number',
  uint8: 'number',
  uint16: 'number',
  uint32: 'number',
  uint64: 'number',
  'list of string': listOf('string'),
  'list of uint16': listOf('number'),
  'map of string': { kind: 'map', of: 'string' },
}

/**
 * Converts the value of an argument to the form in which the job stores it. Null stays null if the
 * argument accepts null. For an unsuitable value, reports a problem and returns undefined
 * (behaviour/scheduler#job-file-errors).
 */
export function readArgument(
  reader: JobFileReader,
  { name, expression }: Attribute,
  { type, refusesNull = false }: Pick<ArgumentRule, 'type' | 'refusesNull'>,
  wording: FixedContents['wording'],
  scope: Scope,
): ArgumentJson | undefined {
  const value = reader.evaluate(expression, scope)
  if (value === undefined) {
    if (wording !== 'specification') {
      reader.report({
        summary: 'Unsuitable value type',
        detail: 'Unsuitable value: value must be known',
        range: expression.range,
      })
    }
    return undefined
  }
  if (type === 'duration' && value === null) {
    reader.report({
      summary: 'Unsuitable value',
      detail: 'Unsuitable duration value: nil',
      range: valueStart(expression),
    })
    return undefined
  }
  try {
    if (type === 'duration') return parseDuration(value)
    const converted = convertValue(value, hclTypes[type], scope.context.spend)
    if (wording === 'specification') return truncateWeight(converted)
    if (converted === null && refusesNull)
      throw new UnsuitableValueError('null value is not allowed')
    return checkedJson(converted, type)
  } catch (error) {
    if (error instanceof DurationError) {
      reader.report({
        summary: 'Unsuitable value type',
        detail: `Unsuitable duration value: ${error.message}`,
        range: valueStart(expression),
      })
    } else if (!(error instanceof UnsuitableValueError || error instanceof ConversionError)) {
      throw error
    } else if (wording === 'specification') {
      reader.report({
        summary: 'Incorrect attribute value type',
        detail: `Inappropriate value for attribute ${JSON.stringify(name)}: ${error.message}.`,
        range: expression.range,
      })
    } else {
      reader.report({
        summary: 'Unsuitable value type',
        detail: `Unsuitable value: ${error.message}`,
        range: valueStart(expression),
      })
    }
    return undefined
  }
}

/**
 * Returns the range to which messages about a value refer: the start of the value or, for a string
 * in JSON syntax, the whole string.
 */
export function valueStart(expression: Expression): Range {
  return verbatimTextOf(expression) === undefined ? startRange(expression) : expression.range
}

/**
 * Parses a duration to nanoseconds. Throws a `DurationError` or an `UnsuitableValueError` if the
 * value is not a duration.
 */
function parseDuration(value: HclValue): Integer {
  if (typeof value === 'string') return parseGoDuration(value)
  if (isNumber(value)) return checkedInteger(value, 'int')
  throw new UnsuitableValueError(`expected a string but found ${formatType(valueType(value))}`)
}

/**
 * Formats a type as the reference's messages do, which print the internal Go structure of the type,
 * such as `{{{} %!s(cty.primitiveTypeKind=83)}}` for a string.
 */
function formatType(type: HclType): string {
  return `{${formatTypeStructure(type)}}`
}

function formatTypeStructure(type: HclType): string {
  if (type === 'any') return '{{}}'
  if (typeof type === 'string')
    return `{{} %!s(cty.primitiveTypeKind=${type.toUpperCase().charCodeAt(0)})}`
  if ('of' in type) return `{{} ${formatType(type.of)}}`
  if (type.kind === 'tuple') return `{{} [${type.items.map(formatType).join(' ')}]}`
  const attributes = [...type.attributes].sort(([a], [b]) => compareBytewise(a, b))
  return `{{} map[${attributes.map(([name, { type }]) => `${name}:${formatType(type)}`).join(' ')}] map[]}`
}

/**
 * Truncates the weight of an affinity as Go does: the number becomes a 64-bit integer, of which the
 * lowest 8 bits are kept, so 200 becomes -56. Values that are not numbers are converted to JSON.
 */
function truncateWeight(value: HclValue): Json {
  if (!isNumber(value)) return toJson(value)
  if (value >= 2 ** 63) return -1
  if (value < -(2 ** 63)) return 0
  return Number(BigInt.asIntN(8, BigInt(Math.trunc(Number(value)))))
}

function checkedJson(value: HclValue, type: ArgumentType): ArgumentJson {
  if (value === null) return null
  if (isInteger(type)) return checkedInteger(isNumber(value) ? value : Number(value), type)
  const nestedValues = isSequence(value)
    ? value.items
    : isMapping(value)
      ? value.entries.values()
      : []
  for (const item of nestedValues) {
    if (item === null) throw new UnsuitableValueError('null value is not allowed')
    if (type === 'list of uint16') checkedInteger(Number(item), 'uint16')
  }
  return toJson(value)
}

function isInteger(type: ArgumentType): type is IntegerType {
  return Object.hasOwn(integerRanges, type)
}

function checkedInteger(value: Integer, type: IntegerType): Integer {
  const { min: minimum, limit: upperLimit, range } = integerRanges[type]
  const isWhole = typeof value === 'bigint' || Number.isInteger(value)
  if (isWhole && value >= minimum && value < upperLimit)
    return typeof value === 'number' ? value + 0 : value
  throw new UnsuitableValueError(`value must be a whole number, between ${range}`)
}

/**
 * Converts a value to JSON. Numbers become doubles, as in rows. Lists and sets become arrays; maps
 * and objects become objects.
 */
export function toJson(value: HclValue): Json {
  if (isSequence(value)) return value.items.map(toJson)
  if (isNumber(value)) return Number(value) + 0
  if (!isMapping(value)) return value
  const object: JsonObject = {}
  for (const [key, item] of value.entries) setMember(object, key, toJson(item))
  return object
}
