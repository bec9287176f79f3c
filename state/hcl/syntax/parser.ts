import type { Body, Expression, Template, TemplateWrap } from './ast.ts'
import { parseBody } from './body.ts'
import { HclError } from './error.ts'
import { parseExpression } from './expressions.ts'
import { ParsingAborted, Reader } from './reader.ts'
import type { ParseLimits, Position } from './source.ts'
import { parseBareTemplate } from './templates.ts'

export interface ParseOptions extends ParseLimits {
  /** Name of the text in messages. Default `input.hcl`. */
  readonly file?: string
}

/**
 * Parses HCL2 native syntax: job files, variable files, test files (behaviour/scheduler#job-files).
 *
 * @returns the body of the file, with items in source order and expressions that are not evaluated
 * @throws HclError `<range>: <summary>; <detail>`; its `diagnostics` are all problems found
 */
export function parseHcl(text: string, options: ParseOptions = {}): Body {
  return run(text, options, (reader) => parseBody(reader, 'end'))
}

/**
 * Parses a text that consists of a single HCL2 expression. Line breaks are ignored. Throws an
 * HclError as `parseHcl` does.
 */
export function parseHclExpression(text: string, options: ParseOptions = {}): Expression {
  return run(text, options, (reader) =>
    reader.withNewlines(false, () => {
      const expression = parseExpression(reader)
      const next = reader.peek()
      if (next.kind === 'end') return expression
      return reader.fail(
        'Extra characters after expression',
        'An expression was successfully parsed, but extra characters were found after it.',
        next.range,
      )
    }),
  )
}

/**
 * Parses a text that is a template; `at` is its position in the file. Throws an HclError as
 * `parseHcl` does.
 */
export function parseHclTemplate(
  text: string,
  at: Position,
  options: ParseOptions = {},
): Template | TemplateWrap {
  return run(text, options, (reader) => parseBareTemplate(reader, parseExpression), at)
}

function run<T>(
  text: string,
  options: ParseOptions,
  parse: (reader: Reader) => T,
  templateAt?: Position,
): T {
  const { file = 'input.hcl', ...limits } = options
  const reader = new Reader(text, file, limits, templateAt)
  let result: T | undefined
  try {
    result = parse(reader)
  } catch (error) {
    if (!(error instanceof ParsingAborted)) throw error
  }
  reader.throwProblems()
  if (result === undefined) throw new HclError('Invalid document', [])
  return result
}
