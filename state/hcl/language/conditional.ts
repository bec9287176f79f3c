import { compareBytewise } from '../../json/json.ts'
import type { Conditional, Expression } from '../syntax/ast.ts'
import { spanOf } from '../syntax/source.ts'
import { ConversionError } from './convert.ts'
import { convertResult, type Evaluation, tryConvert } from './evaluation.ts'
import { type Result, type Scope, UNKNOWN, type Unknown } from './scope.ts'
import { friendlyName, type Spend, typeKey, unify, valueType } from './types.ts'
import type { HclType } from './values.ts'

const INCONSISTENT_TYPES = 'Inconsistent conditional result types'

/**
 * Returns the value of `condition ? whenTrue : whenFalse`. Both results are evaluated, because they
 * must have a common type. Problems of the result that is not chosen are ignored.
 */
export function evaluateConditional(
  evaluation: Evaluation,
  expression: Conditional,
  scope: Scope,
): Result {
  const { whenTrue, whenFalse, condition } = expression
  const trueBranch = evaluation.attempt(whenTrue, scope)
  const falseBranch = evaluation.attempt(whenFalse, scope)
  const type = commonType(evaluation, trueBranch.result, falseBranch.result)
  if (typeof type === 'object' && 'mismatch' in type) {
    return evaluation.report(
      INCONSISTENT_TYPES,
      `The true and false result expressions must have consistent types. ${type.mismatch}.`,
      spanOf(whenTrue.range, whenFalse.range),
    )
  }
  const decision = evaluateDecision(evaluation, condition, scope)
  if (decision === UNKNOWN) return UNKNOWN
  const chosen = decision ? trueBranch : falseBranch
  evaluation.addProblems(chosen.problems)
  const { range } = decision ? whenTrue : whenFalse
  return convertResult(evaluation, chosen.result, type, (why) =>
    evaluation.report(
      INCONSISTENT_TYPES,
      `The ${decision} result value has the wrong type: ${why}.`,
      range,
    ),
  )
}

function evaluateDecision(
  { budget, report, evaluate }: Evaluation,
  condition: Expression,
  scope: Scope,
): boolean | Unknown {
  const value = evaluate(condition, scope)
  if (value === UNKNOWN) return UNKNOWN
  if (value === null) {
    return report(
      'Null condition',
      'The condition value is null. Conditions must either be true or false.',
      condition.range,
    )
  }
  const converted = tryConvert(value, 'bool', budget)
  if (converted instanceof ConversionError) {
    return report(
      'Incorrect condition type',
      'The condition expression must be of type bool.',
      condition.range,
    )
  }
  return converted === true
}

/**
 * Returns the type to which both results are converted, or a description of the mismatch if they
 * have no common type. Returns `any` if a result is unknown or null.
 */
function commonType({ budget: { spend } }: Evaluation, trueResult: Result, falseResult: Result) {
  if (
    trueResult === UNKNOWN ||
    falseResult === UNKNOWN ||
    trueResult === null ||
    falseResult === null
  )
    return 'any'
  const types = [valueType(trueResult, spend), valueType(falseResult, spend)] as const
  return unify(types, spend) ?? { mismatch: describeMismatch(...types, spend) }
}

/**
 * Describes the difference between the types of two results, at the deepest level where the types
 * differ.
 */
function describeMismatch(trueType: HclType, falseType: HclType, spend: Spend): string {
  if (typeof trueType !== 'string' && typeof falseType !== 'string') {
    if (trueType.kind === 'object' && falseType.kind === 'object') {
      const problem = describeObjects(attributesOf(trueType), attributesOf(falseType), spend)
      if (problem !== undefined) return problem
    }
    if (trueType.kind === 'tuple' && falseType.kind === 'tuple') {
      if (trueType.items.length !== falseType.items.length) {
        return `The 'true' tuple has length ${trueType.items.length}, but the 'false' tuple has length ${falseType.items.length}`
      }
      for (const [index, item] of trueType.items.entries()) {
        const other = falseType.items[index] ?? 'any'
        if (typeKey(item, spend) !== typeKey(other, spend)) {
          return `Type mismatch for tuple element ${index}: ${describeMismatch(item, other, spend)}`
        }
      }
    }
    if (
      'of' in trueType &&
      'of' in falseType &&
      trueType.kind === falseType.kind &&
      areAlikeStructures(trueType.of, falseType.of)
    ) {
      return `Mismatched ${trueType.kind} element types: ${describeMismatch(trueType.of, falseType.of, spend)}`
    }
  }
  const names = [friendlyName(trueType), friendlyName(falseType)] as const
  return names[0] === names[1]
    ? "At least one deeply-nested attribute or element is not compatible across both the 'true' and the 'false' value"
    : `The 'true' value is ${names[0]}, but the 'false' value is ${names[1]}`
}

function areAlikeStructures(one: HclType, other: HclType): boolean {
  if (typeof one === 'string' || typeof other === 'string' || one.kind !== other.kind) return false
  return one.kind === 'object' || one.kind === 'tuple'
}

function attributesOf({ attributes }: Extract<HclType, { kind: 'object' }>) {
  const sorted = [...attributes].sort(([a], [b]) => compareBytewise(a, b))
  return new Map(sorted.map(([name, { type }]) => [name, type]))
}

function describeObjects(
  trueAttributes: ReadonlyMap<string, HclType>,
  falseAttributes: ReadonlyMap<string, HclType>,
  spend: Spend,
): string | undefined {
  const missingAttribute = (name: string, presentIn: string, absentIn: string): string =>
    `The '${presentIn}' value includes object attribute ${JSON.stringify(name)}, which is absent in the '${absentIn}' value`
  for (const [name, type] of trueAttributes) {
    const other = falseAttributes.get(name)
    if (other === undefined) return missingAttribute(name, 'true', 'false')
    if (typeKey(type, spend) !== typeKey(other, spend)) {
      return `Type mismatch for object attribute ${JSON.stringify(name)}: ${describeMismatch(type, other, spend)}`
    }
  }
  for (const name of falseAttributes.keys()) {
    if (!trueAttributes.has(name)) return missingAttribute(name, 'false', 'true')
  }
  return undefined
}
