import { appendAll } from '../../kernel/lists.ts'
import type { Attribute, Block, Body, Expression } from '../syntax/ast.ts'
import { type Diagnostic, formatDiagnostic } from '../syntax/error.ts'
import type { Range } from '../syntax/source.ts'
import { bodySchema, readAttributes, readContent } from './content.ts'
import { ConversionError } from './convert.ts'
import { evaluateWithProblems } from './evaluate.ts'
import { tryConvert } from './evaluation.ts'
import { withoutTemplates } from './json-body.ts'
import { createScope, type EvaluationEnvironment, type Result, UNKNOWN } from './scope.ts'
import { readType } from './type-expression.ts'
import { valueType } from './types.ts'
import { readValidation, type Validation } from './validation.ts'
import type { HclType } from './values.ts'

/** Value of a variable, and where the value comes from. */
interface Assignment {
  /**
   * Source of the value, for messages. The `Variables` text of a request counts as a file of
   * values.
   */
  readonly from: 'default' | 'varfile'
  readonly value: Result
  readonly range: Range
}

/** A declared variable with its effective value. */
interface Declaration {
  readonly name: string
  /** The declared type, or the type of the default value; undefined if any value is accepted. */
  readonly type: HclType | undefined
  /** The effective value; undefined if there is neither a default nor an assigned value. */
  readonly assignment: Assignment | undefined
  readonly validations: readonly Validation[]
}

/** Declared variables by name, in order of declaration. */
export type Declarations = ReadonlyMap<string, Declaration>

const IDENTIFIER = /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u
const VARIABLE = bodySchema(
  [{ name: 'description' }, { name: 'default' }, { name: 'type' }],
  [{ type: 'validation', labels: [] }],
)
/** Schema of `variable` blocks, which are an error in a file of values. */
const DECLARATION = bodySchema([], [{ type: 'variable', labels: ['name'] }])

/**
 * Returns the variables that `variable "x" {}` and `variables {}` blocks declare; other blocks are
 * skipped. Declarations may use neither variables nor functions. Problems are added to `problems`;
 * a variable with a repeated name, an invalid type or a default that cannot be evaluated is left
 * out.
 */
export function declareVariables(
  blocks: readonly Block[],
  environment: Pick<EvaluationEnvironment, 'budget' | 'uuid'>,
  problems: Diagnostic[],
): Declarations {
  const declarationsByName = new Map<string, Declaration>()
  const readConstant = (expression: Expression): Result =>
    constantOf(expression, environment, problems)
  for (const block of blocks) {
    if (block.type === 'variable') {
      const found = declareVariable(block, declarationsByName, readConstant, environment, problems)
      if (found !== undefined) declarationsByName.set(found.name, found)
    } else if (block.type === 'variables') {
      const { attributes, problems: found } = readAttributes(block.body)
      appendAll(problems, found)
      for (const attribute of attributes.values()) {
        if (declarationsByName.has(attribute.name)) {
          problems.push(duplicateProblem(attribute.name, attribute.nameRange))
          continue
        }
        const shortDeclaration = declareFromDefault(attribute, readConstant)
        if (shortDeclaration !== undefined) declarationsByName.set(attribute.name, shortDeclaration)
      }
    }
  }
  return declarationsByName
}

function duplicateProblem(name: string, range?: Range): Diagnostic {
  const detail = `Duplicate ${name} variable definition found.`
  return { summary: 'Duplicate variable', detail, ...(range && { range }) }
}

/**
 * Declares a variable from `x = value` in a `variables` block. The value is the default, which also
 * determines the type. Returns undefined for a value that could not be evaluated.
 */
function declareFromDefault(
  { name, expression }: Attribute,
  readConstant: (expression: Expression) => Result,
): Declaration | undefined {
  const value = readConstant(expression)
  if (value === UNKNOWN) return undefined
  const assignment = { from: 'default', value, range: expression.range } as const
  return { name, type: valueType(value), assignment, validations: [] }
}

function declareVariable(
  { labels, body, range }: Block,
  declarationsByName: Declarations,
  readConstant: (expression: Expression) => Result,
  { budget }: Pick<EvaluationEnvironment, 'budget'>,
  problems: Diagnostic[],
): Declaration | undefined {
  const name = labels[0]?.value ?? ''
  if (declarationsByName.has(name)) {
    problems.push(duplicateProblem(name))
    return undefined
  }
  const content = readContent(body, VARIABLE)
  appendAll(problems, content.problems)
  if (!IDENTIFIER.test(name)) {
    problems.push({
      summary: 'Invalid variable name',
      detail:
        'A name must start with a letter or underscore and may contain only letters, digits, underscores, and dashes.',
      range: labels[0]?.range ?? range,
    })
  }
  const { attributes, blocks } = content
  const description = attributes.get('description')
  if (description !== undefined) readString(description.expression, readConstant, budget, problems)
  let type: HclType | undefined
  const typeAttribute = attributes.get('type')
  if (typeAttribute !== undefined) {
    const read = readType(typeAttribute.expression)
    if ('problems' in read) {
      appendAll(problems, read.problems)
      return undefined
    }
    type = read.type
  }
  let assignment: Assignment | undefined
  const given = attributes.get('default')
  if (given !== undefined) {
    let value = readConstant(given.expression)
    if (value === UNKNOWN) return undefined
    const at = given.expression.range
    if (type === undefined) {
      type = valueType(value, budget.spend)
    } else {
      const converted = tryConvert(value, type, budget)
      if (converted instanceof ConversionError) {
        problems.push({
          summary: 'Invalid default value for variable',
          detail: `This default value is not compatible with the variable's type constraint: ${converted.message}.`,
          range: at,
        })
        value = UNKNOWN
      } else {
        value = converted
      }
    }
    assignment = { from: 'default', value, range: at }
  }
  const textOf = (expression: Expression): string | undefined =>
    readString(expression, readConstant, budget, problems)
  const validations = blocks.map((block) => readValidation(name, block, textOf, problems))
  return { name, type, assignment, validations }
}

/**
 * Returns the value of an expression in which neither variables nor functions may be used. If there
 * is no value, returns `UNKNOWN` and adds the problems to `problems`.
 */
function constantOf(
  expression: Expression,
  { budget, uuid }: Pick<EvaluationEnvironment, 'budget' | 'uuid'>,
  problems: Diagnostic[],
): Result {
  const found = evaluateWithProblems(withoutTemplates(expression), createScope({ budget, uuid }))
  appendAll(problems, found.problems)
  return found.value === undefined ? UNKNOWN : found.value
}

function readString(
  expression: Expression,
  readConstant: (expression: Expression) => Result,
  budget: EvaluationEnvironment['budget'],
  problems: Diagnostic[],
): string | undefined {
  const value = readConstant(expression)
  if (value === UNKNOWN) return undefined
  const text = tryConvert(value, 'string', budget)
  if (typeof text === 'string') return text
  const why = text instanceof ConversionError ? text.message : 'a string is required'
  const detail = `Unsuitable value: ${why}`
  problems.push({ summary: 'Unsuitable value type', detail, range: expression.range })
  return undefined
}

/**
 * Returns the declarations with the values that a file of values assigns. These values take
 * precedence over defaults. Values of undeclared variables are ignored
 * (behaviour/scheduler#job-file-language). If the file declares variables, reports this and assigns
 * no value.
 */
export function assignVariables(
  declarationsByName: Declarations,
  values: Body,
  environment: Pick<EvaluationEnvironment, 'budget' | 'uuid'>,
  problems: Diagnostic[],
): Declarations {
  const misplacedProblems = declarationsIn(values)
  if (misplacedProblems.length > 0) {
    appendAll(problems, misplacedProblems)
    return declarationsByName
  }
  const { attributes, problems: found } = readAttributes(values)
  appendAll(problems, found)
  const assigned = new Map(declarationsByName)
  for (const { name, expression } of attributes.values()) {
    const declaration = declarationsByName.get(name)
    if (declaration === undefined) continue
    let value = constantOf(expression, environment, problems)
    const { range } = expression
    if (value !== UNKNOWN && declaration.type !== undefined) {
      const converted = tryConvert(value, declaration.type, environment.budget)
      if (converted instanceof ConversionError) {
        problems.push({
          summary: 'Invalid value for variable',
          detail: `The value for ${name} is not compatible with the variable's type constraint: ${converted.message}.`,
          range,
        })
      }
      value = converted instanceof ConversionError ? UNKNOWN : converted
    }
    assigned.set(name, { ...declaration, assignment: { from: 'varfile', value, range } })
  }
  return assigned
}

function declarationsIn(values: Body): Diagnostic[] {
  return readContent(values, DECLARATION, { isPartial: true }).blocks.map(
    ({ labels, typeRange }) => {
      const name = labels[0]?.value ?? ''
      return {
        summary: 'Variable declaration in a .var file',
        detail: `A .var file is used to assign values to variables that have already been declared in job files, not to declare new variables. To declare variable ${JSON.stringify(name)}, place this block in one of your job files\n\nTo set a value for this variable in ${typeRange.file}, use the definition syntax instead:\n    ${name} = <value>`,
        range: typeRange,
      }
    },
  )
}

/** Returns the message about a file of values that cannot be parsed. */
export function unreadableValues(problems: readonly Diagnostic[]): string {
  const [first] = problems
  const more = problems.length > 1 ? `, and ${problems.length - 1} other diagnostic(s)` : ''
  return `unable to parse var content: ${first ? formatDiagnostic(first) : ''}${more}`
}
