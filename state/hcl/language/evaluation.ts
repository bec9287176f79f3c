import type { Expression } from '../syntax/ast.ts'
import type { Diagnostic } from '../syntax/error.ts'
import { onward, type Range, rangeBehind } from '../syntax/source.ts'
import type { Budget } from './budget.ts'
import { ConversionError, convertValue } from './convert.ts'
import { type Result, type Scope, UNKNOWN, type Unknown } from './scope.ts'
import type { HclType, HclValue } from './values.ts'

/** A run of the evaluator, as its parts see it. Problems are collected; values go on unknown. */
export interface Evaluation {
  readonly budget: Budget
  evaluate(expression: Expression, scope: Scope): Result
  /** Evaluates and keeps the problems apart: they may not count. */
  attempt(expression: Expression, scope: Scope): Attempted
  /** Records a problem. */
  report(summary: string, detail: string, range: Range): Unknown
  /** Records problems that were kept apart. */
  adopt(problems: readonly Diagnostic[]): void
  /** The number of problems that are recorded, to see whether a part had any. */
  readonly problemCount: number
}

/** The value of an expression with the problems that it had. */
export interface Attempted {
  readonly result: Result
  readonly problems: readonly Diagnostic[]
}

/** Converts what is known; `failed` reports why it cannot be. */
export function convertResult(
  evaluation: Evaluation,
  value: Result,
  type: HclType,
  failed: (why: string) => Unknown,
): Result {
  if (value === UNKNOWN) return UNKNOWN
  const converted = tryConvert(value, type, evaluation.budget)
  return converted instanceof ConversionError ? failed(converted.message) : converted
}

/** Returns the converted value, or why there is none. */
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
 * Returns the part of an expression that the reference points at when the whole would be too much.
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
      return { file: nameRange.file, start: nameRange.start, end: onward(nameRange.end, 1) }
    }
    case 'index':
      return firstOf(rangeBehind(expression.collection.range, expression.range))
    case 'tuple':
    case 'object':
    case 'for':
    case 'unary':
      return firstOf(expression.range)
    case 'splat':
      return markerOf(expression.each)
  }
  return expression.range
}

/** `.*` or `[*]`: where the innermost source of a splat's `each` stands. */
function markerOf(each: Expression): Range {
  switch (each.kind) {
    case 'traversal':
    case 'splat':
      return markerOf(each.source)
    case 'index':
      return markerOf(each.collection)
  }
  return each.range
}

/** Returns the first character of a range, which is no line break. */
export function firstOf({ file, start }: Range): Range {
  return { file, start, end: onward(start, 1) }
}

/** Returns the last character of a range, which is a bracket or the like. */
export function lastOf({ file, end }: Range): Range {
  return { file, start: onward(end, -1), end }
}
