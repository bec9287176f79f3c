import { matchAt } from './cursor.ts'
import type { Diagnostic } from './error.ts'
import { reportInvalid } from './invalid-tokens.ts'
import { isDigit, isMarkerLine, numberEnd, punctuationAt, wordEnd } from './scan.ts'
import { moveBy, ORIGIN, PlainText, type Position, positionAfter, type Range } from './source.ts'
import type { Token, TokenKind } from './token.ts'

const IDENTIFIER = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy
const HEREDOC = /<<(-?)([\p{ID_Start}_][\p{ID_Continue}-]*)\r?\n/uy
const NEWLINES = /[\r\n]+/y
const LINE_COMMENT = /(?:#|\/\/)[^\n]*(?:\n|$)/y

/** Mode in which the text at the cursor is split into tokens. */
type Mode =
  /**
   * Expressions and blocks. `braces` counts the open braces, so that the `}` that closes a template
   * sequence is recognized.
   */
  | { readonly kind: 'plain'; braces: number; readonly inSequence: boolean }
  | { readonly kind: 'quoted' }
  | {
      readonly kind: 'heredoc'
      /** The heredoc's marker; undefined if the whole text is the template. */
      readonly marker: string | undefined
      isLineStart: boolean
      readonly isClosed: boolean
    }

const QUOTED_MODE: Mode = { kind: 'quoted' }

/**
 * Splits HCL2 text into tokens, one per call, in one pass. Characters that are not allowed are
 * reported in `diagnostics` and returned as `invalid` tokens.
 */
export class Lexer {
  readonly diagnostics: Diagnostic[] = []
  readonly #text: string
  readonly #file: string
  readonly #modes: Mode[]
  readonly #reported = new Set<string>()
  /**
   * The text with which positions are computed when they are needed; undefined unless the whole
   * text is ASCII. For other texts, `#position` holds the current position.
   */
  readonly #plainText: PlainText | undefined
  #position: Position = ORIGIN
  #offset = 0
  /**
   * True if the rest of the text contains no end of a comment. Without this flag, a text with many
   * unclosed comments would take quadratic time.
   */
  #isCommentUnclosed = false

  /**
   * @param templateAt if the text is a template without quotes, the position of the text in the
   *   file; otherwise undefined
   */
  constructor(text: string, file: string, templateAt?: Position) {
    this.#text = text
    this.#file = file
    this.#modes = [{ kind: 'plain', braces: 0, inSequence: false }]
    if (templateAt !== undefined) {
      this.#modes.push({ kind: 'heredoc', marker: undefined, isLineStart: true, isClosed: true })
      this.#position = { ...templateAt, offset: 0 }
    } else if (text.startsWith('\ufeff')) {
      // A byte order mark is skipped. The mark counts as three bytes, but not as a character.
      this.#position = { line: 1, column: 1, byte: 3, offset: 1 }
    }
    this.#offset = this.#position.offset
    this.#plainText = PlainText.isPlain(text)
      ? new PlainText(text, file, this.#position)
      : undefined
  }

  /**
   * Returns the next token, including comments. At the end of the text, every call returns `end`.
   */
  next(): Token {
    const mode = this.#modes[this.#modes.length - 1]
    if (this.#offset >= this.#text.length) return this.#emit('end', this.#offset)
    if (mode?.kind === 'quoted') return this.#nextQuoted()
    if (mode?.kind === 'heredoc') return this.#nextHeredoc(mode)
    return this.#nextPlain(mode)
  }

  #nextPlain(mode: { braces: number; readonly inSequence: boolean } | undefined): Token {
    this.#skipSpace()
    const from = this.#offset
    const text = this.#text
    // Names are tried first, because they are the most frequent tokens.
    const end = wordEnd(text, from)
    if (end > from && !(text.charCodeAt(end) >= 0x80)) {
      return this.#emitText('identifier', text.slice(from, end))
    }
    const character = text[from]
    switch (character) {
      case undefined:
        return this.#emit('end', from)
      case '\n':
        return this.#emit('newline', from + 1)
      case '\r':
        if (text[from + 1] === '\n') return this.#emit('newline', from + 2)
        break
      case '"':
        this.#modes.push(QUOTED_MODE)
        return this.#emit('open-quote', from + 1)
      case '<': {
        const heredoc = this.#heredocMarker()
        if (heredoc === undefined) break
        const isClosed = this.#hasMarkerLine(heredoc.marker, from + heredoc.length)
        this.#modes.push({ kind: 'heredoc', marker: heredoc.marker, isLineStart: true, isClosed })
        return this.#emit('open-heredoc', from + heredoc.length)
      }
      case '~':
        if (text[from + 1] === '}') return this.#closeBrace(mode, from + 2)
        break
      case '}':
        return this.#closeBrace(mode, from + 1)
      case '{':
        if (mode !== undefined) mode.braces++
        break
      case '#':
      case '/': {
        const comment = this.#commentEnd()
        if (comment !== undefined) return this.#emit('comment', comment)
        break
      }
    }
    if (isDigit(character)) return this.#emitText('number', text.slice(from, numberEnd(text, from)))
    const punctuation = punctuationAt(text, from)
    if (punctuation !== undefined) return this.#emitText(punctuation, punctuation)
    const name = this.#match(IDENTIFIER)
    if (name !== undefined) return this.#emit('identifier', from + name.length)
    const codePoint = text.codePointAt(from) ?? 0
    const token = this.#emit('invalid', from + (codePoint > 0xffff ? 2 : 1))
    reportInvalid(token, this.#reported, this.diagnostics)
    return token
  }

  #skipSpace(): void {
    const from = this.#offset
    let to = from
    while (this.#text[to] === ' ' || this.#text[to] === '\t') to++
    if (to === from) return
    this.#offset = to
    if (this.#plainText === undefined) this.#position = moveBy(this.#position, to - from)
  }

  /**
   * Returns the token of a closing brace. A brace that closes no brace inside the sequence closes
   * the sequence itself; the template continues after it.
   */
  #closeBrace(
    mode: { braces: number; readonly inSequence: boolean } | undefined,
    to: number,
  ): Token {
    if (mode?.inSequence && mode.braces === 0) {
      this.#modes.pop()
      return this.#emit('sequence-end', to)
    }
    if (mode !== undefined && mode.braces > 0) mode.braces--
    // Outside of a sequence, `~}` becomes a `sequence-end`, which cannot close an object.
    return this.#emit(this.#text[this.#offset] === '~' ? 'sequence-end' : '}', to)
  }

  #nextQuoted(): Token {
    const text = this.#text
    const from = this.#offset
    if (text[from] === '"') {
      this.#modes.pop()
      return this.#emit('close-quote', from + 1)
    }
    if (text[from] === '\n' || text[from] === '\r') {
      const newlines = this.#match(NEWLINES) ?? ''
      return this.#quotedNewline(from + newlines.length)
    }
    const opening = this.#sequenceAt(from)
    if (opening !== undefined) return opening
    let at = from
    for (; at < text.length; at++) {
      const character = text[at]
      if (character === '"' || character === '\n' || character === '\r') break
      if (character === '\\' && at + 1 < text.length && text[at + 1] !== '\n') at++
      else if (this.#isSequence(at, from)) break
    }
    return this.#emit('quoted-text', Math.min(at, text.length))
  }

  #quotedNewline(to: number): Token {
    const token = this.#emit('quoted-newline', to)
    reportInvalid(token, this.#reported, this.diagnostics)
    return token
  }

  #nextHeredoc(mode: {
    readonly marker: string | undefined
    isLineStart: boolean
    readonly isClosed: boolean
  }): Token {
    const text = this.#text
    const from = this.#offset
    // No line closes this heredoc, so the rest of the text need not be split into lines.
    if (!mode.isClosed) return this.#emit('heredoc-text', text.length)
    if (mode.isLineStart && mode.marker !== undefined) {
      const end = text.indexOf('\n', from)
      // The closing line contains only the marker and white space, and ends in a line break.
      if (end >= 0 && isMarkerLine(text, from, end, mode.marker)) {
        this.#modes.pop()
        return this.#emit('close-heredoc', text[end - 1] === '\r' ? end - 1 : end)
      }
      mode.isLineStart = false
    }
    const opening = this.#sequenceAt(from)
    if (opening !== undefined) return opening
    for (let at = from; at < text.length; at++) {
      if (text[at] === '\n') {
        mode.isLineStart = true
        return this.#emit('heredoc-text', at + 1)
      }
      if (this.#isSequence(at, from)) return this.#emit('heredoc-text', at)
    }
    return this.#emit('heredoc-text', text.length)
  }

  /**
   * Returns the token of the `${` or `%{` at offset `at`; undefined if no sequence starts there.
   */
  #sequenceAt(at: number): Token | undefined {
    if (!this.#isSequence(at, at)) return undefined
    this.#modes.push({ kind: 'plain', braces: 0, inSequence: true })
    const to = this.#text[at + 2] === '~' ? at + 3 : at + 2
    return this.#emit(this.#text[at] === '$' ? 'interpolation' : 'directive', to)
  }

  /**
   * Returns whether `${` or `%{` starts at an offset. If the sign is doubled within the same
   * stretch of text (`$${`), no sequence starts.
   */
  #isSequence(at: number, stretchStart: number): boolean {
    const sign = this.#text[at]
    if (sign !== '$' && sign !== '%') return false
    return this.#text[at + 1] === '{' && !(at > stretchStart && this.#text[at - 1] === sign)
  }

  #heredocMarker(): { marker: string; length: number } | undefined {
    const match = matchAt(HEREDOC, this.#text, this.#offset)
    return match?.[2] === undefined ? undefined : { marker: match[2], length: match[0].length }
  }

  /**
   * Returns whether some line at or after offset `from` contains only the marker and white space.
   */
  #hasMarkerLine(marker: string, from: number): boolean {
    const text = this.#text
    let start = from
    for (let end = text.indexOf('\n', from); end >= 0; end = text.indexOf('\n', start)) {
      if (isMarkerLine(text, start, end, marker)) return true
      start = end + 1
    }
    return false
  }

  #commentEnd(): number | undefined {
    const from = this.#offset
    if (this.#text[from] === '/' && this.#text[from + 1] === '*') {
      if (this.#isCommentUnclosed) return undefined
      const end = this.#text.indexOf('*/', from + 2)
      this.#isCommentUnclosed = end < 0
      return end < 0 ? undefined : end + 2
    }
    const line = this.#match(LINE_COMMENT)
    return line === undefined ? undefined : from + line.length
  }

  #match(pattern: RegExp): string | undefined {
    return matchAt(pattern, this.#text, this.#offset)?.[0]
  }

  #emitText(kind: TokenKind, text: string): Token {
    return { kind, text, range: this.#advanceTo(text, this.#offset + text.length) }
  }

  #emit(kind: TokenKind, to: number): Token {
    const text = this.#text.slice(this.#offset, to)
    return { kind, text, range: this.#advanceTo(text, to) }
  }

  /** Moves to the offset `to` and returns the range of `text`, which ends there. */
  #advanceTo(text: string, to: number): Range {
    const from = this.#offset
    this.#offset = to
    if (this.#plainText !== undefined) return this.#plainText.range(from, to)
    const start = this.#position
    this.#position = positionAfter(start, text)
    return { file: this.#file, start, end: this.#position }
  }
}
