import type { Expression } from './ast.ts'
import { ParsingAborted, type Reader } from './reader.ts'
import { type Range, spanOf } from './source.ts'
import { decodeQuoted, normalizeText, unescapeTemplateMarkers } from './strings.ts'
import { nearMiss } from './suggestion.ts'
import type { Token } from './token.ts'

/** A piece of a template, before directives and their ends are matched. */
export type Part =
  | { readonly kind: 'text'; value: string; readonly range: Range }
  | { readonly kind: 'value'; readonly expression: Expression; readonly range: Range }
  | { readonly kind: 'if'; readonly condition: Expression; readonly range: Range }
  | ForPart
  | { readonly kind: 'else' | 'endif' | 'endfor' | 'end'; readonly range: Range }

/** `%{ for key, value in collection }`. */
export interface ForPart {
  readonly kind: 'for'
  readonly keyName?: string
  readonly valueName: string
  readonly collection: Expression
  readonly range: Range
}

/**
 * Function that parses an expression at the reader's position. The function is a parameter because
 * templates and expressions contain each other.
 */
export type ParseExpression = (reader: Reader) => Expression

const KEYWORDS = ['if', 'for', 'else', 'endif', 'endfor']

const EXTRA_CHARACTERS_DETAIL = `Expected a closing brace to end the interpolation expression, but found extra characters.

This can happen when you include interpolation syntax for another language, such as shell scripting, but forget to escape the interpolation start token. If this is an embedded sequence for another language, escape it by starting with "$\${" instead of just "\${".`

/** Kind of the token that closes a template; `end` for a template without quotes. */
type TemplateEnd = 'close-quote' | 'close-heredoc' | 'end'

/**
 * Reads the parts of a template. The token that closes the template becomes a part of kind `end`.
 *
 * @param firstToken the first token of the template, if it has already been read
 */
export function readParts(
  reader: Reader,
  closing: TemplateEnd,
  parseExpression: ParseExpression,
  firstToken?: Token,
): Part[] {
  const parts: Part[] = []
  const first = firstToken ?? reader.peek()
  if (firstToken !== undefined) parts.push(textPart(reader, firstToken, false))
  let trimsStart = false
  let directiveDepth = 0
  for (;;) {
    const token = reader.read()
    const trim = trimsStart
    trimsStart = false
    switch (token.kind) {
      case closing:
        parts.push({ kind: 'end', range: token.range })
        return parts
      case 'quoted-text':
      case 'heredoc-text':
        parts.push(textPart(reader, token, trim))
        break
      case 'interpolation':
      case 'directive': {
        const open = reader.openBrackets - 1
        try {
          const part = reader.withNewlines(false, () =>
            token.kind === 'directive'
              ? readDirective(reader, token, parseExpression)
              : readInterpolation(reader, token, { first, closing }, parseExpression),
          )
          parts.push(part)
          if (part.kind === 'if' || part.kind === 'for') reader.checkDepth(++directiveDepth)
          else if (part.kind === 'endif' || part.kind === 'endfor') directiveDepth--
        } catch (error) {
          if (!(error instanceof ParsingAborted)) throw error
          reader.skipBracket(open)
        }
        trimsStart = reader.last.kind === 'sequence-end' && reader.last.text === '~}'
        break
      }
      default:
        return reader.fail(
          'Unterminated template string',
          'No closing marker was found for the string.',
          token.range,
        )
    }
  }
}

/**
 * Returns a text part. A `~` before or after the text removes the white space at that end of the
 * text, but only within this token.
 */
function textPart(reader: Reader, token: Token, trimsStart: boolean): Part {
  const isQuoted = token.kind === 'quoted-text'
  let value = isQuoted
    ? decodeQuoted(reader, token)
    : normalizeText(unescapeTemplateMarkers(token.text))
  if (trimsStart) value = value.trimStart()
  const next = reader.peek()
  if ((next.kind === 'interpolation' || next.kind === 'directive') && next.text.length === 3) {
    value = value.trimEnd()
  }
  return { kind: 'text', value, range: token.range }
}

function readInterpolation(
  reader: Reader,
  opening: Token,
  template: { readonly first: Token; readonly closing: TemplateEnd },
  parseExpression: ParseExpression,
): Part {
  const expression = parseExpression(reader)
  const token = reader.peek()
  if (token.kind === 'sequence-end') {
    reader.read()
    return { kind: 'value', expression, range: spanOf(opening.range, token.range) }
  }
  const unclosed = (before: string): never =>
    reader.fail(
      'Unclosed template interpolation sequence',
      `There is no closing brace for this interpolation sequence before the end of the ${before}. This might be caused by incorrect nesting inside the given expression.`,
      // The real parser reports the start of the template, not the sequence.
      template.first.range,
    )
  if (token.kind === 'end') return unclosed('file')
  if (token.kind === 'open-quote' && template.closing === 'close-quote')
    return unclosed('quoted template')
  return reader.fail(
    'Extra characters after interpolation expression',
    token.kind === ':'
      ? 'Template interpolation doesn\'t expect a colon at this location. Did you intend this to be a literal sequence to be processed as part of another language? If so, you can escape it by starting with "$${" instead of just "${".'
      : EXTRA_CHARACTERS_DETAIL,
    token.range,
  )
}

function readDirective(reader: Reader, opening: Token, parseExpression: ParseExpression): Part {
  const keyword = reader.peek()
  if (keyword.kind !== 'identifier') {
    return reader.fail(
      'Invalid template directive',
      'A template directive keyword ("if", "for", etc) is expected at the beginning of a %{ sequence.',
      keyword.range,
    )
  }
  reader.read()
  // Reads the closing brace of the directive and returns the range of the whole directive.
  const closeDirective = (): Range => {
    const end = reader.peek()
    if (end.kind === 'sequence-end') {
      reader.read()
    } else {
      if (!reader.isRecovering) {
        reader.report(
          `Extra characters in ${keyword.text} marker`,
          'Expected a closing brace to end the sequence, but found extra characters.',
          end.range,
        )
      }
      reader.skipBracket(reader.openBrackets - 1)
    }
    return spanOf(opening.range, end.range)
  }
  switch (keyword.text) {
    case 'if': {
      const condition = parseCondition(reader, keyword, parseExpression)
      return { kind: 'if', condition, range: closeDirective() }
    }
    case 'for':
      return { ...readFor(reader, parseExpression), range: closeDirective() }
    case 'else':
    case 'endif':
    case 'endfor':
      return { kind: keyword.text, range: closeDirective() }
  }
  const suggestion = nearMiss(keyword.text, KEYWORDS)
  return reader.fail(
    'Invalid template control keyword',
    `${JSON.stringify(keyword.text)} is not a valid template control keyword.` +
      (suggestion === undefined ? '' : ` Did you mean ${JSON.stringify(suggestion)}?`),
    keyword.range,
  )
}

/**
 * Parses the condition of an `if`. Returns a literal null for a condition that cannot be parsed,
 * because the `if` still needs its `endif`.
 */
function parseCondition(reader: Reader, at: Token, parseExpression: ParseExpression): Expression {
  const open = reader.openBrackets
  try {
    return parseExpression(reader)
  } catch (error) {
    if (!(error instanceof ParsingAborted)) throw error
    // Skip to the closing brace of the directive, which is read later.
    while (reader.peek().kind !== 'end') {
      if (reader.openBrackets <= open && reader.peek().kind === 'sequence-end') break
      reader.read()
    }
    return { kind: 'literal', value: null, range: at.range }
  }
}

function readFor(reader: Reader, parseExpression: ParseExpression): Omit<ForPart, 'range'> {
  const name = (): string =>
    reader.accept('identifier')?.text ??
    reader.fail(
      "Invalid 'for' directive",
      "For directive requires variable name after 'for'.",
      reader.peek().range,
    )
  let valueName = name()
  let keyName: string | undefined
  if (reader.accept(',')) {
    keyName = valueName
    valueName = name()
  }
  if (!reader.atWord('in')) {
    return reader.fail(
      "Invalid 'for' directive",
      "For directive requires 'in' keyword after names.",
      reader.peek().range,
    )
  }
  reader.read()
  const collection = parseExpression(reader)
  return { kind: 'for', ...(keyName !== undefined && { keyName }), valueName, collection }
}

/**
 * Removes the common indentation of all lines from a `<<-` heredoc. The white space next to `~` was
 * removed earlier. A line after `~}` has lost the line break before it, so it belongs to the
 * previous line and keeps its indentation.
 */
export function unindent(parts: readonly Part[]): void {
  let indentation = Number.POSITIVE_INFINITY
  const lines: { value: string }[] = []
  let isLineStart = true
  for (const part of parts) {
    if (isLineStart && part.kind !== 'end') {
      isLineStart = false
      const text = part.kind === 'text' ? part.value : ''
      const lineIndentation = text.length - text.trimStart().length
      const isBlank = lineIndentation === text.length && text.endsWith('\n')
      if (!isBlank) {
        indentation = Math.min(indentation, lineIndentation)
        if (part.kind === 'text') lines.push(part)
      }
    }
    if (part.kind === 'text' && part.value.endsWith('\n')) isLineStart = true
  }
  for (const line of lines) line.value = line.value.slice(indentation)
}
