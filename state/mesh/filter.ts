import { coerceBool, coerceFloat, coerceInt, coerceUint } from '../filter/coercion.ts'
import { zeroValueOf } from '../filter/go-kinds.ts'
import { parseLegacyFilter } from '../filter/parser.ts'
import type { Expression, MatchExpression } from '../filter/syntax.ts'
import { compileGoRegex, RegexError } from '../go/regex.ts'
import { quoteGo } from '../go/text.ts'
import type { Shape, StructShape } from '../kernel/shape/kinds.ts'

/** Compiled test of a value. The value must have the shape for which the filter was compiled. */
type Predicate = (value: unknown) => boolean

/** A compiled filter, or the reason why its expression is invalid. */
type CompiledFilter =
  | { readonly matches: Predicate }
  | {
      readonly problem: string
      /** True for a syntax error, false if the expression does not fit the objects. */
      readonly isMalformed: boolean
    }

/**
 * Error for a well-formed expression that does not fit the filtered objects, because of its
 * selector, operator, value or regular expression.
 */
class FilterTypeError {
  readonly problem: string

  constructor(problem: string) {
    this.problem = problem
  }
}

/**
 * Compiles a filter expression, or returns the reason why it is invalid. The expression is checked
 * with the shape of the objects, even if there are no objects (behaviour/mesh#filters).
 *
 * @param shape the members that a filter may select
 */
export function compileMeshFilter(text: string, shape: StructShape): CompiledFilter {
  const { expression, problem } = parseLegacyFilter(text)
  if (expression === undefined || problem !== undefined)
    return { problem: problem ?? '', isMalformed: true }
  try {
    return { matches: compile(expression, shape) }
  } catch (error) {
    if (!(error instanceof FilterTypeError)) throw error
    return { problem: error.problem, isMalformed: false }
  }
}

function compile(expression: Expression, shape: StructShape): Predicate {
  switch (expression.kind) {
    case 'and': {
      const operands = expression.operands.map((operand) => compile(operand, shape))
      return (value) => operands.every((predicate) => predicate(value))
    }
    case 'or': {
      const operands = expression.operands.map((operand) => compile(operand, shape))
      return (value) => operands.some((predicate) => predicate(value))
    }
    case 'not': {
      const operand = compile(expression.operand, shape)
      return (value) => !operand(value)
    }
    case 'match':
      return compileMatch(expression, shape)
    default:
      throw new Error(`The grammar of the mesh has no ${expression.kind}`)
  }
}

function compileMatch(expression: MatchExpression, shape: StructShape): Predicate {
  const { parts } = expression.selector
  const target = targetShape(parts, shape)
  if (!operatorsOf(target).has(expression.operator)) {
    const operator = quoteGo(operatorName(expression))
    const selector = quoteGo(expression.selector.text)
    throw new FilterTypeError(`Invalid match operator ${operator} for selector ${selector}`)
  }
  const test = compileTest(expression, target)
  return (value) => matchesAt(value, shape, parts, test, expression)
}

/**
 * Returns the shape of the member that a selector selects. In lists of objects, the selector
 * continues in their elements. Throws a `FilterTypeError` if there is no such member.
 */
function targetShape(parts: readonly string[], root: StructShape): Shape {
  let shape: Shape = root
  for (const [at, part] of parts.entries()) {
    const next = memberShape(shape, part)
    if (next === undefined) {
      throw new FilterTypeError(
        `Selector ${quoteGo(parts.slice(0, at + 1).join('.'))} is not valid`,
      )
    }
    shape = next
  }
  return shape
}

function memberShape(shape: Shape, part: string): Shape | undefined {
  if (shape.kind === 'map') return shape.of
  const target = shape.kind === 'list' ? shape.of : shape
  if (target.kind !== 'struct' || !Object.hasOwn(target.fields, part)) return undefined
  return target.fields[part]?.shape
}

type Operator = MatchExpression['operator']

const textOperators: ReadonlySet<Operator> = new Set(['equal', 'in', 'matches'])
const scalarOperators: ReadonlySet<Operator> = new Set(['equal'])
const containerOperators: ReadonlySet<Operator> = new Set(['in', 'empty'])
const objectListOperators: ReadonlySet<Operator> = new Set(['empty'])
const noOperators: ReadonlySet<Operator> = new Set()

function operatorsOf(shape: Shape): ReadonlySet<Operator> {
  switch (shape.kind) {
    case 'text':
      return textOperators
    case 'bool':
    case 'int':
    case 'uint':
    case 'float':
      return scalarOperators
    case 'list':
      return shape.of.kind === 'struct' ? objectListOperators : containerOperators
    case 'map':
      return containerOperators
    default:
      return noOperators
  }
}

const operatorNames = {
  equal: ['Equal', 'Not Equal'],
  in: ['In', 'Not In'],
  matches: ['Matches', 'Not Matches'],
  empty: ['Is Empty', 'Is Not Empty'],
  nil: ['Is Nil', 'Is Not Nil'],
} as const satisfies Record<Operator, readonly [string, string]>

function operatorName({ operator, isNegated }: MatchExpression): string {
  return operatorNames[operator][isNegated ? 1 : 0]
}

/**
 * Compiles a comparison and ignores its negation, which `matchesAt` applies. Throws a
 * `FilterTypeError` if the value in the expression cannot be converted to the type of the member,
 * or is not a valid regular expression where one is needed.
 */
function compileTest(expression: MatchExpression, shape: Shape): Predicate {
  const { operator, value: text } = expression
  switch (operator) {
    case 'equal': {
      const expected = coerce(expression, shape)
      return (value) => value === expected
    }
    case 'in': {
      if (shape.kind === 'text') return (value) => String(value).includes(text)
      if (shape.kind === 'map') return (value) => Object.hasOwn(Object(value), text)
      const expected = coerce(expression, shape.kind === 'list' ? shape.of : shape)
      return (value) => Array.isArray(value) && value.includes(expected)
    }
    case 'matches': {
      const regex = compileRegex(text)
      return (value) => regex.test(String(value))
    }
    default:
      return (value) => Object.keys(Object(value)).length === 0
  }
}

function coerce({ selector, value: text }: MatchExpression, shape: Shape): unknown {
  const coerced = coerceTo(shape, text)
  if ('value' in coerced) return coerced.value
  const location = `${quoteGo(text)} for selector ${quoteGo(selector.text)}`
  throw new FilterTypeError(`Failed to coerce value ${location}: ${coerced.error}`)
}

function coerceTo(shape: Shape, text: string) {
  switch (shape.kind) {
    case 'bool':
      return coerceBool(text)
    case 'int':
      return coerceInt(text)
    case 'uint':
      return coerceUint(text)
    case 'float':
      return coerceFloat(text)
    default:
      return { value: text }
  }
}

function compileRegex(text: string) {
  try {
    return compileGoRegex(text)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    throw new FilterTypeError(
      `Failed to compile regular expression ${quoteGo(text)}: ${error.message}`,
    )
  }
}

/**
 * Returns whether a test, or its negation, holds at the end of a path. If the path leads through a
 * list of objects, the test must hold for one of the elements. A missing key of a map is empty and
 * equals nothing; a missing member of an object has Go's zero value.
 */
function matchesAt(
  value: unknown,
  shape: Shape,
  parts: readonly string[],
  test: Predicate,
  expression: MatchExpression,
): boolean {
  const { operator, isNegated } = expression
  const [part, ...rest] = parts
  if (part === undefined) return test(value) !== isNegated
  if (shape.kind === 'list') {
    const elements: readonly unknown[] = Array.isArray(value) ? value : []
    return elements.some((element) => matchesAt(element, shape.of, parts, test, expression))
  }
  const next = memberShape(shape, part) ?? shape
  const isPresent = Object.hasOwn(Object(value), part)
  if (!isPresent && shape.kind === 'map') return (operator === 'empty') !== isNegated
  const member: unknown = isPresent ? Reflect.get(Object(value), part) : zeroValueOf(next)
  return matchesAt(member, next, rest, test, expression)
}
