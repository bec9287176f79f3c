import { endOfString } from '../../json/json.ts'
import { readJson } from '../../json/reader.ts'
import type { JsonReaderOptions, JsonSyntaxError } from '../../json/reader-options.ts'
import { numberOf } from '../../kernel/integers.ts'
import type { Expression, Template, TemplateWrap } from '../syntax/ast.ts'
import { Cursor, matchAt } from '../syntax/cursor.ts'
import { diagnosticsError, type HclError } from '../syntax/error.ts'
import { type ParseOptions, parseHclTemplate } from '../syntax/parser.ts'
import { DEFAULT_MAX_DEPTH, type Position, type Range } from '../syntax/source.ts'
import { nearMiss } from '../syntax/suggestion.ts'
import { firstCharacterOf } from './evaluation.ts'

const LINE_PATTERN = /[^\n]*/y
const NUMBER = /[-+0-9.][-+0-9.eE]*/y
const WORD_PATTERN = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy
const VALUE_START_DETAIL =
  'A JSON value must start with a brace, a bracket, a number, a string, or a keyword.'

/** Words for an object and an array in messages. */
const BRACKETS = {
  object: {
    closing: '}',
    bracket: 'brace',
    other: 'bracket',
    summary: 'Mismatched braces',
    member: 'property',
    separates: 'each property definition in an object',
  },
  array: {
    closing: ']',
    bracket: 'bracket',
    other: 'brace',
    summary: 'Mismatched brackets',
    member: 'value',
    separates: 'each value in an array',
  },
} as const

/**
 * Parses JSON as expressions of the language: objects, tuples, literals, and strings as templates
 * that also keep their text (`verbatim`).
 *
 * @throws HclError with the first problem
 */
export function readJsonExpression(text: string, options: ParseOptions): Expression {
  const { file = 'input.hcl', maxDepth = DEFAULT_MAX_DEPTH } = options
  const cursor = new Cursor(text)
  const range = (start: Position, end: Position): Range => ({ file, start, end })
  const readerOptions: JsonReaderOptions<Expression, Template | TemplateWrap, Position> = {
    maxDepth,
    toleratesBadKeys: true,
    forbiddenAfterNumber: /[-+0-9.eE]/,
    forbiddenAfterWord: /[\p{ID_Continue}-]/u,
    isForbidden: (code) => code < 0x20,
    mark(offset) {
      cursor.moveTo(offset)
      return cursor.position
    },
    string: (value, from, to) => parseStringTemplate(value, range(from, to), options),
    key: (value, from, to) => parseStringTemplate(value, range(from, to), options),
    number(literal, from, to) {
      const value = numberOf(literal)
      if (Number.isFinite(Number(value))) return { kind: 'literal', value, range: range(from, to) }
      throw invalidNumber(range(from, to))
    },
    word: (value, from, to) => ({ kind: 'literal', value, range: range(from, to) }),
    array: (items, from, to) => ({ kind: 'tuple', items, range: range(from, to) }),
    object: (keys, values, from, to) => ({
      kind: 'object',
      entries: values.flatMap((value, at) => {
        const key = keys[at]
        return key === undefined ? [] : [{ key, value }]
      }),
      range: range(from, to),
    }),
    error: (syntaxError) => new ReaderProblem(syntaxError, file).error(maxDepth),
  }
  return readJson(text, readerOptions)
}

function parseStringTemplate(
  text: string,
  range: Range,
  options: ParseOptions,
): Template | TemplateWrap {
  const verbatim = text.normalize('NFC')
  if (!/[$%]\{/.test(text)) {
    const parts = [{ kind: 'literal', value: verbatim, range } as const]
    return { kind: 'template', parts, range, verbatim }
  }
  const { line, column, byte, offset } = range.start
  const at = { line, column: column + 1, byte: byte + 1, offset: offset + 1 }
  return { ...parseHclTemplate(text, at, options), range, verbatim }
}

/**
 * Translator from an error of the JSON reader to the message of HCL. The wording also depends on
 * the source text at the error.
 */
class ReaderProblem {
  readonly #error: JsonSyntaxError
  readonly #file: string
  readonly #kind: 'object' | 'array'

  constructor(syntaxError: JsonSyntaxError, file: string) {
    this.#error = syntaxError
    this.#file = file
    this.#kind = syntaxError.text[syntaxError.open] === '[' ? 'array' : 'object'
  }

  error(maxDepth: number): HclError {
    switch (this.#error.kind) {
      case 'key':
        return this.#errorAt(
          'Invalid object property name',
          'A JSON object property name must be a string',
          this.#characterRange(this.#error.token),
        )
      case 'colon':
        return this.#colon()
      case 'array':
      case 'object':
        return this.#separator()
      case 'end':
        return this.#errorAt(
          'Extraneous data after value',
          'Extra characters appear after the JSON value.',
        )
      case 'depth':
        return this.#errorAt('Nesting too deep', `More than ${maxDepth} levels are nested here.`)
      case 'string':
      case 'escape':
      case 'hexadecimal':
        return this.#errorAt(
          'Invalid JSON string',
          'There is a syntax error in the given JSON string.',
          this.#token(this.#sourceString() ?? this.#matchSource(LINE_PATTERN)),
        )
      default:
        return this.#value()
    }
  }

  #value(): HclError {
    const comma = this.#trailingComma()
    if (comma !== undefined) {
      const { member } = BRACKETS[this.#kind]
      return this.#errorAt(
        `Trailing comma in ${this.#kind}`,
        `JSON does not permit a trailing comma after the final ${member} in an ${this.#kind}.`,
        this.#characterRange(comma),
      )
    }
    const number = this.#matchSource(NUMBER)
    if (number !== undefined) return invalidNumber(this.#token(number))
    const word = this.#matchSource(WORD_PATTERN)
    if (word !== undefined) return invalidKeyword(word, this.#token(word))
    switch (this.#character) {
      case '':
        return this.#errorAt('Missing value', 'The JSON data ends prematurely.')
      case '}':
        return this.#errorAt('Missing JSON value', VALUE_START_DETAIL)
      case ']':
        return this.#errorAt('Missing array element value', VALUE_START_DETAIL)
    }
    return this.#errorAt('Invalid start of value', VALUE_START_DETAIL)
  }

  /**
   * Returns the offset of a comma right before the current closing bracket; undefined if there is
   * no such comma.
   */
  #trailingComma(): number | undefined {
    const { text, at, open } = this.#error
    if (open < 0 || this.#character !== BRACKETS[this.#kind].closing) return undefined
    const before = text.slice(open, at).trimEnd()
    return before.endsWith(',') ? open + before.length - 1 : undefined
  }

  #colon(): HclError {
    const character = this.#character
    if (character === '}' || character === ',') {
      const detail = 'A JSON object attribute must have a value, introduced by a colon.'
      return this.#errorAt('Missing object value', detail)
    }
    return this.#errorAt(
      'Missing property value colon',
      character === '='
        ? 'JSON uses a colon as its name/value delimiter, not an equals sign.'
        : "A colon must appear between an object property's name and its value.",
    )
  }

  #separator(): HclError {
    const kind = this.#kind
    const { bracket, other, summary, separates: separatedItems } = BRACKETS[kind]
    const character = this.#character
    if (character === '') {
      const detail = `No closing ${bracket} was found for this JSON ${kind}.`
      return this.#errorAt('Unclosed object', detail, this.#characterRange(this.#error.open))
    }
    if (character === '}' || character === ']') {
      const detail = `A JSON ${kind} must be closed with a ${bracket}, not a ${other}.`
      return this.#errorAt(summary, detail)
    }
    if (character === ':' && kind === 'array') {
      const detail = 'A colon is not used to introduce values in a JSON array.'
      return this.#errorAt('Invalid array value', detail)
    }
    // The misspelling is the reference's.
    return this.#errorAt(
      'Missing attribute seperator comma',
      `A comma must appear between ${separatedItems}.`,
    )
  }

  get #character(): string {
    return this.#error.text.charAt(this.#error.at)
  }

  /**
   * Returns the source text that matches `form` at the start of the token with the error; undefined
   * if `form` does not match there.
   */
  #matchSource(form: RegExp): string | undefined {
    return matchAt(form, this.#error.text, this.#error.token)?.[0]
  }

  /**
   * Returns the string that starts at the token; undefined if the token is not a string or the line
   * ends before its closing quote.
   */
  #sourceString(): string | undefined {
    const { text, token } = this.#error
    const end = text[token] === '"' ? endOfString(text, token, true) : -1
    return end < 0 ? undefined : text.slice(token, end + 1)
  }

  #token(source = ''): Range {
    const { token } = this.#error
    return this.#range(token, token + source.length)
  }

  /** Returns the range of a single character, which is empty at the end of the text. */
  #characterRange(offset: number): Range {
    const emptyRange = this.#range(offset, offset)
    return offset < this.#error.text.length ? firstCharacterOf(emptyRange) : emptyRange
  }

  #range(from: number, to: number): Range {
    const cursor = new Cursor(this.#error.text)
    cursor.moveTo(from)
    const start = cursor.position
    cursor.moveTo(to)
    return { file: this.#file, start, end: cursor.position }
  }

  #errorAt(summary: string, detail: string, range = this.#characterRange(this.#error.at)) {
    return diagnosticsError({ summary, detail, range })
  }
}

function invalidNumber(range: Range): HclError {
  const detail = 'There is a syntax error in the given JSON number.'
  return diagnosticsError({ summary: 'Invalid JSON number', detail, range })
}

function invalidKeyword(word: string, range: Range): HclError {
  const quoted = JSON.stringify(word)
  const suggestion = nearMiss(word, ['true', 'false', 'null'])
  const advice = suggestion === undefined ? '' : ` Did you mean ${JSON.stringify(suggestion)}?`
  const detail = /^(?:undefined|NaN|Infinity)$/.test(word)
    ? `The JavaScript identifier ${quoted} cannot be used in JSON.`
    : `${quoted} is not a valid JSON keyword.${advice}`
  return diagnosticsError({ summary: 'Invalid JSON keyword', detail, range })
}
