import { longestText, TemplateError } from './template-lexer.ts'
import type { Command, Operand, Pipeline, TemplateNode } from './template-parser.ts'
import { goType, printValue, type TemplateValue } from './template-text.ts'

/** A function of templates. */
export interface TemplateFunction {
  /** Types of the arguments; the last may be there any number of times where `variadic`. */
  readonly takes: readonly ('string' | 'int' | 'any')[]
  readonly variadic?: boolean
  /** Throws TemplateError for values that it does not take; callers add the place. */
  run(...values: readonly TemplateValue[]): TemplateValue
}

/** What a template is applied to. */
export interface TemplateContext {
  readonly data: Readonly<Record<string, string>>
  /** What Go would call the type of the data. */
  readonly dataType: string
  readonly functions: Readonly<Record<string, TemplateFunction>>
  readonly source: string
}

/**
 * Applies a template.
 *
 * @throws TemplateError with Go's text, as far as it is about values and functions.
 */
export function runTemplate(nodes: readonly TemplateNode[], context: TemplateContext): string {
  let text = ''
  for (const node of nodes) {
    if (node.kind === 'text') text += node.text
    else {
      const value = pipelineValue(node.pipeline, context)
      if (node.kind === 'action') text += printValue(value)
      else text += runTemplate(isTrue(value) ? node.then : node.otherwise, context)
    }
    if (text.length > longestText) throw new TemplateError('the name is too long')
  }
  return text
}

/** Whether a value counts as true: not zero, not empty. */
export function isTrue(value: TemplateValue): boolean {
  return typeof value === 'object' ? value !== null : Boolean(value)
}

function pipelineValue(pipeline: Pipeline, context: TemplateContext): TemplateValue {
  let value: TemplateValue | undefined
  for (const command of pipeline) value = commandValue(command, value, context)
  return value ?? null
}

function commandValue(
  command: Command,
  last: TemplateValue | undefined,
  context: TemplateContext,
): TemplateValue {
  const [first, ...rest] = command
  if (first.kind === 'function') return call(first, rest, last, context)
  if (rest.length > 0 || last !== undefined) {
    // A field that does not exist is the greater fault.
    if (first.kind === 'field') fieldValue(first, first.names, context)
    const why =
      first.kind === 'field'
        ? `${first.names.at(-1)} has arguments but cannot be invoked as function`
        : `can't give argument to non-function ${first.text}`
    throw fault(first, why, context)
  }
  if (first.kind === 'constant' && first.value === null) {
    throw fault(first, 'nil is not a command', context)
  }
  return operandValue(first, context)
}

function operandValue(operand: Operand, context: TemplateContext): TemplateValue {
  switch (operand.kind) {
    case 'constant':
      return operand.value
    case 'dot':
      return context.data
    case 'field':
      return fieldValue(operand, operand.names, context)
    case 'pipeline':
      return pipelineValue(operand.pipeline, context)
    case 'function':
      return call(operand, [], undefined, context)
  }
}

function fieldValue(
  operand: Operand,
  [name = '', ...further]: readonly string[],
  context: TemplateContext,
): TemplateValue {
  const { data, dataType } = context
  const value = Object.hasOwn(data, name) ? data[name] : undefined
  if (value === undefined) {
    throw fault(operand, `can't evaluate field ${name} in type ${dataType}`, context)
  }
  const [below] = further
  if (below === undefined) return value
  throw fault(operand, `can't evaluate field ${below} in type string`, context)
}

function call(
  operand: Extract<Operand, { kind: 'function' }>,
  operands: readonly Operand[],
  last: TemplateValue | undefined,
  context: TemplateContext,
): TemplateValue {
  const { name } = operand
  const found = context.functions[name]
  if (found === undefined)
    throw fault(operand, `${JSON.stringify(name)} is not a function`, context)
  const given = operands.length + (last === undefined ? 0 : 1)
  checkCount(operand, found, given, context)
  const values = operands.map((argument, at) =>
    argumentValue(argument, found.takes[at] ?? found.takes.at(-1) ?? 'any', context),
  )
  if (last !== undefined) {
    const type = found.takes[given - 1] ?? found.takes.at(-1) ?? 'any'
    if (!fits(last, type)) {
      const actual = goType(last, context.dataType)
      throw fault(operand, `wrong type for value; expected ${type}; got ${actual}`, context)
    }
    values.push(last)
  }
  try {
    const result = found.run(...values)
    if (typeof result === 'string' && result.length > longestText) {
      throw new TemplateError('the text is too long')
    }
    return result
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const text = [name, ...operands.map((each) => each.text)].join(' ')
    throw fault({ ...operand, text }, `error calling ${name}: ${error.message}`, context)
  }
}

function checkCount(
  operand: Operand,
  { takes, variadic = false }: TemplateFunction,
  given: number,
  context: TemplateContext,
): void {
  const least = variadic ? takes.length - 1 : takes.length
  if (given >= least && (variadic || given === least)) return
  const want = variadic ? `at least ${least}` : String(least)
  const why = `wrong number of args for ${operand.text}: want ${want} got ${given}`
  throw fault(operand, why, context)
}

function argumentValue(
  operand: Operand,
  type: TemplateFunction['takes'][number],
  context: TemplateContext,
): TemplateValue {
  const value = operandValue(operand, context)
  if (fits(value, type)) return value
  if (operand.kind === 'constant') {
    const wanted = type === 'int' ? 'integer' : type
    throw fault(operand, `expected ${wanted}; found ${operand.text}`, context)
  }
  const actual = goType(value, context.dataType)
  throw fault(lastOf(operand), `wrong type for value; expected ${type}; got ${actual}`, context)
}

/** What Go looked at last to find a value: there it places the fault. */
function lastOf(operand: Operand): Operand {
  if (operand.kind !== 'pipeline') return operand
  const last = operand.pipeline.at(-1)?.at(-1)
  return last === undefined ? operand : lastOf(last)
}

function fits(value: TemplateValue, type: TemplateFunction['takes'][number]): boolean {
  if (type === 'any') return true
  return type === 'int' ? Number.isSafeInteger(value) : typeof value === 'string'
}

/** A fault with its place, as Go tells it: line, bytes before it in the line, and what is at fault. */
function fault({ at, text }: Operand, why: string, { source }: TemplateContext): TemplateError {
  const lines = source.slice(0, at).split('\n')
  const column = Buffer.byteLength(lines.at(-1) ?? '')
  return new TemplateError(
    `template: template:${lines.length}:${column}: executing "template" at <${text}>: ${why}`,
  )
}
