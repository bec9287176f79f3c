import { parseGoBoolean } from '../go/booleans.ts'
import { parseGoInteger } from '../go/integer.ts'
import { quoteGo } from '../go/text.ts'

/**
 * Result of parsing a string as a value of a type: the value, or the message of Go's strconv.
 * `isSyntax` is true for invalid syntax, and false if the value is out of range.
 */
export type Coerced<T> =
  | { readonly value: T }
  | { readonly error: string; readonly isSyntax: boolean }

/**
 * Parses an integer as Go's ParseInt does with base 0 and 64 bits: `-12`, `0x1f`, `0b101`, `0o17`,
 * `017`, `1_000`.
 */
export function coerceInt(text: string): Coerced<number> {
  return coerceInteger(text, 'ParseInt', -(2n ** 63n), 2n ** 63n - 1n)
}

/** Parses an integer as Go's ParseUint does with base 0 and 64 bits. Signs are not accepted. */
export function coerceUint(text: string): Coerced<number> {
  if (/^[+-]/.test(text)) return failure('ParseUint', text, true)
  return coerceInteger(text, 'ParseUint', 0n, 2n ** 64n - 1n)
}

function coerceInteger(text: string, parser: 'ParseInt' | 'ParseUint', low: bigint, high: bigint) {
  const integer = parseGoInteger(text)
  if (integer === undefined) return failure(parser, text, true)
  return integer < low || integer > high ? failure(parser, text, false) : { value: Number(integer) }
}

const decimalFloat = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
const hexFloat = /^([+-]?)0x(?=[0-9a-f.])([0-9a-f]*)(?:\.([0-9a-f]*))?p([+-]?\d+)$/i
const namedFloats = new Map([
  ['inf', Infinity],
  ['infinity', Infinity],
  ['nan', Number.NaN],
])

/** Parses a number as Go's ParseFloat does with 64 bits: decimal, hexadecimal, `inf`, `nan`. */
export function coerceFloat(text: string): Coerced<number> {
  const namedFloat = namedFloats.get(text.toLowerCase().replace(/^[+-]/, ''))
  if (namedFloat !== undefined) return { value: text.startsWith('-') ? -namedFloat : namedFloat }
  const value = decimalFloat.test(text) ? Number(text) : parseHexFloat(text)
  if (value === undefined) return failure('ParseFloat', text, true)
  return Number.isFinite(value) ? { value } : failure('ParseFloat', text, false)
}

function parseHexFloat(text: string): number | undefined {
  const [, sign, integer = '', fraction = '', power] = hexFloat.exec(text) ?? []
  if (integer + fraction === '') return undefined
  const magnitude =
    Number.parseInt(integer + fraction, 16) * 2 ** (Number(power) - 4 * fraction.length)
  return sign === '-' ? -magnitude : magnitude
}

/** Parses a boolean as Go's ParseBool does: `1`, `t`, `T`, `true`, `0` and so on. */
export function coerceBool(text: string): Coerced<boolean> {
  const value = parseGoBoolean(text)
  return value === undefined ? failure('ParseBool', text, true) : { value }
}

function failure(parser: string, text: string, isSyntax: boolean): Coerced<never> {
  const why = isSyntax ? 'invalid syntax' : 'value out of range'
  return { error: `strconv.${parser}: parsing ${quoteGo(text)}: ${why}`, isSyntax }
}
