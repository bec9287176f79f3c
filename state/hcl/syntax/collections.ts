import type { Expression, ForExpression, ObjectEntry } from './ast.ts'
import type { Reader } from './reader.ts'
import { spanOf } from './source.ts'
import type { ParseExpression } from './template-parts.ts'
import type { Token } from './token.ts'

/**
 * Parses `[...]`, which contains items or a `for`. Line breaks inside the brackets are ignored.
 * Reports an invalid tuple and throws ParsingAborted.
 */
export function parseTuple(reader: Reader, parseExpression: ParseExpression): Expression {
  const opening = reader.read()
  return reader.withNewlines(false, () => {
    if (reader.atWord('for')) return parseFor(reader, opening, parseExpression)
    const items: Expression[] = []
    while (reader.peek().kind !== ']') {
      items.push(parseExpression(reader))
      const next = reader.peek()
      if (next.kind === ']') break
      if (next.kind === 'end') {
        return reader.fail(
          'Unterminated tuple constructor expression',
          'There is no corresponding closing bracket before the end of the file. This may be caused by incorrect bracket nesting elsewhere in this file.',
          opening.range,
        )
      }
      if (next.kind !== ',') {
        return reader.fail(
          'Missing item separator',
          'Expected a comma to mark the beginning of the next item.',
          next.range,
        )
      }
      reader.read()
    }
    return { kind: 'tuple', items, range: spanOf(opening.range, reader.read().range) }
  })
}

/**
 * Parses `{...}`, which contains a `for`, or entries that are separated by commas or line breaks.
 * Reports an invalid object and throws ParsingAborted.
 */
export function parseObject(reader: Reader, parseExpression: ParseExpression): Expression {
  const opening = reader.read()
  // Line breaks before and inside a `for` are ignored.
  const isFor = reader.withNewlines(false, () => reader.atWord('for'))
  if (isFor) return reader.withNewlines(false, () => parseFor(reader, opening, parseExpression))
  return reader.withNewlines(true, () => {
    const entries: ObjectEntry[] = []
    for (;;) {
      while (reader.accept('newline')) {
        // Skip empty lines between entries.
      }
      const closing = reader.accept('}')
      if (closing !== undefined) {
        return { kind: 'object', entries, range: spanOf(opening.range, closing.range) }
      }
      entries.push(parseEntry(reader, opening, parseExpression))
      const next = reader.peek()
      if (next.kind === ',' || next.kind === 'newline') {
        reader.read()
      } else if (next.kind === 'end') {
        failUnterminated(reader, opening)
      } else if (next.kind !== '}') {
        reader.fail(
          'Missing attribute separator',
          'Expected a newline or comma to mark the beginning of the next attribute.',
          next.range,
        )
      }
    }
  })
}

function parseEntry(reader: Reader, opening: Token, parseExpression: ParseExpression): ObjectEntry {
  const key = parseExpression(reader)
  const sign = reader.peek()
  if (sign.kind !== '=' && sign.kind !== ':') failSeparator(reader, sign, opening)
  reader.read()
  return { key: asKey(key), value: parseExpression(reader) }
}

/**
 * Returns the key of an entry. If the key is a bare word, such as the name of a variable or `null`,
 * the result is the text of the word.
 */
function asKey(key: Expression): Expression {
  if (key.kind === 'variable') return { kind: 'literal', value: key.name, range: key.range }
  if (key.kind === 'literal' && typeof key.value !== 'number') {
    return { ...key, value: String(key.value) }
  }
  return key
}

function failSeparator(reader: Reader, sign: Token, opening: Token): never {
  if (sign.kind === 'end') return failUnterminated(reader, opening)
  if (sign.kind === 'newline' || sign.kind === ',') {
    return reader.fail(
      'Missing attribute value',
      'Expected an attribute value, introduced by an equals sign ("=").',
      sign.range,
    )
  }
  const advice =
    sign.kind === 'identifier'
      ? ' If you intended to given an attribute name containing periods or spaces, write the name in quotes to create a string literal.'
      : ''
  return reader.fail(
    'Missing key/value separator',
    `Expected an equals sign ("=") to mark the beginning of the attribute value.${advice}`,
    sign.range,
  )
}

function failUnterminated(reader: Reader, opening: Token): never {
  return reader.fail(
    'Unterminated object constructor expression',
    'There is no corresponding closing brace before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.',
    opening.range,
  )
}

function parseFor(reader: Reader, opening: Token, parseExpression: ParseExpression): ForExpression {
  const fail = (detail: string): never =>
    reader.fail("Invalid 'for' expression", detail, reader.peek().range)
  const isObject = opening.kind === '{'
  reader.read()
  const name = (after: string): string =>
    reader.accept('identifier')?.text ?? fail(`For expression requires ${after}.`)
  let valueName = name("variable name after 'for'")
  let keyName: string | undefined
  if (reader.accept(',')) {
    keyName = valueName
    valueName = name('value variable name after comma')
  }
  if (!reader.atWord('in')) {
    return fail("For expression requires the 'in' keyword after its name declarations.")
  }
  reader.read()
  const collection = parseExpression(reader)
  if (!reader.accept(':')) {
    return fail('For expression requires a colon after the collection expression.')
  }
  let value = parseExpression(reader)
  let key: Expression | undefined
  if (reader.accept('=>')) {
    key = value
    value = parseExpression(reader)
  }
  const isGrouped = reader.peek().kind === '...'
  if (isGrouped) {
    if (!isObject) return fail('Grouping ellipsis (...) cannot be used when building a tuple.')
    reader.read()
  }
  let condition: Expression | undefined
  if (reader.atWord('if')) {
    reader.read()
    condition = parseExpression(reader)
  }
  const closing = reader.accept(isObject ? '}' : ']')
  if (closing === undefined) return fail("Extra characters after the end of the 'for' expression.")
  const problem = "Invalid 'for' expression"
  if (key === undefined && isObject) {
    const detail = 'Key expression is required when building an object.'
    reader.report(problem, detail, value.range)
  }
  if (key !== undefined && !isObject) {
    reader.report(problem, 'Key expression is not valid when building a tuple.', key.range)
  }
  return {
    kind: 'for',
    ...(keyName !== undefined && { keyName }),
    valueName,
    collection,
    ...(key && { key }),
    value,
    ...(condition && { condition }),
    isGrouped,
    range: spanOf(opening.range, closing.range),
  }
}
