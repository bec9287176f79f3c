import { quoteGo } from '../../go/text.ts'
import {
  type Command,
  type Operand,
  type Pipeline,
  TemplateError,
  type TemplateNode,
} from './template-parser.ts'

/**
 * Maximum length of a string during evaluation, because nested functions could build very long
 * strings. Realistic names are much shorter.
 */
export const maxTextLength = 4096

/** Values in templates: strings, and number literals. */
export type TemplateValue = string | number

export interface TemplateFunction {
  /** Types of the parameters. If `isVariadic` is true, the last parameter can be repeated. */
  readonly parameterTypes: readonly ('string' | 'int' | 'any')[]
  readonly isVariadic?: boolean
  /** Throws a TemplateError without a position for invalid values; the caller adds the position. */
  run(...values: readonly TemplateValue[]): string
}

/** The data of a template and the functions that it can call. */
interface TemplateContext {
  readonly data: Readonly<Record<string, string>>
  /** Go type of the data; error messages about unknown fields contain it. */
  readonly dataType: string
  readonly functions: Readonly<Record<string, TemplateFunction>>
  readonly source: string
}

/**
 * Evaluates a parsed template.
 *
 * @throws TemplateError with Go's message if an action fails, and with a message of the mock for a
 *   result that is too long
 */
export function runTemplate(nodes: readonly TemplateNode[], context: TemplateContext): string {
  let text = ''
  for (const node of nodes) {
    text += typeof node === 'string' ? node : pipelineValue(node, context)
    if (text.length > maxTextLength) throw new TemplateError('the name is too long')
  }
  return text
}

function pipelineValue(pipeline: Pipeline, context: TemplateContext): TemplateValue {
  let value: TemplateValue | undefined
  for (const command of pipeline) value = commandValue(command, value, context)
  return value ?? ''
}

function commandValue(
  [first, ...rest]: Command,
  last: TemplateValue | undefined,
  context: TemplateContext,
): TemplateValue {
  if (first.kind === 'function') return callFunction(first, rest, last, context)
  // The operand is evaluated first, because Go reports an unknown field before any other error.
  const value = operandValue(first, context)
  if (rest.length === 0 && last === undefined) return value
  const why =
    first.kind === 'field'
      ? `${first.name} has arguments but cannot be invoked as function`
      : `can't give argument to non-function ${first.text}`
  throw templateError(first, why, context)
}

function operandValue(operand: Operand, context: TemplateContext): TemplateValue {
  switch (operand.kind) {
    case 'constant':
      return operand.value
    case 'field': {
      const { data, dataType } = context
      const value = Object.hasOwn(data, operand.name) ? data[operand.name] : undefined
      if (value !== undefined) return value
      throw templateError(
        operand,
        `can't evaluate field ${operand.name} in type ${dataType}`,
        context,
      )
    }
    case 'pipeline':
      return pipelineValue(operand.pipeline, context)
    case 'function':
      return callFunction(operand, [], undefined, context)
  }
}

function callFunction(
  operand: Operand & { readonly kind: 'function' },
  operands: readonly Operand[],
  last: TemplateValue | undefined,
  context: TemplateContext,
): string {
  const { name } = operand
  const found = context.functions[name]
  if (found === undefined) throw templateError(operand, `"${name}" is not a function`, context)
  const provided = operands.length + (last === undefined ? 0 : 1)
  checkCount(operand, found, provided, context)
  const typeAt = (at: number) => found.parameterTypes[at] ?? found.parameterTypes.at(-1) ?? 'any'
  const values = operands.map((argument, at) => argumentValue(argument, typeAt(at), context))
  if (last !== undefined) {
    const type = typeAt(provided - 1)
    if (!isAssignable(last, type))
      throw templateError(operand, wrongTypeMessage(last, type), context)
    values.push(last)
  }
  try {
    const result = found.run(...values)
    if (result.length > maxTextLength) throw new TemplateError('the text is too long')
    return result
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const text = [name, ...operands.map((each) => each.text)].join(' ')
    throw templateError({ ...operand, text }, `error calling ${name}: ${error.message}`, context)
  }
}

function checkCount(
  operand: Operand,
  { parameterTypes: declaredTypes, isVariadic = false }: TemplateFunction,
  provided: number,
  context: TemplateContext,
): void {
  const minCount = isVariadic ? declaredTypes.length - 1 : declaredTypes.length
  if (provided >= minCount && (isVariadic || provided === minCount)) return
  const expectedCount = isVariadic ? `at least ${minCount}` : String(minCount)
  const why = `wrong number of args for ${operand.text}: want ${expectedCount} got ${provided}`
  throw templateError(operand, why, context)
}

function argumentValue(
  operand: Operand,
  type: TemplateFunction['parameterTypes'][number],
  context: TemplateContext,
): TemplateValue {
  const value = operandValue(operand, context)
  if (isAssignable(value, type)) return value
  if (operand.kind === 'constant') {
    const expected = type === 'int' ? 'integer' : type
    throw templateError(operand, `expected ${expected}; found ${operand.text}`, context)
  }
  throw templateError(lastOf(operand), wrongTypeMessage(value, type), context)
}

/** Returns the operand that Go evaluates last, at which Go reports an error of the pipeline. */
function lastOf(operand: Operand): Operand {
  if (operand.kind !== 'pipeline') return operand
  const last = operand.pipeline.at(-1)?.at(-1)
  return last === undefined ? operand : lastOf(last)
}

function isAssignable(value: TemplateValue, type: TemplateFunction['parameterTypes'][number]) {
  if (type === 'any') return true
  return type === 'int' ? Number.isSafeInteger(value) : typeof value === 'string'
}

function wrongTypeMessage(value: TemplateValue, type: string): string {
  return `wrong type for value; expected ${type}; got ${goType(value)}`
}

function goType(value: TemplateValue): string {
  return typeof value === 'string' ? 'string' : 'int'
}

/**
 * Returns an error with its position in Go's form: line, byte offset in the line, and source text.
 */
function templateError({ at, text }: Operand, why: string, { source }: TemplateContext) {
  const lines = source.slice(0, at).split('\n')
  const column = Buffer.byteLength(lines.at(-1) ?? '')
  return new TemplateError(
    `template: template:${lines.length}:${column}: executing "template" at <${text}>: ${why}`,
  )
}

/**
 * Formats values as Go's fmt.Sprintf does. Supports only the verbs that name templates need: `%s`,
 * `%v`, `%q`, `%d` and `%%`.
 */
export function formatGo(form: string, values: readonly TemplateValue[]): string {
  let usedCount = 0
  const text = form.replace(/%([\s\S]?)/gu, (_, verb: string) => {
    if (verb === '%') return '%'
    if (verb === '') return '%!(NOVERB)'
    const value = values[usedCount]
    usedCount += 1
    if (value === undefined) return `%!${verb}(MISSING)`
    if (verb === 'v' || verb === (typeof value === 'string' ? 's' : 'd')) return String(value)
    if (verb === 'q' && typeof value === 'string') return quoteGo(value)
    return `%!${verb}(${goType(value)}=${value})`
  })
  const extra = values.slice(usedCount).map((value) => `${goType(value)}=${value}`)
  return extra.length === 0 ? text : `${text}%!(EXTRA ${extra.join(', ')})`
}
