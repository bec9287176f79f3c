import { numberOf } from '../../kernel/integers.ts'
import type { BinaryOperator, Call, Expression, UnaryOperator } from './ast.ts'
import { parseObject, parseTuple } from './collections.ts'
import type { Reader } from './reader.ts'
import { type Range, spanOf } from './source.ts'
import { parseTemplate } from './templates.ts'
import type { Token, TokenKind } from './token.ts'
import { parseSteps } from './traversals.ts'

/** Binary operators by precedence, lowest first. All operators are left-associative. */
const PRECEDENCE_LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['||'],
  ['&&'],
  ['==', '!='],
  ['>', '>=', '<', '<='],
  ['+', '-'],
  ['*', '/', '%'],
]

const BINARY_OPERATORS: ReadonlyMap<TokenKind, { operator: BinaryOperator; level: number }> =
  new Map(
    PRECEDENCE_LEVELS.flatMap((operators, level) =>
      operators.map((operator) => [operator, { operator, level }] as const),
    ),
  )

const NAMED_CONSTANTS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

/**
 * Parses one expression, including a conditional operator. Reports an invalid expression and throws
 * ParsingAborted.
 */
export function parseExpression(reader: Reader): Expression {
  return reader.nested(() => {
    const condition = parseBinary(reader, 0)
    if (!reader.accept('?')) return condition
    const whenTrue = parseExpression(reader)
    if (!reader.accept(':')) {
      return reader.fail(
        'Missing false expression in conditional',
        'The conditional operator (...?...:...) requires a false expression, delimited by a colon.',
        reader.peek().range,
      )
    }
    const whenFalse = parseExpression(reader)
    const range = spanOf(condition.range, whenFalse.range)
    return { kind: 'conditional', condition, whenTrue, whenFalse, range }
  })
}

/**
 * Parses operands and the binary operators between them whose precedence is at least `minLevel`.
 */
function parseBinary(reader: Reader, minLevel: number): Expression {
  let left = parseOperand(reader)
  for (;;) {
    const found = BINARY_OPERATORS.get(reader.peek().kind)
    if (found === undefined || found.level < minLevel) return left
    reader.read()
    reader.countOperator()
    const right = parseBinary(reader, found.level + 1)
    const range = spanOf(left.range, right.range)
    left = { kind: 'binary', operator: found.operator, left, right, range }
  }
}

/** Parses a term and the steps that follow it: `.name`, `[key]` and splats. */
function parseOperand(reader: Reader): Expression {
  return parseSteps(reader, parseTerm(reader), parseExpression)
}

function parseTerm(reader: Reader): Expression {
  const token = reader.peek()
  switch (token.kind) {
    case '(':
      return parseParentheses(reader)
    case 'number':
      return parseNumber(reader)
    case 'identifier':
      return parseName(reader)
    case 'open-quote':
    case 'open-heredoc':
      return parseTemplate(reader, parseExpression)
    case '-':
    case '!':
      return parseUnary(reader, token.kind)
    case '[':
      return parseTuple(reader, parseExpression)
    case '{':
      return parseObject(reader, parseExpression)
    case 'end':
      return reader.fail(
        'Missing expression',
        'Expected the start of an expression, but found the end of the file.',
        token.range,
      )
  }
  return reader.fail(
    'Invalid expression',
    'Expected the start of an expression, but found an invalid expression token.',
    token.range,
  )
}

function parseParentheses(reader: Reader): Expression {
  const opening = reader.read()
  return reader.withNewlines(false, () => {
    const expression = parseExpression(reader)
    const closing = reader.peek()
    if (closing.kind !== ')') {
      return reader.fail(
        'Unbalanced parentheses',
        'Expected a closing parenthesis to terminate the expression.',
        closing.range,
      )
    }
    reader.read()
    return { kind: 'parentheses', expression, range: spanOf(opening.range, closing.range) }
  })
}

function parseNumber(reader: Reader): Expression {
  const { text, range } = reader.read()
  const value = numberOf(text)
  // The number must fit a double. The real parser has no such limit.
  if (!Number.isFinite(Number(value))) {
    return reader.fail(
      'Invalid number literal',
      'Failed to recognize the value of this number literal.',
      range,
    )
  }
  return { kind: 'literal', value, range }
}

function parseUnary(reader: Reader, operator: UnaryOperator): Expression {
  const sign = reader.read()
  // A sign applies to the next operand only: `-a + b` is `(-a) + b`.
  const operand = reader.nested(() => parseOperand(reader))
  return { kind: 'unary', operator, operand, range: spanOf(sign.range, operand.range) }
}

/** Parses a constant such as `true`, a variable or a function call. */
function parseName(reader: Reader): Expression {
  const { text: name, range } = reader.read()
  const next = reader.peek().kind
  if (next === '(' || next === '::') return parseCall(reader, reader.last)
  const value = NAMED_CONSTANTS.get(name)
  return value === undefined ? { kind: 'variable', name, range } : { kind: 'literal', value, range }
}

function parseCall(reader: Reader, first: Token): Expression {
  let name = first.text
  while (reader.accept('::')) {
    reader.countOperator()
    const part = reader.peek()
    if (part.kind !== 'identifier') {
      return reader.fail(
        'Missing function name',
        'Function scope resolution symbol :: must be followed by a function name in this scope.',
        part.range,
      )
    }
    reader.read()
    name += `::${part.text}`
  }
  const nameRange = spanOf(first.range, reader.last.range)
  const opening = reader.peek()
  if (opening.kind !== '(') {
    return reader.fail(
      'Missing open parenthesis',
      'Function selector must be followed by an open parenthesis to begin the function call.',
      opening.range,
    )
  }
  reader.read()
  return reader.withNewlines(false, () => parseArguments(reader, name, nameRange, opening))
}

function parseArguments(reader: Reader, name: string, nameRange: Range, opening: Token): Call {
  const found: Expression[] = []
  const endCall = (expandsLast: boolean): Call => {
    const range = spanOf(nameRange, reader.read().range)
    return { kind: 'call', name, nameRange, arguments: found, expandsLast, range }
  }
  for (;;) {
    if (reader.peek().kind === ')') return endCall(false)
    found.push(parseExpression(reader))
    const next = reader.peek()
    if (next.kind === ')') return endCall(false)
    if (next.kind === ',') {
      reader.read()
    } else if (next.kind === '...') {
      reader.read()
      if (reader.peek().kind === ')') return endCall(true)
      return reader.fail(
        'Missing closing parenthesis',
        'An expanded function argument (with ...) must be immediately followed by closing parentheses.',
        next.range,
      )
    } else if (next.kind === 'end') {
      return reader.fail(
        'Unterminated function call',
        'There is no closing parenthesis for this function call before the end of the file. This may be caused by incorrect parenthesis nesting elsewhere in this file.',
        spanOf(nameRange, opening.range),
      )
    } else {
      return reader.fail(
        'Missing argument separator',
        'A comma is required to separate each function argument from the next.',
        next.range,
      )
    }
  }
}
