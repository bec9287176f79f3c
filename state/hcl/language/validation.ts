import { appendAll } from '../../kernel/lists.ts'
import type { Block, Expression } from '../syntax/ast.ts'
import type { Diagnostic } from '../syntax/error.ts'
import { formatRange, type Range } from '../syntax/source.ts'
import { bodySchema, readContent } from './content.ts'
import { ConversionError } from './convert.ts'
import { evaluateWithProblems } from './evaluate.ts'
import { tryConvert } from './evaluation.ts'
import { firstName, referencesIn } from './references.ts'
import { createScope, type EvaluationEnvironment } from './scope.ts'
import type { HclValue } from './values.ts'

/** A `validation` block of a variable, with its `condition` and its `error_message`. */
export interface Validation {
  /**
   * Condition of the rule. If the block has no condition, this is undefined and a problem is
   * reported.
   */
  readonly condition: Expression | undefined
  readonly message: string
  /** Range of the block's header. */
  readonly range: Range
}

const VALIDATION = bodySchema(
  [
    { name: 'condition', required: true },
    { name: 'error_message', required: true },
  ],
  [],
)

/** Reads a rule and reports its problems. The condition may refer only to the variable. */
export function readValidation(
  variable: string,
  { body, range }: Block,
  textOf: (expression: Expression) => string | undefined,
  problems: Diagnostic[],
): Validation {
  const { attributes, problems: found } = readContent(body, VALIDATION)
  appendAll(problems, found)
  const condition = attributes.get('condition')?.expression
  if (condition !== undefined) appendAll(problems, strayReferences(variable, condition))
  const message = attributes.get('error_message')?.expression
  const text = message === undefined ? undefined : textOf(message)
  if (message !== undefined && text !== undefined) {
    const detail = messageProblem(text)
    if (detail !== undefined) {
      problems.push({
        summary: 'Invalid validation error message',
        detail,
        range: message.range,
      })
    }
  }
  return { condition, message: text ?? '', range }
}

function strayReferences(variable: string, condition: Expression): Diagnostic[] {
  const named = `The condition for variable ${JSON.stringify(variable)}`
  const references = referencesIn(condition)
  const areOwnReferences = references.map(
    (reference) => reference.root === 'var' && firstName(reference.steps) === variable,
  )
  const problems = references
    .filter((_, index) => !areOwnReferences[index])
    .map(({ expression }) => ({
      summary: 'Invalid reference in variable validation',
      detail: `${named} can only refer to the variable itself, using var.${variable}.`,
      range: expression.range,
    }))
  if (areOwnReferences.includes(true)) return problems
  const detail = `${named} must refer to var.${variable} in order to test incoming values.`
  const summary = 'Invalid variable validation condition'
  return [...problems, { summary, detail, range: condition.range }]
}

function messageProblem(text: string): string | undefined {
  if (text === '') return 'An empty string is not a valid nor useful error message.'
  const first = String.fromCodePoint(text.codePointAt(0) ?? 0)
  if (/[.?!]$/.test(text) && (!/\p{L}/u.test(first) || /\p{Lu}/u.test(first))) return undefined
  return 'Validation error message must be at least one full sentence starting with an uppercase letter ( if the alphabet permits it ) and ending with a period or question mark.'
}

/**
 * Returns a problem for each rule that a value breaks, and the problems of rules that cannot be
 * evaluated.
 */
export function checkValue(
  name: string,
  value: HclValue,
  valueSource: { readonly from: string; readonly range: Range },
  validations: readonly Validation[],
  { budget, uuid, functions }: EvaluationEnvironment,
): Diagnostic[] {
  const variableObject: HclValue = { kind: 'object', entries: new Map([[name, value]]) }
  const environment = { budget, uuid, ...(functions && { functions }) }
  const scope = createScope(environment, new Map([['var', variableObject]]))
  return validations.flatMap(({ condition, message, range }): readonly Diagnostic[] => {
    if (condition === undefined) {
      const summary = 'Invalid variable validation specification'
      return [{ summary, detail: 'validation requires a condition.', range }]
    }
    const found = evaluateWithProblems(condition, scope)
    if (found.value === undefined) return found.problems
    const invalid = (detail: string): Diagnostic[] => [
      { summary: 'Invalid variable validation result', detail, range: condition.range },
    ]
    if (found.value === null) {
      return invalid('Validation condition expression must return either true or false, not null.')
    }
    const isConditionMet = tryConvert(found.value, 'bool', budget)
    if (isConditionMet instanceof ConversionError) {
      return invalid(`Invalid validation condition result value: ${isConditionMet.message}.`)
    }
    if (isConditionMet === true) return []
    const rule = `This was checked by the validation rule at ${formatRange(range)}.`
    const summary = `Invalid value for ${valueSource.from} variable`
    return [{ summary, detail: `${message}\n\n${rule}`, range: valueSource.range }]
  })
}
