import type { Expression } from '../../../../state/hcl/syntax/ast.ts'
import { diagnosticsError, type HclError } from '../../../../state/hcl/syntax/error.ts'

/** Value of a constant expression. Objects are maps, so that no key is special. */
export type ConstantValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly ConstantValue[]
  | ConstantMap
/** Value of an object, with its members in the order of the text. */
type ConstantMap = ReadonlyMap<string, ConstantValue>

/**
 * Returns the value of an HCL2 expression that needs no scope: literals, lists, objects, templates
 * and heredocs without sequences, a sign before a number, parentheses.
 *
 * @throws HclError, such as `Variables not allowed`, for any other expression
 */
export function constantValue(expression: Expression): ConstantValue {
  switch (expression.kind) {
    case 'literal':
      return expression.value
    case 'parentheses':
    case 'template-wrap':
      return constantValue(expression.expression)
    case 'tuple':
      return expression.items.map(constantValue)
    case 'object':
      return new Map(
        expression.entries.map(({ key, value }) => [constantKey(key), constantValue(value)]),
      )
    case 'template':
      return expression.parts.map(constantKey).join('')
    case 'unary':
      return constantUnary(expression.operator, constantValue(expression.operand), expression)
    case 'variable':
    case 'traversal':
      throw problem(expression, 'Variables not allowed', 'Variables may not be used here.')
    case 'call':
      throw problem(expression, 'Function calls not allowed', 'Functions may not be called here.')
  }
  throw problem(expression, 'Constant required', 'Only a constant value may be used here.')
}

function constantUnary(operator: '-' | '!', operand: ConstantValue, at: Expression): ConstantValue {
  if (operator === '-' && typeof operand === 'number') return -operand
  if (operator === '!' && typeof operand === 'boolean') return !operand
  const wanted = operator === '-' ? 'number' : 'bool'
  throw problem(
    at,
    'Invalid operand',
    `Unsuitable value for unary operand: a ${wanted} is required.`,
  )
}

/** Returns a key as text: numbers and booleans are converted, other values are refused. */
function constantKey(expression: Expression): string {
  const value = constantValue(expression)
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw problem(expression, 'Invalid value', 'A string is required here.')
}

function problem({ range }: Expression, summary: string, detail: string): HclError {
  return diagnosticsError({ summary, detail, range })
}
