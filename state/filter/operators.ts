import { compileGoRegex, type GoRegex, RegexError } from '../go/regex.ts'
import { quoteGo } from '../go/text.ts'
import type { Shape } from '../kernel/shape/kinds.ts'
import { type Coerced, coerceBool, coerceFloat, coerceInt, coerceUint } from './coercion.ts'
import { FilterError, message } from './errors.ts'
import {
  bytesOf,
  dereference,
  elementShape,
  elementsOf,
  type GoKind,
  kindOf,
  membersOf,
  typeName,
} from './go-kinds.ts'
import type { MatchExpression, Operator } from './syntax.ts'

/** Test of a value and its shape. Returns true if the operator holds. */
type Test = (value: unknown, shape: Shape) => boolean

/**
 * Compiles the test of an expression. The test ignores negation. Everything that does not depend on
 * the value is computed once.
 */
export function compileTest(expression: MatchExpression): Test {
  return tests[expression.operator](expression)
}

const tests: Readonly<Record<Operator, (expression: MatchExpression) => Test>> = {
  equal: ({ value }) => {
    const comparisons = compileComparisons(value)
    return (actual, shape) => {
      const compare = comparisons.get(kindOf(shape, actual))
      if (compare !== undefined) return compare(actual)
      throw incomparableTypesError('matching')
    }
  },
  in: compileIn,
  matches: compileMatches,
  empty: (expression) => (value, shape) => {
    const kind = kindOf(shape, value)
    if (kind === 'string') return value === ''
    if (kind === 'slice') return elementsOf(dereference(shape), value).length === 0
    if (kind === 'map') return Object.keys(membersOf(value)).length === 0
    throw operatorMismatch('is-empty', kind, expression)
  },
  nil: (expression) => (value, shape) => {
    if (value === null) return true
    const kind = kindOf(shape, value)
    if (containerKinds.has(kind)) return false
    throw operatorMismatch('is-nil', kind, expression)
  },
}

const containerKinds: ReadonlySet<GoKind> = new Set(['slice', 'map', 'struct'])

function incomparableTypesError(comparison: string): FilterError {
  return new FilterError(message('filter-incomparable', { where: comparison }))
}

function operatorMismatch(operation: string, type: GoKind, { selector }: MatchExpression) {
  return new FilterError(
    message('filter-unfit', { operation, type, selector: quoteGo(selector.text) }),
  )
}

/**
 * Comparisons with a string, by the kind of the compared value. Values of other kinds cannot be
 * compared.
 */
type Comparisons = ReadonlyMap<GoKind, (actual: unknown) => boolean>

function compileComparisons(text: string): Comparisons {
  const int = comparatorOf(coerceInt(text))
  const uint = comparatorOf(coerceUint(text))
  return new Map<GoKind, (actual: unknown) => boolean>([
    ['string', (actual) => actual === text],
    ['bool', comparatorOf(coerceBool(text))],
    ['int', int],
    ['int8', int],
    ['int64', int],
    ['uint8', uint],
    ['uint64', uint],
    ['float64', comparatorOf(coerceFloat(text))],
  ])
}

/**
 * Error for a string in a filter that does not have the type of the tested value. Thrown when the
 * values are compared, not when the filter is compiled.
 */
class CoercionError extends FilterError {
  readonly isSyntax: boolean

  constructor(why: string, isSyntax: boolean) {
    super(message('filter-value-mistyped', { why }))
    this.isSyntax = isSyntax
  }
}

function comparatorOf(coerced: Coerced<unknown>): (actual: unknown) => boolean {
  if ('value' in coerced) return (actual) => actual === coerced.value
  return () => {
    throw new CoercionError(coerced.error, coerced.isSyntax)
  }
}

function compileIn(expression: MatchExpression): Test {
  const { value: text } = expression
  const comparisons = compileComparisons(text)
  return (actual, shape) => {
    const kind = kindOf(shape, actual)
    switch (kind) {
      case 'string':
        return String(actual).includes(text)
      case 'map':
        return Object.hasOwn(membersOf(actual), text)
      case 'slice':
        return containsElement(dereference(shape), actual, comparisons)
      default:
        // If the filter's string cannot be parsed as this kind, this call throws a CoercionError,
        // which takes precedence over the mismatch below.
        comparisons.get(kind)?.(actual)
        throw operatorMismatch('in/contains', kind, expression)
    }
  }
}

function containsElement(shape: Shape, list: unknown, comparisons: Comparisons): boolean {
  const elements = elementsOf(shape, list)
  const elementsShape = elementShape(shape) ?? shape
  if (elementsShape.kind === 'any')
    return elements.some((each) => equalsElement(each, elementsShape, comparisons))
  const kind = kindOf(dereference(elementsShape), undefined)
  const compare = comparisons.get(kind)
  if (compare === undefined) throw incomparableTypesError('"in" comparison')
  // A string of the wrong type is refused even if there are no elements.
  if (elements.length === 0) compare(undefined)
  return elements.some(compare)
}

/**
 * Compares an element of a list of arbitrary JSON. Null, and elements of a type for which the
 * string has the wrong syntax, are not equal. Throws a `FilterError` for a list or map in the list,
 * and for a string that is out of range.
 */
function equalsElement(element: unknown, shape: Shape, comparisons: Comparisons): boolean {
  const kind = kindOf(shape, element)
  if (kind === 'invalid') return false
  const compare = comparisons.get(kind)
  if (compare === undefined) {
    throw incomparableTypesError(`"in" comparison in interface slice: ${kind}`)
  }
  try {
    return compare(element)
  } catch (error) {
    if (!(error instanceof CoercionError)) throw error
    if (error.isSyntax) return false
    throw new FilterError(message('filter-element-mistyped'))
  }
}

function compileMatches({ value: text }: MatchExpression): Test {
  const regex = compileRegex(text)
  return (actual, shape) => {
    const isBytes = dereference(shape).kind === 'bytes'
    if (!isBytes && kindOf(shape, actual) !== 'string') {
      const type = typeName(shape, actual)
      throw new FilterError(message('filter-no-bytes', { type }))
    }
    if (regex instanceof FilterError) throw regex
    return regex.test(isBytes ? Buffer.from(bytesOf(actual)).toString() : String(actual))
  }
}

function compileRegex(text: string): GoRegex | FilterError {
  try {
    return compileGoRegex(text)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    return new FilterError(
      message('filter-regex-invalid', { regex: quoteGo(text), why: error.message }),
    )
  }
}
