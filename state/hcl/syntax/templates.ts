import type { Expression, Template, TemplateWrap } from './ast.ts'
import type { Reader } from './reader.ts'
import { formatRange, type Range, rangeAfter, spanOf } from './source.ts'
import { decodeQuoted } from './strings.ts'
import {
  type ForPart,
  type ParseExpression,
  type Part,
  readParts,
  unindent,
} from './template-parts.ts'

/**
 * Parses a quoted template or heredoc whose opening token is the next token. Reports an
 * unterminated template and throws ParsingAborted.
 */
export function parseTemplate(
  reader: Reader,
  parseExpression: ParseExpression,
): Template | TemplateWrap {
  const opening = reader.read()
  const text = opening.kind === 'open-quote' ? reader.accept('quoted-text') : undefined
  const end = text === undefined ? undefined : reader.accept('close-quote')
  if (text !== undefined && end !== undefined) {
    const value = decodeQuoted(reader, text)
    const literal: Expression = { kind: 'literal', value, range: text.range }
    return { kind: 'template', parts: [literal], range: spanOf(opening.range, end.range) }
  }
  const closing = opening.kind === 'open-heredoc' ? 'close-heredoc' : 'close-quote'
  const parts = readParts(reader, closing, parseExpression, text)
  if (opening.text.startsWith('<<-')) unindent(parts)
  return assemble(reader, parts, spanOf(opening.range, reader.last.range))
}

/** Parses a template without quotes, which is a string of the JSON syntax. */
export function parseBareTemplate(
  reader: Reader,
  parseExpression: ParseExpression,
): Template | TemplateWrap {
  const { start } = reader.peek().range
  const parts = readParts(reader, 'end', parseExpression)
  const { file, end } = reader.last.range
  return assemble(reader, parts, { file, start, end })
}

function assemble(reader: Reader, parts: readonly Part[], range: Range): Template | TemplateWrap {
  const [firstPart, end] = parts
  // A template that consists of a single sequence has the value and the type of that sequence. A
  // heredoc also contains a line break, so it is always a string.
  if (firstPart?.kind === 'value' && end?.kind === 'end') {
    return { kind: 'template-wrap', expression: firstPart.expression, range }
  }
  return { ...new TemplateBuilder(reader, parts).whole(), range }
}

/** Builder of a template's tree. Matches directives with their ends. */
class TemplateBuilder {
  readonly #reader: Reader
  readonly #parts: readonly Part[]
  #index = 0

  constructor(reader: Reader, parts: readonly Part[]) {
    this.#reader = reader
    this.#parts = parts
  }

  /**
   * Returns the template that consists of all parts. An `else` or end directive that belongs to no
   * open directive is reported and skipped.
   */
  whole(): Template {
    const found: Expression[] = []
    for (;;) {
      const part = this.#next()
      if (part === undefined || part.kind === 'end') {
        // As in the product, the range of an empty template is after the closing quote.
        return createTemplate(found, part && rangeAfter(part.range, part.range))
      }
      const expression = this.#expression(part)
      if (expression !== undefined) append(found, expression)
      else {
        const detail = 'The control directives within this template are unbalanced.'
        this.#reader.report(`Unexpected ${part.kind} directive`, detail, part.range)
      }
    }
  }

  #next(): Part | undefined {
    return this.#parts[this.#index++]
  }

  /**
   * Returns the expression that starts with this part; undefined for a part that ends an enclosing
   * directive.
   */
  #expression(part: Part): Expression | undefined {
    switch (part.kind) {
      case 'text':
        return { kind: 'literal', value: part.value, range: part.range }
      case 'value':
        return part.expression
      case 'if':
        return this.#reader.nested(() => this.#if(part.condition, part.range))
      case 'for':
        return this.#reader.nested(() => this.#for(part))
    }
    return undefined
  }

  #if(condition: Expression, start: Range): Expression {
    const then: Expression[] = []
    const otherwise: Expression[] = []
    let current = then
    let elseRange: Range | undefined
    for (;;) {
      const part = this.#next()
      const expression = part && this.#expression(part)
      if (expression !== undefined) {
        append(current, expression)
        continue
      }
      if (part?.kind === 'else' && current === then) {
        current = otherwise
        elseRange = part.range
        continue
      }
      if (part?.kind !== 'endif') this.#unclosed('if', start, part)
      const end = part?.range ?? start
      return {
        kind: 'conditional',
        condition,
        whenTrue: createTemplate(then, elseRange ?? end),
        whenFalse: createTemplate(otherwise, end),
        range: spanOf(start, end),
      }
    }
  }

  #for({ kind: _, range: start, ...head }: ForPart): Expression {
    const found: Expression[] = []
    for (;;) {
      const part = this.#next()
      const expression = part && this.#expression(part)
      if (expression !== undefined) {
        append(found, expression)
        continue
      }
      if (part?.kind !== 'endfor') this.#unclosed('for', start, part)
      const range = spanOf(start, part?.range ?? start)
      const value = createTemplate(found, part?.range)
      const tuple = { kind: 'for', ...head, value, isGrouped: false, range } as const
      return { kind: 'template-join', tuple, range }
    }
  }

  #unclosed(directive: 'if' | 'for', start: Range, part: Part | undefined): void {
    const place = formatRange(start)
    if (part === undefined || part.kind === 'end') {
      // The end of the template also ends the enclosing directives.
      this.#index--
      this.#reader.report(
        'Unexpected end of template',
        `The ${directive} directive at ${place} is missing its corresponding end${directive} directive.`,
        part?.range ?? start,
      )
      return
    }
    const isElse = part.kind === 'else'
    let detail: string
    if (directive === 'for') {
      detail = isElse
        ? 'An else clause is not expected for a for directive.'
        : `Expecting an endfor directive corresponding to the for directive at ${place}.`
    } else {
      detail = isElse
        ? `Already in the else clause for the if started at ${place}.`
        : `Expecting an endif directive for the if started at ${place}.`
    }
    this.#reader.report(`Unexpected ${part.kind} directive`, detail, part.range)
  }
}

/** Appends a part. Consecutive texts become one text. */
function append(found: Expression[], part: Expression): void {
  const before = found[found.length - 1]
  if (
    part.kind === 'literal' &&
    before?.kind === 'literal' &&
    typeof part.value === 'string' &&
    typeof before.value === 'string'
  ) {
    const value = before.value + part.value
    found[found.length - 1] = { ...before, value, range: spanOf(before.range, part.range) }
  } else {
    found.push(part)
  }
}

/**
 * Returns a template with these parts. If there are no parts, adds an empty literal, whose range is
 * the start of `next`.
 */
function createTemplate(parts: readonly Expression[], next: Range | undefined): Template {
  const first = parts[0]
  const last = parts[parts.length - 1]
  if (first !== undefined && last !== undefined) {
    return { kind: 'template', parts, range: spanOf(first.range, last.range) }
  }
  const place = next?.start ?? { line: 1, column: 1, byte: 0, offset: 0 }
  const range = { file: next?.file ?? '', start: place, end: place }
  return { kind: 'template', parts: [{ kind: 'literal', value: '', range }], range }
}
