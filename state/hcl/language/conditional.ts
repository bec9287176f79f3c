import { compareBytewise } from '../../json/json.ts'
import type { Conditional, Expression } from '../syntax/ast.ts'
import { spanOf } from '../syntax/source.ts'
import { ConversionError } from './convert.ts'
import { convertResult, type Evaluation, tryConvert } from './evaluation.ts'
import { type Result, type Scope, UNKNOWN, type Unknown } from './scope.ts'
import { friendlyName, type Spend, typeKey, unify, valueType } from './types.ts'
import type { HclType } from './values.ts'

const INCONSISTENT = 'Inconsistent conditional result types'

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
  const yes = evaluation.attempt(whenTrue, scope)
  const no = evaluation.attempt(whenFalse, scope)
  const type = commonType(evaluation, yes.result, no.result)
  if (typeof type === 'object' && 'mismatch' in type) {
    return evaluation.report(
      INCONSISTENT,
      `The true and false result expressions must have consistent types. ${type.mismatch}.`,
      spanOf(whenTrue.range, whenFalse.range),
    )
  }
  const decision = evaluateDecision(evaluation, condition, scope)
  if (decision === UNKNOWN) return UNKNOWN
  const chosen = decision ? yes : no
  evaluation.addProblems(chosen.problems)
  const { range } = decision ? whenTrue : whenFalse
  return convertResult(evaluation, chosen.result, type, (why) =>
    evaluation.report(
      INCONSISTENT,
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
function commonType({ budget: { spend } }: Evaluation, yes: Result, no: Result) {
  if (yes === UNKNOWN || no === UNKNOWN || yes === null || no === null) return 'any'
  const types = [valueType(yes, spend), valueType(no, spend)] as const
  return unify(types, spend) ?? { mismatch: describeMismatch(...types, spend) }
}

/**
 * Describes the difference between the types of two results, at the deepest level where the types
 * differ.
 */
function describeMismatch(yes: HclType, no: HclType, spend: Spend): string {
  if (typeof yes !== 'string' && typeof no !== 'string') {
    if (yes.kind === 'object' && no.kind === 'object') {
      const problem = describeObjects(attributesOf(yes), attributesOf(no), spend)
      if (problem !== undefined) return problem
    }
    if (yes.kind === 'tuple' && no.kind === 'tuple') {
      if (yes.items.length !== no.items.length) {
        return `The 'true' tuple has length ${yes.items.length}, but the 'false' tuple has length ${no.items.length}`
      }
      for (const [index, item] of yes.items.entries()) {
        const other = no.items[index] ?? 'any'
        if (typeKey(item, spend) !== typeKey(other, spend)) {
          return `Type mismatch for tuple element ${index}: ${describeMismatch(item, other, spend)}`
        }
      }
    }
    if ('of' in yes && 'of' in no && yes.kind === no.kind && areAlikeStructures(yes.of, no.of)) {
      return `Mismatched ${yes.kind} element types: ${describeMismatch(yes.of, no.of, spend)}`
    }
  }
  const names = [friendlyName(yes), friendlyName(no)] as const
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
  yes: ReadonlyMap<string, HclType>,
  no: ReadonlyMap<string, HclType>,
  spend: Spend,
): string | undefined {
  const missingAttribute = (name: string, there: string, here: string): string =>
    `The '${there}' value includes object attribute ${JSON.stringify(name)}, which is absent in the '${here}' value`
  for (const [name, type] of yes) {
    const other = no.get(name)
    if (other === undefined) return missingAttribute(name, 'true', 'false')
    if (typeKey(type, spend) !== typeKey(other, spend)) {
      return `Type mismatch for object attribute ${JSON.stringify(name)}: ${describeMismatch(type, other, spend)}`
    }
  }
  for (const name of no.keys()) {
    if (!yes.has(name)) return missingAttribute(name, 'false', 'true')
  }
  return undefined
}
