import { type Integer, integerOf } from '../../kernel/integers.ts'
import type { Binary, BinaryOperator, Expression, Unary } from '../syntax/ast.ts'
import { equalValues } from './equality.ts'
import { convertResult, type Evaluation } from './evaluation.ts'
import { type Result, type Scope, UNKNOWN } from './scope.ts'
import type { HclValue } from './values.ts'
import { isNumber, normalizeNumber } from './values.ts'

type Arithmetic = (left: Integer, right: Integer) => number | boolean

const ARITHMETIC: Partial<Record<BinaryOperator, Arithmetic>> = {
  '+': (left, right) => normalizeNumber(Number(left) + Number(right)),
  '-': (left, right) => normalizeNumber(Number(left) - Number(right)),
  '*': (left, right) => normalizeNumber(Number(left) * Number(right)),
  '/': (left, right) => normalizeNumber(Number(left) / Number(right)),
  '%': (left, right) =>
    right === 0 ? Number(left) : normalizeNumber(Number(left) % Number(right)),
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
}

const OPERATION_FAILED = 'Operation failed'

/** Returns the value of `left operator right`. */
export function evaluateBinary(evaluation: Evaluation, expression: Binary, scope: Scope): Result {
  const { operator } = expression
  if (operator === '||' || operator === '&&') return evaluateLogical(evaluation, expression, scope)
  const type = ARITHMETIC[operator] === undefined ? 'any' : 'number'
  const before = evaluation.problemCount
  const left = evaluateOperand(evaluation, expression.left, 'left', type, scope)
  const right = evaluateOperand(evaluation, expression.right, 'right', type, scope)
  if (left === UNKNOWN || right === UNKNOWN || evaluation.problemCount > before) return UNKNOWN
  return compute(evaluation, expression, left, right)
}

function evaluateOperand(
  evaluation: Evaluation,
  expression: Expression,
  side: 'left' | 'right' | 'unary',
  type: 'number' | 'bool' | 'any',
  scope: Scope,
): Result {
  const value = evaluation.evaluate(expression, scope)
  return convertOperand(evaluation, value, expression, side, type)
}

function convertOperand(
  evaluation: Evaluation,
  value: Result,
  { range }: Expression,
  side: 'left' | 'right' | 'unary',
  type: 'number' | 'bool' | 'any',
): Result {
  return convertResult(evaluation, value, type, (why) =>
    evaluation.report('Invalid operand', `Unsuitable value for ${side} operand: ${why}.`, range),
  )
}

function compute(
  { report, budget }: Evaluation,
  { operator, range }: Binary,
  left: HclValue,
  right: HclValue,
): Result {
  if (operator === '==') return equalValues(left, right, budget.spend)
  if (operator === '!=') return !equalValues(left, right, budget.spend)
  const fail = (why: string): Result =>
    report(OPERATION_FAILED, `Error during operation: ${why}.`, range)
  if (!isNumber(left) || !isNumber(right)) return fail('argument must not be null')
  if (operator === '/' && right === 0) {
    return fail(
      left === 0 ? "can't divide zero by zero or infinity by infinity" : 'division by zero',
    )
  }
  const result = ARITHMETIC[operator]?.(left, right) ?? UNKNOWN
  return typeof result === 'number' && !Number.isFinite(result)
    ? fail('the result is too large')
    : result
}

/**
 * Returns the value of `||` or `&&`. Both sides are evaluated. If one side alone decides the
 * result, problems of the other side are ignored.
 */
function evaluateLogical(evaluation: Evaluation, expression: Binary, scope: Scope): Result {
  const { left, right, operator, range } = expression
  const before = evaluation.problemCount
  const one = evaluation.attempt(left, scope)
  const leftValue = convertOperand(evaluation, one.result, left, 'left', 'bool')
  const other = evaluation.attempt(right, scope)
  const rightValue = convertOperand(evaluation, other.result, right, 'right', 'bool')
  if (evaluation.problemCount > before) {
    evaluation.addProblems(one.problems)
    evaluation.addProblems(other.problems)
    return UNKNOWN
  }
  const decisiveValue = operator === '||'
  if (leftValue === decisiveValue && one.problems.length === 0) return decisiveValue
  if (rightValue === decisiveValue && other.problems.length === 0) return decisiveValue
  evaluation.addProblems(one.problems)
  evaluation.addProblems(other.problems)
  if (leftValue === null || rightValue === null) {
    return evaluation.report(
      OPERATION_FAILED,
      'Error during operation: argument must not be null.',
      range,
    )
  }
  return leftValue === UNKNOWN || rightValue === UNKNOWN ? UNKNOWN : !decisiveValue
}

/** Returns the value of `-value` or `!value`. */
export function evaluateUnary(evaluation: Evaluation, expression: Unary, scope: Scope): Result {
  const { operator, range } = expression
  const type = operator === '-' ? 'number' : 'bool'
  const value = evaluateOperand(evaluation, expression.operand, 'unary', type, scope)
  if (typeof value === 'bigint') return integerOf(String(-value))
  if (typeof value === 'number') return 0 - value
  if (typeof value === 'boolean') return !value
  if (value === UNKNOWN) return UNKNOWN
  return evaluation.report(
    OPERATION_FAILED,
    'Error during operation: argument must not be null.',
    range,
  )
}
