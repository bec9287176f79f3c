import type { Attribute, Block, Body, BodyItem, Label } from './ast.ts'
import { parseExpression } from './expressions.ts'
import { ParsingAborted, type Reader } from './reader.ts'
import { formatRange, spanOf } from './source.ts'
import { decodeQuoted } from './strings.ts'
import type { Token } from './token.ts'

const ITEM_REQUIRED = 'Argument or block definition required'
const ITEM_DETAIL = 'An argument or block definition is required here.'

/**
 * Parses a file, if `closing` is `end`, or the content of a block with its closing brace. An item
 * that cannot be parsed is reported and skipped, so that later items are still parsed.
 */
export function parseBody(reader: Reader, closing: 'end' | '}', opening?: Token): Body {
  const start = opening ?? reader.last
  const items: BodyItem[] = []
  const attributes = new Map<string, Attribute>()
  for (;;) {
    const token = reader.peek()
    if (token.kind === closing) {
      reader.read()
      return { items, range: spanOf(start.range, token.range) }
    }
    if (token.kind === 'newline') {
      reader.read()
      continue
    }
    if (token.kind !== 'identifier') {
      failBadItem(reader, token, opening)
    }
    const open = reader.openBrackets
    try {
      addItem(reader, items, attributes, parseItem(reader))
    } catch (error) {
      if (!(error instanceof ParsingAborted)) throw error
      reader.skipItem(open)
    }
  }
}

function addItem(
  reader: Reader,
  items: BodyItem[],
  attributes: Map<string, Attribute>,
  item: BodyItem,
): void {
  const earlier = item.kind === 'attribute' ? attributes.get(item.name) : undefined
  if (item.kind === 'attribute' && earlier !== undefined) {
    reader.report(
      'Attribute redefined',
      `The argument ${JSON.stringify(item.name)} was already set at ${formatRange(earlier.nameRange)}. Each argument may be set only once.`,
      item.nameRange,
    )
    return
  }
  if (item.kind === 'attribute') attributes.set(item.name, item)
  items.push(item)
}

/** Reports a token that cannot begin an item and aborts. The whole body is then invalid. */
function failBadItem(reader: Reader, token: Token, opening: Token | undefined): never {
  if (token.kind === 'open-quote') {
    return reader.fail('Invalid argument name', 'Argument names must not be quoted.', token.range)
  }
  if (token.kind === 'end' && opening !== undefined) failUnclosed(reader, opening)
  return reader.fail(ITEM_REQUIRED, ITEM_DETAIL, token.range)
}

function failUnclosed(reader: Reader, opening: Token): never {
  return reader.fail(
    'Unclosed configuration block',
    'There is no closing brace for this block before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.',
    opening.range,
  )
}

function parseItem(reader: Reader): BodyItem {
  const name = reader.read()
  switch (reader.peek().kind) {
    case '=':
      return parseAttribute(reader, name)
    case 'open-quote':
    case '{':
    case 'identifier':
      return parseBlock(reader, name)
  }
  reader.report(
    ITEM_REQUIRED,
    `${ITEM_DETAIL} To set an argument, use the equals sign "=" to introduce the argument value.`,
    name.range,
  )
  throw new ParsingAborted()
}

function parseAttribute(reader: Reader, name: Token): Attribute {
  const attribute = parseAssignment(reader, name)
  const end = reader.peek()
  if (end.kind !== 'newline' && end.kind !== 'end') {
    const detail = 'An argument definition must end with a newline.'
    if (end.kind !== ',') reader.fail('Missing newline after argument', detail, end.range)
    reader.fail(
      'Unexpected comma after argument',
      `Argument definitions must be separated by newlines, not commas. ${detail}`,
      end.range,
    )
  }
  return attribute
}

/** Parses `name = expression`. Text after the expression is not checked. */
function parseAssignment(reader: Reader, name: Token): Attribute {
  reader.read()
  const expression = parseExpression(reader)
  return {
    kind: 'attribute',
    name: name.text,
    nameRange: name.range,
    expression,
    range: spanOf(name.range, expression.range),
  }
}

function parseBlock(reader: Reader, type: Token): Block {
  const labels: Label[] = []
  for (;;) {
    const token = reader.peek()
    if (token.kind === '{') break
    reader.checkDepth(labels.length)
    if (token.kind === 'identifier') {
      reader.read()
      labels.push({ value: token.text, range: token.range })
    } else if (token.kind === 'open-quote') {
      labels.push(parseQuotedLabel(reader))
    } else {
      failHeader(reader, token)
    }
  }
  const header = spanOf(type.range, reader.last.range)
  const opening = reader.read()
  const next = reader.peek().kind
  const body = reader.nested(() =>
    next === 'newline' || next === 'end' || next === '}'
      ? parseBody(reader, '}', opening)
      : parseOneLineBody(reader, opening),
  )
  const end = reader.peek()
  if (end.kind !== 'newline' && end.kind !== 'end') {
    reader.fail(
      'Missing newline after block definition',
      'A block definition must end with a newline.',
      end.range,
    )
  }
  return {
    kind: 'block',
    type: type.text,
    typeRange: type.range,
    labels,
    body,
    range: header,
  }
}

function failHeader(reader: Reader, token: Token): never {
  const summary = 'Invalid block definition'
  if (token.kind === '=' || token.kind === 'newline') {
    reader.report(
      summary,
      token.kind === '='
        ? 'The equals sign "=" indicates an argument definition, and must not be used when defining a block.'
        : 'A block definition must have block content delimited by "{" and "}", starting on the same line as the block header.',
      token.range,
    )
    throw new ParsingAborted()
  }
  return reader.fail(
    summary,
    'Either a quoted string block label or an opening brace ("{") is expected here.',
    token.range,
  )
}

/** Parses a quoted label. Escapes are allowed; template sequences are not. */
function parseQuotedLabel(reader: Reader): Label {
  const opening = reader.read()
  let value = ''
  for (;;) {
    const token = reader.read()
    switch (token.kind) {
      case 'close-quote':
        return { value, range: spanOf(opening.range, token.range) }
      case 'quoted-text':
        value += decodeQuoted(reader, token)
        break
      case 'interpolation':
      case 'directive': {
        const sign = token.text[0]
        return reader.fail(
          'Invalid string literal',
          `Template sequences are not allowed in this string. To include a literal "${sign}", double it (as "${sign}${sign}") to escape it.`,
          token.range,
        )
      }
      case 'end':
        return reader.fail(
          'Unterminated string literal',
          'Unable to find the closing quote mark before the end of the file.',
          token.range,
        )
      default:
        return reader.fail(
          'Invalid string literal',
          'This item is not valid in a string literal.',
          token.range,
        )
    }
  }
}

/**
 * Parses `{ name = expression }`: a block on one line, which contains exactly one argument. Reports
 * any other content and aborts the item.
 */
function parseOneLineBody(reader: Reader, opening: Token): Body {
  const name = reader.peek()
  if (name.kind !== 'identifier') return reader.fail(ITEM_REQUIRED, ITEM_DETAIL, name.range)
  reader.read()
  const next = reader.peek()
  if (next.kind === 'open-quote' || next.kind === '{' || next.kind === 'identifier') {
    reader.report(
      'Argument definition required',
      `A single-line block definition can contain only a single argument. If you meant to define argument ${JSON.stringify(name.text)}, use an equals sign to assign it a value. To define a nested block, place it on a line of its own within its parent block.`,
      spanOf(name.range, next.range),
    )
    throw new ParsingAborted()
  }
  if (next.kind !== '=') {
    reader.report(
      ITEM_REQUIRED,
      `${ITEM_DETAIL} To set an argument, use the equals sign "=" to introduce the argument value.`,
      name.range,
    )
    throw new ParsingAborted()
  }
  const attribute = parseAssignment(reader, name)
  const closing = reader.peek()
  if (closing.kind !== '}') failOneLine(reader, closing, opening)
  reader.read()
  return { items: [attribute], range: spanOf(opening.range, closing.range) }
}

function failOneLine(reader: Reader, token: Token, opening: Token): never {
  const summary = 'Invalid single-argument block definition'
  switch (token.kind) {
    case 'end':
      return failUnclosed(reader, opening)
    case ',':
      return reader.fail(
        summary,
        'Single-line block syntax can include only one argument definition. To define multiple arguments, use the multi-line block syntax with one argument definition per line.',
        token.range,
      )
    case 'newline':
      return reader.fail(
        summary,
        "An argument definition on the same line as its containing block creates a single-line block definition, which must also be closed on the same line. Place the block's closing brace immediately after the argument definition.",
        token.range,
      )
  }
  return reader.fail(
    summary,
    'A single-line block definition must end with a closing brace immediately after its single argument definition.',
    token.range,
  )
}
