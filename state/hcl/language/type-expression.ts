import { appendAll } from '../../kernel/lists.ts'
import type { Call, Expression } from '../syntax/ast.ts'
import { type Diagnostic, HclError } from '../syntax/error.ts'
import { parseHclExpression } from '../syntax/parser.ts'
import { type Range, rangeAfter, spanOf } from '../syntax/source.ts'
import { verbatimTextOf } from './json-body.ts'
import type { HclType } from './values.ts'

/** Result of parsing a type constraint: the type, or the problems that were found. */
type TypeReading = { readonly type: HclType } | { readonly problems: readonly Diagnostic[] }

const ELEMENT_REQUIRED = 'type constructor requires one argument specifying the element type.'
const CONSTRUCTORS: ReadonlyMap<string, string> = new Map([
  ['list', `The list ${ELEMENT_REQUIRED}`],
  ['set', `The set ${ELEMENT_REQUIRED}`],
  ['map', `The map ${ELEMENT_REQUIRED}`],
  [
    'object',
    'The object type constructor requires one argument specifying the attribute types and values as a map.',
  ],
  [
    'tuple',
    'The tuple type constructor requires one argument specifying the element types as a list.',
  ],
])

/**
 * Parses a type constraint: `string`, `list(number)`, `object({ a = bool, b = optional(any) })`.
 * Returns the problems of an invalid constraint instead of throwing.
 */
export function readType(expression: Expression): TypeReading {
  const text = verbatimTextOf(expression)
  if (text !== undefined) return readText(text, expression.range)
  const word = keywordOf(expression)
  if (word !== undefined) {
    if (isPrimitive(word)) return { type: word }
    const detail =
      CONSTRUCTORS.get(word) ??
      `The keyword ${JSON.stringify(word)} is not a valid type specification.`
    return invalidType(detail, expression.range)
  }
  if (expression.kind === 'call') return readConstructor(expression)
  return invalidTypeProblem(expression.range)
}

function invalidTypeProblem(range: Range): TypeReading {
  return invalidType(
    'A type specification is either a primitive type keyword (bool, number, string) or a complex type constructor call, like list(string).',
    range,
  )
}

/** Parses a type that is written as a string. The JSON syntax writes types in this way. */
function readText(text: string, range: Range): TypeReading {
  let read: TypeReading
  try {
    read = readType(parseHclExpression(text, { file: range.file }))
  } catch (error) {
    if (!(error instanceof HclError)) throw error
    return invalidTypeProblem(range)
  }
  if (!('problems' in read)) return read
  return { problems: read.problems.map((problem) => ({ ...problem, range })) }
}

/** Returns the keyword if the expression is a single bare word, otherwise undefined. */
function keywordOf(expression: Expression): string | undefined {
  if (expression.kind === 'variable') return expression.name
  if (expression.kind !== 'literal') return undefined
  const { value } = expression
  return value === null || typeof value === 'boolean' ? String(value) : undefined
}

function isPrimitive(word: string): word is 'string' | 'number' | 'bool' | 'any' {
  return word === 'string' || word === 'number' || word === 'bool' || word === 'any'
}

function invalidType(detail: string, range: Range): { readonly problems: readonly Diagnostic[] } {
  return { problems: [{ summary: 'Invalid type specification', detail, range }] }
}

function readConstructor(call: Call): TypeReading {
  const { name, arguments: args } = call
  const quoted = JSON.stringify(name)
  if (isPrimitive(name)) {
    const kind = name === 'any' ? 'Type constraint' : 'Primitive type'
    return invalidType(`${kind} keyword ${quoted} does not expect arguments.`, argumentsRange(call))
  }
  const wanted = CONSTRUCTORS.get(name)
  if (wanted === undefined) {
    return name === 'optional'
      ? invalidType(
          `Keyword ${quoted} is valid only as a modifier for object type attributes.`,
          call.nameRange,
        )
      : invalidType(`Keyword ${quoted} is not a valid type constructor.`, call.range)
  }
  const [argument, second] = args
  const last = args[args.length - 1]
  if (argument === undefined) return invalidType(wanted, argumentsRange(call))
  if (second !== undefined && last !== undefined) {
    return invalidType(wanted, spanOf(second.range, last.range))
  }
  switch (name) {
    case 'list':
    case 'set':
    case 'map': {
      const of = readType(argument)
      return 'problems' in of ? of : { type: { kind: name, of: of.type } }
    }
    case 'tuple':
      return readTuple(argument)
  }
  return readObject(argument)
}

/** Returns the range of a call from its opening parenthesis to its end. */
function argumentsRange({ nameRange, range }: Call): Range {
  return rangeAfter(nameRange, range)
}

function readTuple(argument: Expression): TypeReading {
  if (argument.kind !== 'tuple') {
    return invalidType('Tuple type constructor requires a list of element types.', argument.range)
  }
  const problems: Diagnostic[] = []
  const items = argument.items.map((item) => typeOrReport(readType(item), problems))
  return problems.length > 0 ? { problems } : { type: { kind: 'tuple', items } }
}

function typeOrReport(read: TypeReading, problems: Diagnostic[]): HclType {
  if (!('problems' in read)) return read.type
  appendAll(problems, read.problems)
  return 'any'
}

function readObject(argument: Expression): TypeReading {
  if (argument.kind !== 'object') {
    return invalidType(
      'Object type constructor requires a map whose keys are attribute names and whose values are the corresponding attribute types.',
      argument.range,
    )
  }
  const problems: Diagnostic[] = []
  const attributes = new Map<string, { type: HclType; optional: boolean }>()
  for (const { key, value } of argument.entries) {
    const name = key.kind === 'literal' && typeof key.value === 'string' ? key.value : undefined
    if (name === undefined) {
      const detail = 'Object constructor map keys must be attribute names.'
      appendAll(problems, invalidType(detail, key.range).problems)
      continue
    }
    const optional = value.kind === 'call' && value.name === 'optional'
    const inner = optional ? readOptional(value, problems) : value
    if (inner !== undefined) {
      attributes.set(name, { type: typeOrReport(readType(inner), problems), optional })
    }
  }
  return problems.length > 0 ? { problems } : { type: { kind: 'object', attributes } }
}

/**
 * Returns the first argument of `optional(...)`, or undefined if the call has no arguments. Reports
 * a call that does not have exactly one argument.
 */
function readOptional(call: Call, problems: Diagnostic[]): Expression | undefined {
  const { length } = call.arguments
  if (length !== 1) {
    const detail =
      length === 0
        ? 'Optional attribute modifier requires the attribute type as its argument.'
        : 'Optional attribute modifier expects only one argument: the attribute type.'
    appendAll(problems, invalidType(detail, argumentsRange(call)).problems)
  }
  return call.arguments[0]
}
