import type { Expression } from '../syntax/ast.ts'
import type { Diagnostic } from '../syntax/error.ts'
import { moveBy, type Range, rangeAfter } from '../syntax/source.ts'
import type { Budget } from './budget.ts'
import { ConversionError, convertValue } from './convert.ts'
import { type Result, type Scope, UNKNOWN, type Unknown } from './scope.ts'
import type { HclType, HclValue } from './values.ts'

/**
 * One run of the evaluator. The functions that evaluate one kind of expression each receive this
 * object and call its methods. Problems are collected, and evaluation continues with unknown
 * values.
 */
export interface Evaluation {
  readonly budget: Budget
  evaluate(expression: Expression, scope: Scope): Result
  /**
   * Evaluates an expression. Returns its problems without recording them, because the caller may
   * ignore them.
   */
  attempt(expression: Expression, scope: Scope): EvaluationAttempt
  /** Records a problem. Returns the unknown value, with which the caller continues. */
  report(summary: string, detail: string, range: Range): Unknown
  /** Records problems that `attempt` returned. */
  addProblems(problems: readonly Diagnostic[]): void
  /**
   * Number of problems recorded so far. Callers compare the number before and after a part, to see
   * whether the part had problems.
   */
  readonly problemCount: number
}

/** Value of an expression with the problems of its evaluation. */
export interface EvaluationAttempt {
  readonly result: Result
  readonly problems: readonly Diagnostic[]
}

/**
 * Converts a value; an unknown value stays unknown. Returns the result of `reportFailure` if the
 * conversion fails.
 */
export function convertResult(
  evaluation: Evaluation,
  value: Result,
  type: HclType,
  reportFailure: (why: string) => Unknown,
): Result {
  if (value === UNKNOWN) return UNKNOWN
  const converted = tryConvert(value, type, evaluation.budget)
  return converted instanceof ConversionError ? reportFailure(converted.message) : converted
}

/** Returns the converted value, or the reason why the conversion failed. */
export function tryConvert(
  value: HclValue,
  type: HclType,
  budget: Budget,
): HclValue | ConversionError {
  try {
    return convertValue(value, type, budget.spend)
  } catch (error) {
    if (error instanceof ConversionError) return error
    throw error
  }
}

/**
 * Returns the range to which the reference's messages about an expression point: the start of a
 * compound expression, or the whole of a simple one.
 */
export function startRange(expression: Expression): Range {
  switch (expression.kind) {
    case 'template':
      return expression.parts[0] === undefined ? expression.range : startRange(expression.parts[0])
    case 'template-join':
      return startRange(expression.tuple)
    case 'parentheses':
      return startRange(expression.expression)
    case 'conditional':
      return startRange(expression.condition)
    case 'binary':
      return startRange(expression.left)
    case 'call': {
      const { nameRange } = expression
      return { file: nameRange.file, start: nameRange.start, end: moveBy(nameRange.end, 1) }
    }
    case 'index':
      return firstCharacterOf(rangeAfter(expression.collection.range, expression.range))
    case 'tuple':
    case 'object':
    case 'for':
    case 'unary':
      return firstCharacterOf(expression.range)
    case 'splat':
      return splatMarkerOf(expression.each)
  }
  return expression.range
}

/** Returns the range of the `.*` or `[*]` of the innermost splat in `each`. */
function splatMarkerOf(each: Expression): Range {
  switch (each.kind) {
    case 'traversal':
    case 'splat':
      return splatMarkerOf(each.source)
    case 'index':
      return splatMarkerOf(each.collection)
  }
  return each.range
}

/**
 * Returns a range that covers only the first character of `range`. This character must not be a
 * line break.
 */
export function firstCharacterOf({ file, start }: Range): Range {
  return { file, start, end: moveBy(start, 1) }
}

/**
 * Returns a range that covers only the last character of `range`. This character must be one column
 * wide, such as a bracket.
 */
export function lastCharacterOf({ file, end }: Range): Range {
  return { file, start: moveBy(end, -1), end }
}
