import type {
  Expression,
  ObjectEntry,
  ObjectExpression,
  Template,
  TemplateWrap,
} from '../syntax/ast.ts'
import { Cursor } from '../syntax/cursor.ts'
import { diagnosticsError, type HclError } from '../syntax/error.ts'
import { type ParseOptions, parseHclTemplate } from '../syntax/parser.ts'
import { DEFAULT_MAX_DEPTH, type Position, type Range, spanning } from '../syntax/source.ts'
import { nearMiss } from '../syntax/suggestion.ts'
import { firstOf } from './evaluation.ts'

const BLANK = /[ \t\n\r]+/y
const STRING = /"(?:[^"\\\n]|\\[^\n])*"/y
const NUMBER = /[-+0-9.][-+0-9.eE]*/y
const JSON_NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/
const WORD = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy
const VALUE = 'A JSON value must start with a brace, a bracket, a number, a string, or a keyword.'
const KEYWORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** What brackets of one kind hold, for messages. */
const BRACKETS = {
  '}': {
    noun: 'object',
    bracket: 'brace',
    other: 'bracket',
    summary: 'Mismatched braces',
    member: 'property',
    between: 'each property definition in an object',
  },
  ']': {
    noun: 'array',
    bracket: 'bracket',
    other: 'brace',
    summary: 'Mismatched brackets',
    member: 'value',
    between: 'each value in an array',
  },
} as const

/**
 * Reads JSON as expressions of the language: objects, tuples, literals, and strings as templates
 * that also keep their text (`verbatim`).
 */
export class JsonParser {
  readonly #cursor: Cursor
  readonly #options: ParseOptions
  readonly #file: string
  #depth = 0

  constructor(text: string, options: ParseOptions) {
    this.#cursor = new Cursor(text)
    this.#options = options
    this.#file = options.file ?? 'input.hcl'
  }

  /** @throws HclError the first problem */
  whole(): Expression {
    this.#blank()
    const value = this.#value()
    this.#blank()
    if (this.#cursor.character !== '') {
      throw this.#fault(
        'Extraneous data after value',
        'Extra characters appear after the JSON value.',
      )
    }
    return value
  }

  #value(): Expression {
    const { character } = this.#cursor
    switch (character) {
      case '{':
        return this.#object()
      case '[': {
        const items: Expression[] = []
        const range = this.#members(']', () => items.push(this.#value()))
        return { kind: 'tuple', items, range }
      }
      case '"': {
        const { value, range } = this.#string()
        return this.#template(value, range)
      }
      case '':
        throw this.#fault('Missing value', 'The JSON data ends prematurely.')
      case '}':
        throw this.#fault('Missing JSON value', VALUE)
      case ']':
        throw this.#fault('Missing array element value', VALUE)
    }
    const start = this.#cursor.position
    const number = this.#cursor.match(NUMBER)
    if (number !== undefined) return this.#number(number, this.#from(start))
    const word = this.#cursor.match(WORD)
    if (word !== undefined) return this.#keyword(word, this.#from(start))
    throw this.#fault('Invalid start of value', VALUE)
  }

  #object(): ObjectExpression {
    const entries: ObjectEntry[] = []
    const range = this.#members('}', () => {
      if (this.#cursor.character !== '"') {
        const { range } = this.#value()
        const detail = 'A JSON object property name must be a string'
        throw this.#fault('Invalid object property name', detail, firstOf(range))
      }
      const name = this.#string()
      this.#colon()
      const key = this.#template(name.value, name.range)
      entries.push({ key, value: this.#value() })
    })
    return { kind: 'object', entries, range }
  }

  #colon(): void {
    this.#blank()
    const { character } = this.#cursor
    if (character === '}' || character === ',') {
      const detail = 'A JSON object attribute must have a value, introduced by a colon.'
      throw this.#fault('Missing object value', detail)
    }
    if (character !== ':') {
      throw this.#fault(
        'Missing property value colon',
        character === '='
          ? 'JSON uses a colon as its name/value delimiter, not an equals sign.'
          : "A colon must appear between an object property's name and its value.",
      )
    }
    this.#step()
    this.#blank()
  }

  /** Runs `member` for what is between the bracket at hand and its closing one. */
  #members(closing: '}' | ']', member: () => void): Range {
    const { maxDepth = DEFAULT_MAX_DEPTH } = this.#options
    if (this.#depth >= maxDepth) {
      throw this.#fault('Nesting too deep', `More than ${maxDepth} levels are nested here.`)
    }
    this.#depth++
    const start = this.#cursor.position
    this.#step()
    this.#blank()
    while (this.#cursor.character !== closing) {
      member()
      this.#blank()
      this.#separator(closing, this.#from(start))
    }
    this.#step()
    this.#depth--
    return this.#from(start)
  }

  /** A comma that something follows, or the closing bracket, which is left to be read. */
  #separator(closing: '}' | ']', all: Range): void {
    const { noun, bracket, other, summary, member, between } = BRACKETS[closing]
    const { character } = this.#cursor
    if (character === closing) return
    if (character === ',') {
      const comma = this.#here()
      this.#step()
      this.#blank()
      if (this.#cursor.character !== closing) return
      const detail = `JSON does not permit a trailing comma after the final ${member} in an ${noun}.`
      throw this.#fault(`Trailing comma in ${noun}`, detail, comma)
    }
    if (character === '') {
      const detail = `No closing ${bracket} was found for this JSON ${noun}.`
      throw this.#fault('Unclosed object', detail, firstOf(all))
    }
    if (character === '}' || character === ']') {
      throw this.#fault(summary, `A JSON ${noun} must be closed with a ${bracket}, not a ${other}.`)
    }
    if (character === ':' && closing === ']') {
      const detail = 'A colon is not used to introduce values in a JSON array.'
      throw this.#fault('Invalid array value', detail)
    }
    // The spelling is the reference's.
    throw this.#fault(
      'Missing attribute seperator comma',
      `A comma must appear between ${between}.`,
    )
  }

  #string(): { readonly value: string; readonly range: Range } {
    const start = this.#cursor.position
    const source = this.#cursor.match(STRING)
    if (source === undefined) this.#cursor.moveTo(this.#lineEnd())
    const range = this.#from(start)
    const value = source === undefined ? undefined : unquote(source)
    if (value === undefined) {
      const detail = 'There is a syntax error in the given JSON string.'
      throw this.#fault('Invalid JSON string', detail, range)
    }
    return { value, range }
  }

  #lineEnd(): number {
    const { text, offset } = this.#cursor
    const end = text.indexOf('\n', offset)
    return end < 0 ? text.length : end
  }

  #template(text: string, range: Range): Template | TemplateWrap {
    const verbatim = text.normalize('NFC')
    if (!/[$%]\{/.test(text)) {
      const parts = [{ kind: 'literal', value: verbatim, range } as const]
      return { kind: 'template', parts, range, verbatim }
    }
    const { line, column, byte, offset } = range.start
    const at = { line, column: column + 1, byte: byte + 1, offset: offset + 1 }
    return { ...parseHclTemplate(text, at, this.#options), range, verbatim }
  }

  #number(text: string, range: Range): Expression {
    const value = Number(text)
    if (JSON_NUMBER.test(text) && Number.isFinite(value)) {
      return { kind: 'literal', value: value + 0, range }
    }
    const detail = 'There is a syntax error in the given JSON number.'
    throw this.#fault('Invalid JSON number', detail, range)
  }

  #keyword(word: string, range: Range): Expression {
    const value = KEYWORDS.get(word)
    if (value !== undefined) return { kind: 'literal', value, range }
    const quoted = JSON.stringify(word)
    if (word === 'undefined' || word === 'NaN' || word === 'Infinity') {
      const detail = `The JavaScript identifier ${quoted} cannot be used in JSON.`
      throw this.#fault('Invalid JSON keyword', detail, range)
    }
    const meant = nearMiss(word, [...KEYWORDS.keys()])
    const advice = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`
    throw this.#fault(
      'Invalid JSON keyword',
      `${quoted} is not a valid JSON keyword.${advice}`,
      range,
    )
  }

  #blank(): void {
    this.#cursor.match(BLANK)
  }

  #step(): void {
    this.#cursor.moveTo(this.#cursor.offset + 1)
  }

  #from(start: Position): Range {
    return { file: this.#file, start, end: this.#cursor.position }
  }

  /** The character at the cursor, or the empty range at the end of the text. */
  #here(): Range {
    const at = this.#from(this.#cursor.position)
    return this.#cursor.character === '' ? at : spanning(at, firstOf(at))
  }

  #fault(summary: string, detail: string, range: Range = this.#here()): HclError {
    return diagnosticsError({ summary, detail, range })
  }
}

/** The string that a JSON literal stands for; undefined for one that is none. */
function unquote(source: string): string | undefined {
  try {
    const value: unknown = JSON.parse(source)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
