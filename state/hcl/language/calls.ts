import { appendAll } from '../../kernel/lists.ts'
import type { Call, Expression } from '../syntax/ast.ts'
import type { Diagnostic } from '../syntax/error.ts'
import { formatRange, type Range } from '../syntax/source.ts'
import { nearMiss } from '../syntax/suggestion.ts'
import { ConversionError } from './convert.ts'
import {
  convertResult,
  type Evaluation,
  lastCharacterOf,
  startRange,
  tryConvert,
} from './evaluation.ts'
import { FunctionError, type HclFunction } from './function.ts'
import { type Result, type Scope, UNKNOWN, type Unknown } from './scope.ts'
import { readType } from './type-expression.ts'
import { type HclValue, isSequence } from './values.ts'

/**
 * Argument of a call: an expression that is not yet evaluated, or a value from a list that `...`
 * expanded.
 */
interface Argument {
  readonly start: Range
  readonly source: { readonly expression: Expression } | { readonly value: HclValue }
}

/** A call whose arguments are collected but not yet evaluated. */
interface Invocation {
  readonly evaluation: Evaluation
  readonly call: Call
  readonly scope: Scope
  readonly args: readonly Argument[]
}

/** Function that receives its arguments before they are evaluated. */
interface LazyFunction {
  readonly parameters: readonly { readonly name: string }[]
  readonly variadic?: { readonly name: string }
  run(invocation: Invocation): Result
}

const LAZY_FUNCTIONS: ReadonlyMap<string, LazyFunction> = new Map<string, LazyFunction>([
  ['try', { parameters: [], variadic: { name: 'expressions' }, run: runTry }],
  ['can', { parameters: [{ name: 'expression' }], run: runCan }],
  ['convert', { parameters: [{ name: 'value' }, { name: 'type' }], run: runConvert }],
])

/**
 * Returns the value of `name(arguments)`. Reports a problem and returns `UNKNOWN` if the call is
 * invalid or fails.
 */
export function evaluateCall(evaluation: Evaluation, call: Call, scope: Scope): Result {
  const { functions } = scope.environment
  if (functions === undefined) {
    const detail = 'Functions may not be called here.'
    return evaluation.report('Function calls not allowed', detail, call.range)
  }
  const calledFunction = LAZY_FUNCTIONS.get(call.name) ?? functions.get(call.name)
  if (calledFunction === undefined) return reportUnknown(evaluation, call, functions)
  const args = collectArguments(evaluation, call, scope)
  if (args === UNKNOWN) return UNKNOWN
  const invocation = { evaluation, call, scope, args }
  if (!checkArgumentCount(invocation, calledFunction)) return UNKNOWN
  const lazyFunction = LAZY_FUNCTIONS.get(call.name)
  if (lazyFunction !== undefined) return lazyFunction.run(invocation)
  const found = functions.get(call.name)
  return found === undefined ? UNKNOWN : runFunction(invocation, found)
}

function reportUnknown(
  { report }: Evaluation,
  { name, nameRange }: Call,
  functions: ReadonlyMap<string, HclFunction>,
): Unknown {
  const suggestion = nearMiss(name, [...functions.keys(), ...LAZY_FUNCTIONS.keys()].sort())
  const advice = suggestion === undefined ? '' : ` Did you mean ${JSON.stringify(suggestion)}?`
  const detail = `There is no function named ${JSON.stringify(name)}.${advice}`
  return report('Call to unknown function', detail, nameRange)
}

/**
 * Returns the arguments of a call. If `...` follows the last argument, the items of its value are
 * the last arguments. If that value is not a sequence, reports a problem and returns `UNKNOWN`.
 * Also returns `UNKNOWN` while that value is not known.
 */
function collectArguments({ evaluate, report, budget }: Evaluation, call: Call, scope: Scope) {
  const listedArguments = call.arguments.map(
    (expression): Argument => ({ start: startRange(expression), source: { expression } }),
  )
  const last = call.arguments[call.arguments.length - 1]
  if (!call.expandsLast || last === undefined) return listedArguments
  const value = evaluate(last, scope)
  if (value === UNKNOWN) return UNKNOWN
  if (value === null || !isSequence(value)) {
    const wanted = value === null ? 'not be null' : 'be of a tuple, list, or set type'
    return report(
      'Invalid expanding argument value',
      `The expanding argument (indicated by ...) must ${wanted}.`,
      last.range,
    )
  }
  budget.spend(value.items.length)
  const expandedArguments = value.items.map(
    (item): Argument => ({ start: last.range, source: { value: item } }),
  )
  return listedArguments.slice(0, -1).concat(expandedArguments)
}

function checkArgumentCount(
  { evaluation: { report }, call, args }: Invocation,
  { parameters, variadic }: Pick<LazyFunction, 'parameters' | 'variadic'>,
): boolean {
  const name = JSON.stringify(call.name)
  const missing = parameters[args.length]
  if (missing !== undefined) {
    const count = `${variadic === undefined ? '' : ' at least'} ${parameters.length} argument(s)`
    report(
      'Not enough function arguments',
      `Function ${name} expects${count}. Missing value for ${JSON.stringify(missing.name)}.`,
      lastCharacterOf(call.range),
    )
    return false
  }
  const extraArgument = args[parameters.length]
  if (variadic !== undefined || extraArgument === undefined) return true
  report(
    'Too many function arguments',
    `Function ${name} expects only ${parameters.length} argument(s).`,
    extraArgument.start,
  )
  return false
}

function runFunction(invocation: Invocation, found: HclFunction): Result {
  const { evaluation, scope, args } = invocation
  const before = evaluation.problemCount
  const values: HclValue[] = []
  let isKnown = true
  for (const [index, argument] of args.entries()) {
    const parameter = found.parameters[index] ?? found.variadic
    if (parameter === undefined) break
    const value = convertResult(
      evaluation,
      evaluateArgument(evaluation, argument, scope),
      parameter.type,
      (why) => reportArgument(evaluation, parameter.name, why, argument.start),
    )
    if (value === UNKNOWN) isKnown = false
    else values.push(value)
  }
  if (!isKnown || evaluation.problemCount > before) return UNKNOWN
  const nullIndex = values.findIndex(
    (value, index) => value === null && !(found.parameters[index] ?? found.variadic)?.nullable,
  )
  try {
    if (nullIndex >= 0) throw new FunctionError('argument must not be null', nullIndex)
    return evaluation.budget.chargeNew(found.run(values, scope.context))
  } catch (error) {
    if (error instanceof FunctionError) return reportFunctionError(invocation, found, error)
    // Functions also convert values internally. As in the reference, a failed conversion is
    // reported like any other error of the function.
    if (error instanceof ConversionError) return reportFailure(invocation, error.message)
    throw error
  }
}

function evaluateArgument({ evaluate }: Evaluation, { source }: Argument, scope: Scope): Result {
  return 'value' in source ? source.value : evaluate(source.expression, scope)
}

function reportFunctionError(
  invocation: Invocation,
  found: HclFunction,
  { message, argument }: FunctionError,
): Unknown {
  const parameter =
    argument === undefined ? undefined : (found.parameters[argument] ?? found.variadic)
  if (argument === undefined || parameter === undefined) return reportFailure(invocation, message)
  const at = invocation.args[argument]?.start ?? invocation.call.range
  return reportArgument(invocation.evaluation, parameter.name, message, at)
}

function reportFailure({ evaluation, call }: Invocation, why: string): Unknown {
  return evaluation.report(
    'Error in function call',
    `Call to function ${JSON.stringify(call.name)} failed: ${why}.`,
    startRange(call),
  )
}

function reportArgument({ report }: Evaluation, name: string, why: string, at: Range): Unknown {
  const detail = `Invalid value for ${JSON.stringify(name)} parameter: ${why}.`
  return report('Invalid function argument', detail, at)
}

/**
 * Returns the value of `try(a, b, ...)`, which is the value of the first argument that evaluates
 * without an error. Reports a problem if there is no such argument.
 */
function runTry(invocation: Invocation): Result {
  const { evaluation, scope, args } = invocation
  if (args.length === 0) return reportFailure(invocation, 'at least one argument is required')
  const all: Diagnostic[] = []
  for (const { source } of args) {
    if ('value' in source) return source.value
    const { result, problems } = evaluation.attempt(source.expression, scope)
    // If the result is unknown and there are no problems, the result depends on a value that is not
    // known yet. An example is the element of a loop while the loop's condition is checked in
    // advance.
    if (problems.length === 0) return result
    appendAll(all, problems)
  }
  const reportedProblems = all.map(({ summary, detail, range }) => {
    const place = range === undefined ? '' : ` (at ${formatRange(range)})`
    return `- ${summary}${place}\n  ${detail}\n`
  })
  return reportFailure(
    invocation,
    `no expression succeeded:\n${reportedProblems.join('')}\nAt least one expression must produce a successful result`,
  )
}

/**
 * Returns the value of `can(a)`: true if the argument can be evaluated without an error, false if
 * not, and `UNKNOWN` if its value is not known yet.
 */
function runCan({ evaluation, scope, args }: Invocation): Result {
  const source = args[0]?.source
  if (source === undefined || 'value' in source) return true
  const { result, problems } = evaluation.attempt(source.expression, scope)
  if (problems.length > 0) return false
  return result === UNKNOWN ? UNKNOWN : true
}

/**
 * Returns the value of `convert(value, type)`; the type has the syntax of a variable's type.
 * Reports a problem if the type is invalid or the value cannot be converted.
 */
function runConvert({ evaluation, scope, args }: Invocation): Result {
  const [first, second] = args
  if (first === undefined || second === undefined) return UNKNOWN
  const value = evaluateArgument(evaluation, first, scope)
  if ('value' in second.source) {
    return reportArgument(evaluation, 'type', 'a type is required', second.start)
  }
  const type = readType(second.source.expression)
  if ('problems' in type) {
    evaluation.addProblems(type.problems)
    return UNKNOWN
  }
  if (value === UNKNOWN) return UNKNOWN
  const converted = tryConvert(value, type.type, evaluation.budget)
  return converted instanceof ConversionError
    ? reportArgument(evaluation, 'value', converted.message, first.start)
    : evaluation.budget.chargeNew(converted)
}
