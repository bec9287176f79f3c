import { quoteGo } from '../../go/text.ts'
import { FunctionError, type HclFunction } from '../language/function.ts'
import { typeName } from '../language/types.ts'
import type { HclValue } from '../language/values.ts'
import { asInteger, asNumber, type FunctionTable, parameter } from './arguments.ts'

/** HCL functions for numbers (behaviour/scheduler#functions). */
export const numericFunctions: FunctionTable = {
  abs: numbersFunction(['num'], ([number]) => Math.abs(number)),
  ceil: numbersFunction(['num'], ([number]) => Math.ceil(number)),
  floor: numbersFunction(['num'], ([number]) => Math.floor(number)),
  log: numbersFunction(['num', 'base'], ([number, base]) => Math.log(number) / Math.log(base)),
  max: variadicNumbersFunction(Math.max),
  min: variadicNumbersFunction(Math.min),
  parseint: {
    parameters: [parameter('number', 'any'), parameter('base', 'number')],
    run: ([number = null, base]) => parseInteger(number, base),
  },
  pow: numbersFunction(['num', 'power'], ([number, power]) => number ** power),
  signum: {
    parameters: [parameter('num', 'number')],
    run: ([number]) => Math.sign(asInteger(number)) + 0,
  },
}

function numbersFunction(
  names: readonly string[],
  compute: (numbers: readonly [number, number]) => number,
): HclFunction {
  return {
    parameters: names.map((name) => parameter(name, 'number')),
    run: ([first, second = 0]) => checkFinite(compute([asNumber(first), asNumber(second)])),
  }
}

function variadicNumbersFunction(choose: (...numbers: number[]) => number): HclFunction {
  return {
    parameters: [],
    variadic: parameter('numbers', 'number'),
    run(args) {
      if (args.length === 0) throw new FunctionError('must pass at least one number')
      return args.map(asNumber).reduce((one, other) => choose(one, other))
    },
  }
}

/**
 * Returns the result of a calculation. Throws a FunctionError if the result is infinite or NaN; the
 * product accepts such results and fails later, in other ways.
 */
function checkFinite(number: number): number {
  if (Number.isFinite(number)) return number + 0
  throw new FunctionError('the result is not a finite number')
}

const digits = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Maximum number of digits. In any base, a number with more digits exceeds the largest double. */
const maxDigits = 1024

function parseInteger(text: HclValue, baseArgument: HclValue | undefined): number {
  if (typeof text !== 'string') {
    throw new FunctionError(`first argument must be a string, not ${typeName(text)}`, 0)
  }
  const base = asInteger(baseArgument, (reason) => new FunctionError(reason, 1))
  if (base < 2 || base > 62) {
    throw new FunctionError('base must be a whole number between 2 and 62 inclusive', 1)
  }
  const size = parseDigits(text.replace(/^[+-]/, ''), base)
  if (size === undefined) {
    throw new FunctionError(`cannot parse ${quoteGo(text)} as a base ${base} integer`, 0)
  }
  return (text.startsWith('-') ? -size : size) + 0
}

/** Parses digits. Returns undefined for other text and for numbers that are too large. */
function parseDigits(text: string, base: number): number | undefined {
  if (text === '') return undefined
  const significant = text.replace(/^0+/, '')
  if (significant.length > maxDigits) return undefined
  let total = 0n
  // Up to base 36, upper-case and lower-case letters are the same digits.
  for (const digit of base > 36 ? significant : significant.toLowerCase()) {
    const value = digits.indexOf(digit)
    if (value < 0 || value >= base) return undefined
    total = total * BigInt(base) + BigInt(value)
  }
  const number = Number(total)
  return Number.isFinite(number) ? number : undefined
}
