import {
  FunctionError,
  type HclFunction,
  type HclFunctionContext,
  type HclParameter,
} from '../language/function.ts'
import {
  type HclSequence,
  type HclType,
  type HclValue,
  isNumber,
  isSequence,
} from '../language/values.ts'

/** HCL functions by name. Each group of functions in this folder is declared as such a table. */
export type FunctionTable = Readonly<Record<string, HclFunction>>

/** Returns a parameter that rejects null. */
export function parameter(name: string, type: HclType): HclParameter {
  return { name, type }
}

/** Returns a parameter that accepts null. */
export function nullable(name: string, type: HclType): HclParameter {
  return { name, type, nullable: true }
}

/** Returns the type of a list, set or map whose items have the type `elementType`. */
export function collection(kind: 'list' | 'set' | 'map', elementType: HclType): HclType {
  return { kind, of: elementType }
}

/** Declares a function whose parameters are all strings. */
export function textsFunction(
  names: readonly string[],
  run: (texts: readonly string[], context: HclFunctionContext) => HclValue,
): HclFunction {
  return {
    parameters: names.map((name) => parameter(name, 'string')),
    run: (args, context) => run(args.map(asText), context),
  }
}

/** Declares a function with a single parameter, which is a string. */
export function textFunction(
  name: string,
  run: (text: string, context: HclFunctionContext) => HclValue,
): HclFunction {
  return {
    parameters: [parameter(name, 'string')],
    run: ([text = null], context) => run(asText(text), context),
  }
}

/**
 * Throws an error because an argument has the wrong type. Arguments were already converted to the
 * types of their parameters, so the error indicates a bug in this program.
 */
function throwMistyped(wanted: string): never {
  throw new TypeError(`the argument is not a ${wanted}`)
}

/** Returns the value of an argument whose parameter is declared as a string. */
export function asText(value: HclValue | undefined): string {
  return typeof value === 'string' ? value : throwMistyped('string')
}

/** Returns the value of an argument whose parameter is declared as a number. */
export function asNumber(value: HclValue | undefined): number {
  return isNumber(value) ? Number(value) : throwMistyped('number')
}

/** Returns the items of an argument whose parameter is declared as a list or set. */
export function asItems(value: HclValue | undefined): readonly HclValue[] {
  return value !== undefined && isSequence(value) ? value.items : throwMistyped('sequence')
}

/** Returns whether a value is a list or a tuple, whose items have an order. */
export function isOrdered(value: HclValue): value is HclSequence {
  return isSequence(value) && value.kind !== 'set'
}

const integerRequiredMessage =
  'value must be a whole number, between -9223372036854775808 and 9223372036854775807'

/**
 * Returns an argument that must be a whole number in the range of Go's int64. Throws a
 * FunctionError for other numbers.
 *
 * @param toError creates the error from the product's message; by default, the error contains only
 *   that message
 */
export function asInteger(
  value: HclValue | undefined,
  toError: (reason: string) => FunctionError = (reason) => new FunctionError(reason),
): number {
  const number = asNumber(value)
  if (Number.isInteger(number) && number >= -(2 ** 63) && number < 2 ** 63) return number
  throw toError(integerRequiredMessage)
}

export function listOf(items: readonly HclValue[]): HclSequence {
  return { kind: 'list', items }
}

export function tupleOf(items: readonly HclValue[]): HclSequence {
  return { kind: 'tuple', items }
}

/**
 * Returns a string in Unicode's composed form (NFC), which all strings of the language have. The
 * caller of an HCL function normalizes the strings that the function returns.
 */
export function normalize(text: string): string {
  return text.normalize()
}
