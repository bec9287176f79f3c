import { decodeTokens } from '../../json/decodings.ts'
import { compareBytewise, JsonError, parseJson } from '../../json/json.ts'
import { isJsonObject, type Json, JsonNumber } from '../../kernel/json.ts'
import { FunctionError, type HclFunctionContext } from '../language/function.ts'
import { formatNumber, type HclValue, isNumber, isSequence } from '../language/values.ts'
import { asText, type FunctionTable, normalize, nullable, parameter, tupleOf } from './arguments.ts'

type Spend = HclFunctionContext['spend']

/**
 * Maximum nesting of values that functions parse. The product has no limit other than its stack.
 */
const maxValueDepth = 200

/** Functions that encode and decode JSON (behaviour/scheduler#functions). */
export const jsonFunctions: FunctionTable = {
  jsondecode: {
    parameters: [parameter('str', 'string')],
    run: ([text], { spend }) => decodeJson(asText(text), spend),
  },
  jsonencode: {
    parameters: [nullable('val', 'any')],
    run: ([value = null], { spend }) => encodeJson(value, spend),
  },
}

const escapeSequences: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

function quoteJson(text: string): string {
  return JSON.stringify(text).replace(
    /[<>&\u2028\u2029]/g,
    (found) => escapeSequences[found] ?? found,
  )
}

/** Returns a value as JSON. The keys are sorted, and strings have Go's escapes. */
export function encodeJson(value: HclValue, spend: Spend): string {
  if (typeof value === 'string') {
    spend(value.length)
    return quoteJson(value)
  }
  spend(1)
  if (isNumber(value)) return formatNumber(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (isSequence(value)) {
    return `[${value.items.map((item) => encodeJson(item, spend)).join(',')}]`
  }
  const members = [...value.entries]
    .sort(([a], [b]) => compareBytewise(a, b))
    .map(([key, item]) => `${encodeJson(key, spend)}:${encodeJson(item, spend)}`)
  return `{${members.join(',')}}`
}

function decodeJson(text: string, spend: Spend): HclValue {
  spend(text.length)
  try {
    return fromJson(parseJson(text, decodeTokens), maxValueDepth)
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    throw new FunctionError(error.message)
  }
}

function fromJson(value: Json, depth: number): HclValue {
  if (typeof value === 'string') return normalize(value)
  if (value instanceof JsonNumber) return parseNumberLiteral(value.text)
  if (value === null || typeof value !== 'object') return value
  if (depth === 0) throw new FunctionError('exceeded max depth')
  if (Array.isArray(value)) return tupleOf(value.map((item) => fromJson(item, depth - 1)))
  if (!isJsonObject(value)) return null
  const entries = Object.entries(value).map(
    ([key, item]) => [normalize(key), fromJson(item, depth - 1)] as const,
  )
  return { kind: 'object', entries: new Map(entries) }
}

function parseNumberLiteral(literal: string): number {
  const number = Number(literal)
  if (Number.isFinite(number)) return number + 0
  throw new FunctionError(`the number ${literal} is too large`)
}
