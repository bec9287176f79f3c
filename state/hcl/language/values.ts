import { type Integer, numberOf } from '../../kernel/integers.ts'

/**
 * Value of the configuration language (behaviour/scheduler#job-file-language). Literals yield
 * tuples and objects; type constraints and functions yield lists, sets and maps. Values are never
 * changed in place, so they may share their parts.
 */
export type HclValue = null | boolean | Integer | string | HclSequence | HclMapping

/**
 * Values by position. The items of a set are distinct and have the order that the language defines
 * for sets.
 */
export interface HclSequence {
  readonly kind: 'tuple' | 'list' | 'set'
  readonly items: readonly HclValue[]
}

/** Values by key. An object keeps the order of the source; a map is in the order of its keys. */
export interface HclMapping {
  readonly kind: 'object' | 'map'
  readonly entries: ReadonlyMap<string, HclValue>
}

/**
 * Required type of a value: a type constraint of a variable, or the type of a function's parameter.
 */
export type HclType =
  | 'any'
  | 'string'
  | 'number'
  | 'bool'
  | { readonly kind: 'list' | 'set' | 'map'; readonly of: HclType }
  | {
      readonly kind: 'object'
      readonly attributes: ReadonlyMap<
        string,
        { readonly type: HclType; readonly optional: boolean }
      >
    }
  | { readonly kind: 'tuple'; readonly items: readonly HclType[] }

/** Returns whether a value is a tuple, a list or a set. */
export function isSequence(value: HclValue): value is HclSequence {
  return typeof value === 'object' && value !== null && 'items' in value
}

/** Returns whether a value is an object or a map. */
export function isMapping(value: HclValue): value is HclMapping {
  return typeof value === 'object' && value !== null && 'entries' in value
}

/** Returns whether a value is a number. Integers that a double would round are bigints. */
export function isNumber(value: HclValue | undefined): value is Integer {
  return typeof value === 'number' || typeof value === 'bigint'
}

const NUMBER = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?$/

/**
 * Parses a number. Returns undefined for other strings and for numbers beyond the range of a
 * double.
 */
export function parseNumber(text: string): Integer | undefined {
  if (!NUMBER.test(text)) return undefined
  const value = numberOf(text)
  return Number.isFinite(Number(value)) ? value : undefined
}

/** Formats a number in decimal notation, never with an exponent. */
export function formatNumber(value: Integer): string {
  if (typeof value === 'bigint') return String(value)
  const text = String(value === 0 ? 0 : value)
  const [mantissa = '', exponent] = text.split('e')
  if (exponent === undefined) return text
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const shift = Number(exponent)
  // JavaScript uses exponents only below 1e-6 and from 1e21 on. All digits are then on one side of
  // the decimal point.
  return shift < 0
    ? `${sign}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`
    : sign + whole + fraction.padEnd(shift, '0')
}

/**
 * Removes the rounding error of binary fractions from the result of arithmetic. For example, 0.1 +
 * 0.2 becomes 0.3, as in the reference, whose numbers have 512 bits.
 */
export function normalizeNumber(value: number): number {
  if (Number.isInteger(value)) return value + 0
  const rounded = Number(value.toPrecision(15))
  return String(rounded).length + 2 < String(value).length ? rounded : value
}
