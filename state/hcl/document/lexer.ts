import { Cursor } from '../syntax/cursor.ts'
import { type HclError, positionError } from '../syntax/error.ts'
import type { Position } from '../syntax/source.ts'

/** Kinds of tokens. The names are those in messages of the real parser. */
export type DocumentTokenKind =
  | 'EOF'
  | 'IDENT'
  | 'NUMBER'
  | 'FLOAT'
  | 'BOOL'
  | 'STRING'
  | 'HEREDOC'
  | 'LBRACK'
  | 'RBRACK'
  | 'LBRACE'
  | 'RBRACE'
  | 'COMMA'
  | 'PERIOD'
  | 'ASSIGN'
  | 'ADD'
  | 'SUB'

export interface DocumentToken {
  readonly kind: DocumentTokenKind
  /** Source text of the token. */
  readonly text: string
  /**
   * Decoded value: a number, a boolean, or the text of any other token without quotes and escapes.
   */
  readonly value: string | number | boolean
  readonly position: Position
}

const BLANK = /[ \t\n\r]+/y
const COMMENT = /#[^\n]*|\/\/[^\n]*/y
const IDENTIFIER = /[\p{L}_][\p{L}\p{Nd}_.-]*/uy
const HEX = /-?0[xX][0-9a-fA-F]*/y
const NUMBER_START = /[-.0-9]/
const NUMBER = /(?:-?[0-9]+|(?=\.[0-9]))(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?/y
const ANCHOR = /[\p{L}\p{Nd}_]*/uy
const SIGNS: ReadonlyMap<string, DocumentTokenKind> = new Map([
  ['[', 'LBRACK'],
  [']', 'RBRACK'],
  ['{', 'LBRACE'],
  ['}', 'RBRACE'],
  [',', 'COMMA'],
  ['.', 'PERIOD'],
  ['=', 'ASSIGN'],
  ['+', 'ADD'],
  ['-', 'SUB'],
])

/**
 * Lexer that splits HCL1 text into tokens. Comments and line breaks are skipped. A string that
 * contains a mistake is still returned as a token. As in the real scanner, `problem` is the last
 * such mistake.
 */
export class DocumentLexer {
  readonly #cursor: Cursor
  #error: { readonly problem: string; readonly position: Position } | undefined
  /** Whether the previous token is a name or a number that extends to the end of the text. */
  #isUnterminated = false

  constructor(text: string) {
    this.#cursor = new Cursor(text)
  }

  /**
   * The last mistake in a token, or undefined. This mistake takes precedence over every error of
   * the parser.
   */
  get problem(): HclError | undefined {
    return this.#error && positionError(this.#error.problem, this.#error.position)
  }

  next(): DocumentToken {
    this.#skipBlanksAndComments()
    const cursor = this.#cursor
    const position = cursor.position
    const { character } = cursor
    if (character === '') return this.#end(position)
    if (character === '\0') throw this.#problem('unexpected null character (0x00)')
    if (character === '"') return this.#string(position)
    if (character === '<') return this.#heredoc(position)
    if (NUMBER_START.test(character)) {
      const number = cursor.match(HEX) ?? cursor.match(NUMBER)
      if (number !== undefined) return this.#number(number, position)
    }
    const kind = SIGNS.get(character)
    if (kind !== undefined) {
      cursor.moveTo(cursor.offset + 1)
      return { kind, text: character, value: character, position }
    }
    const name = cursor.match(IDENTIFIER)
    if (name === undefined) throw this.#problem('illegal char')
    this.#isUnterminated = cursor.character === ''
    const isBool = name === 'true' || name === 'false'
    return {
      kind: isBool ? 'BOOL' : 'IDENT',
      text: name,
      value: isBool ? name === 'true' : name,
      position,
    }
  }

  /**
   * Skips white space and comments. Throws an HclError for a comment that is malformed or not
   * terminated.
   */
  #skipBlanksAndComments(): void {
    const cursor = this.#cursor
    for (;;) {
      switch (cursor.character) {
        case ' ':
        case '\t':
        case '\n':
        case '\r':
          cursor.match(BLANK)
          continue
        case '#':
          cursor.match(COMMENT)
          continue
        case '/':
          if (cursor.match(COMMENT) === undefined) this.#skipBlockComment()
          continue
      }
      return
    }
  }

  #skipBlockComment(): void {
    const cursor = this.#cursor
    if (cursor.text[cursor.offset + 1] !== '*') throw this.#problem("expected '/' for comment")
    const end = cursor.text.indexOf('*/', cursor.offset + 2)
    if (end < 0) throw this.#problem('comment not terminated', cursor.text.length)
    cursor.moveTo(end + 2)
  }

  /**
   * Returns the token for the end of the text. If a name or number extends to the end of the text,
   * the real scanner counts the end as another column.
   */
  #end(position: Position): DocumentToken {
    const column = position.column + (this.#isUnterminated ? 1 : 0)
    return { kind: 'EOF', text: '', value: '', position: { ...position, column } }
  }

  #number(text: string, position: Position): DocumentToken {
    this.#isUnterminated = this.#cursor.character === ''
    if (/^-?0[xX]$/.test(text)) throw this.#problem('illegal hexadecimal number')
    if (/[eE][+-]?$/.test(text) && !/[xX]/.test(text)) throw this.#problem('illegal float')
    const isFloat = /[.eE]/.test(text) && !/[xX]/.test(text)
    const value = isFloat ? Number(text) : parseInteger(text)
    if (value === undefined) throw positionError('illegal octal number', position)
    if (!Number.isFinite(value) || (!isFloat && Math.abs(value) > 2 ** 63)) {
      throw positionError(`number out of range: ${text}`, position)
    }
    return { kind: isFloat ? 'FLOAT' : 'NUMBER', text, value, position }
  }

  /**
   * Returns the token of a string. Text inside `${}`, including quotes and line breaks, is kept
   * unchanged.
   */
  #string(position: Position): DocumentToken {
    const { text } = this.#cursor
    let value = ''
    let braces = 0
    let at = position.offset + 1
    let from = at
    for (; ; at++) {
      const character = text[at]
      if (character === undefined || character === '\0' || (character === '\n' && braces === 0)) {
        if (character === '\n') at++
        this.#recordMistake('literal not terminated', at)
        at--
        break
      }
      if (character === '\\') {
        // A backslash inside `${}` must also begin a valid escape, but is kept unchanged.
        const found = this.#escape(at)
        if (braces === 0) {
          value += text.slice(from, at) + found.value
          from = found.end
        }
        at = found.end - 1
      } else if (braces === 0) {
        if (character === '"') break
        if (character === '$' && text[at + 1] === '{') {
          braces = 1
          at++
        }
      } else if (character === '{') braces++
      else if (character === '}') braces--
    }
    value += text.slice(from, at)
    this.#cursor.moveTo(at + 1)
    this.#isUnterminated = false
    return { kind: 'STRING', text: text.slice(position.offset, at + 1), value, position }
  }

  /** Returns the decoded value of the escape at offset `at`, and the offset after the escape. */
  #escape(at: number): { value: string; end: number } {
    const { text } = this.#cursor
    const selector = text.charAt(at + 1)
    const simpleEscape = SIMPLE_ESCAPES.get(selector)
    if (simpleEscape !== undefined) return { value: simpleEscape, end: at + 2 }
    const codeEscape = CODE_ESCAPES.find(
      ({ selectors }) => selector !== '' && selectors.includes(selector),
    )
    if (codeEscape === undefined) return this.#recordBadEscape(at + 1)
    const start = codeEscape.base === 8 ? at + 1 : at + 2
    let end = start
    while (end < start + codeEscape.digits && codeEscape.isDigit.test(text.charAt(end))) end++
    if (end < start + codeEscape.digits) return this.#recordBadEscape(end)
    const code = Number.parseInt(text.slice(start, end), codeEscape.base)
    if (codeEscape.base === 8 && code > 0xff) return this.#recordBadEscape(at + 1)
    // A lone byte above 0x7f, a surrogate, and a number beyond Unicode are not characters.
    const isByte = codeEscape.base === 8 || codeEscape.digits === 2
    const isInvalid =
      (isByte && code > 0x7f) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)
    return { value: isInvalid ? '\ufffd' : String.fromCodePoint(code), end }
  }

  #heredoc(position: Position): DocumentToken {
    const cursor = this.#cursor
    const { text } = cursor
    if (text[position.offset + 1] !== '<') {
      throw this.#problem("heredoc expected second '<', didn't see it", position.offset + 1)
    }
    const isIndented = text[position.offset + 2] === '-'
    cursor.moveTo(position.offset + (isIndented ? 3 : 2))
    const anchor = cursor.match(ANCHOR) ?? ''
    if (cursor.character === '') throw this.#problem('heredoc not terminated')
    if (cursor.character !== '\n') throw this.#problem('invalid characters in heredoc anchor')
    if (anchor === '') throw this.#problem('zero-length heredoc anchor')
    const start = cursor.offset + 1
    for (let line = start; ; ) {
      const end = text.indexOf('\n', line)
      const lineEnd = end < 0 ? text.length : end
      // The closing line contains only the anchor after optional white space, and ends with a line
      // break. With `<<-`, the anchor closes the text only if it is indented.
      const closingLine = text.slice(line, lineEnd)
      const indentation = closingLine.slice(0, -anchor.length)
      const isClosingLine = closingLine.endsWith(anchor) && indentation.trim() === ''
      if (end >= 0 && isClosingLine && (!isIndented || indentation !== '')) {
        const lines = text.slice(start, line)
        const value = isIndented ? unindent(lines, indentation) : lines + indentation
        cursor.moveTo(lineEnd)
        this.#isUnterminated = false
        return { kind: 'HEREDOC', text: text.slice(position.offset, lineEnd), value, position }
      }
      if (end < 0) throw this.#problem('heredoc not terminated', text.length)
      line = end + 1
    }
  }

  #recordBadEscape(at: number): { value: string; end: number } {
    this.#recordMistake('illegal char escape', at)
    return { value: '', end: at }
  }

  /** Records a mistake as `problem`; scanning continues. */
  #recordMistake(problem: string, at?: number): void {
    if (at !== undefined) this.#cursor.moveTo(at)
    this.#error = { problem, position: this.#cursor.position }
  }

  /** Records a mistake that ends scanning, and returns its error. */
  #problem(problem: string, at?: number): HclError {
    this.#recordMistake(problem, at)
    return positionError(problem, this.#cursor.position)
  }
}

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ['"', '"'],
])

const CODE_ESCAPES = [
  { selectors: '01234567', base: 8, digits: 3, isDigit: /[0-7]/ },
  { selectors: 'x', base: 16, digits: 2, isDigit: /[0-9a-fA-F]/ },
  { selectors: 'u', base: 16, digits: 4, isDigit: /[0-9a-fA-F]/ },
  { selectors: 'U', base: 16, digits: 8, isDigit: /[0-9a-fA-F]/ },
]

/**
 * Parses an integer with an optional sign: hexadecimal after `0x`, octal after `0`. Returns
 * undefined for a malformed octal number.
 */
function parseInteger(text: string): number | undefined {
  const digits = text.replace('-', '')
  const sign = text.startsWith('-') ? -1 : 1
  if (/^0[xX]/.test(digits)) return sign * Number(digits)
  if (!/^0[0-9]/.test(digits)) return sign * Number(digits)
  return /^[0-7]+$/.test(digits) ? sign * Number.parseInt(digits, 8) : undefined
}

/**
 * Returns the text with the indentation of the closing line removed from each line. If any line has
 * less indentation, returns the text unchanged.
 */
function unindent(text: string, indentation: string): string {
  const lines = text.split('\n')
  // The text ends with a line break, so the last piece is empty.
  const content = lines.slice(0, -1)
  if (!content.every((line) => line.startsWith(indentation))) return text
  return content.map((line) => line.slice(indentation.length) + '\n').join('')
}
