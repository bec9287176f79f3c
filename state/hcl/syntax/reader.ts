import { type Diagnostic, diagnosticsError, type HclError } from './error.ts'
import { Lexer } from './lexer.ts'
import {
  DEFAULT_MAX_DEPTH,
  DEFAULT_MAX_LENGTH,
  type ParseLimits,
  type Position,
  type Range,
} from './source.ts'
import type { Token, TokenKind } from './token.ts'

/** Maximum number of reported problems. A hostile text could have a problem at each character. */
const MAX_DIAGNOSTICS = 100
/**
 * Length of the text after the first problem that is searched for further problems, in code units.
 */
const SEARCH_LENGTH = 32 * 1024
/**
 * Maximum height of an expression's tree. A chain of operators also makes the tree higher, and
 * recursive code must be able to visit the whole tree.
 */
const MAX_HEIGHT = 1000

/**
 * Error that ends the parsing of an item. The problem is already recorded, and later items may be
 * valid.
 */
export class ParsingAborted extends Error {}

/**
 * Token stream of the HCL2 parser. Looks ahead one token, skips comments and skips line breaks
 * inside brackets. Also collects problems and limits the depth of nesting.
 */
export class Reader {
  readonly #lexer: Lexer
  readonly #problems: Diagnostic[] = []
  readonly #maxDepth: number
  /** Closing bracket of each open bracket, innermost last. */
  readonly #closingBrackets: TokenKind[] = []
  /** The next token, if it was already read ahead. */
  #next: Token | undefined
  /** The token after the next one, if the next one is a line break that may be skipped. */
  #tokenAfterNext: Token | undefined
  #seesNewlines = true
  #depth = 0
  #height = 0
  #isRecovering = false
  #skippedBrackets = 0
  /** Offset after which reading stops, once a problem has been found. */
  #limit = Number.POSITIVE_INFINITY
  #isLimited = false
  /** The last token that was read, for ranges. */
  last: Token

  constructor(text: string, file: string, limits: ParseLimits, templateAt?: Position) {
    const { maxLength = DEFAULT_MAX_LENGTH, maxDepth = DEFAULT_MAX_DEPTH } = limits
    if (text.length > maxLength) {
      throw diagnosticsError({
        summary: 'Document too large',
        detail: `The document is longer than the ${maxLength} characters allowed.`,
      })
    }
    this.#maxDepth = maxDepth
    this.#lexer = new Lexer(text, file, templateAt)
    const origin = this.peek().range.start
    this.last = { kind: 'newline', text: '', range: { file, start: origin, end: origin } }
  }

  peek(): Token {
    this.#next ??= this.#pullToken()
    if (this.#seesNewlines || this.#next.kind !== 'newline') return this.#next
    this.#tokenAfterNext ??= this.#pullPastNewlines()
    return this.#tokenAfterNext
  }

  /** Skips line breaks and returns the token after them. */
  #pullPastNewlines(): Token {
    let token = this.#pullToken()
    while (token.kind === 'newline') token = this.#pullToken()
    return token
  }

  read(): Token {
    const token = this.peek()
    this.#next = token === this.#next ? this.#tokenAfterNext : undefined
    this.#tokenAfterNext = undefined
    this.last = token
    this.#trackBrackets(token.kind)
    return token
  }

  #trackBrackets(kind: TokenKind): void {
    switch (kind) {
      case '{':
        this.#closingBrackets.push('}')
        break
      case '[':
        this.#closingBrackets.push(']')
        break
      case '(':
        this.#closingBrackets.push(')')
        break
      case 'open-quote':
        this.#closingBrackets.push('close-quote')
        break
      case 'open-heredoc':
        this.#closingBrackets.push('close-heredoc')
        break
      case 'interpolation':
      case 'directive':
        this.#closingBrackets.push('sequence-end')
        break
      case '}':
      case ']':
      case ')':
      case 'close-quote':
      case 'close-heredoc':
      case 'sequence-end':
        // Closing a bracket also closes the brackets that are still open inside it.
        while (this.#closingBrackets.length > 0 && this.#closingBrackets.pop() !== kind);
    }
  }

  /**
   * Reads and returns the next token if it is of this kind. Otherwise, reads nothing and returns
   * undefined.
   */
  accept(kind: TokenKind): Token | undefined {
    return this.peek().kind === kind ? this.read() : undefined
  }

  /** Returns whether the next token is this bare word. */
  atWord(word: string): boolean {
    const token = this.peek()
    return token.kind === 'identifier' && token.text === word
  }

  /**
   * Runs `parse`. While `parse` runs, the reader returns line breaks as tokens if `areNewlinesSeen`
   * is true, and skips line breaks otherwise.
   */
  withNewlines<T>(areNewlinesSeen: boolean, parse: () => T): T {
    const before = this.#seesNewlines
    this.#seesNewlines = areNewlinesSeen
    try {
      return parse()
    } finally {
      this.#seesNewlines = before
    }
  }

  /** Runs `parse` one level deeper. Rejects the document if the level is too deep. */
  nested<T>(parse: () => T): T {
    this.checkDepth(1)
    this.#depth++
    const outerHeight = this.#height
    this.#height = 0
    try {
      return parse()
    } finally {
      this.#depth--
      this.#height = Math.max(outerHeight, this.#height + 1)
    }
  }

  /**
   * Rejects the document if `additionalLevels` more levels of nesting would exceed the maximum
   * depth.
   */
  checkDepth(additionalLevels: number): void {
    if (this.#depth + additionalLevels > this.#maxDepth) {
      throw this.#nestingError(`More than ${this.#maxDepth} levels are nested here.`)
    }
  }

  /**
   * Counts an operator. The operator moves everything before it one level down in the tree. Rejects
   * the document if too many operators follow each other.
   */
  countOperator(): void {
    if (++this.#height > MAX_HEIGHT) {
      throw this.#nestingError(`More than ${MAX_HEIGHT} operators follow each other here.`)
    }
  }

  /** Records a problem and continues. Throws all problems once there are too many of them. */
  report(summary: string, detail: string, range: Range): void {
    if (this.#problems.length >= MAX_DIAGNOSTICS) throw this.#allProblemsError()
    this.#problems.push({ summary, detail, range })
    this.#limitSearch(range.start.offset)
  }

  /** Aborts the item, and records the problem unless an earlier problem may have caused it. */
  fail(summary: string, detail: string, range: Range): never {
    if (!this.#isRecovering) this.report(summary, detail, range)
    this.#isRecovering = true
    throw new ParsingAborted()
  }

  /** Number of open brackets: the argument of a later `skipItem` or `skipBracket`. */
  get openBrackets(): number {
    return this.#closingBrackets.length
  }

  /**
   * Skips to the end of the line on which the item ends. `openBrackets` is the number of brackets
   * that were open at the start of the item.
   */
  skipItem(openBrackets: number): void {
    this.#startRecovery()
    this.withNewlines(true, () => {
      for (;;) {
        const { kind } = this.read()
        if (kind === 'end') return
        if (kind === 'newline' && this.#closingBrackets.length <= openBrackets) return
      }
    })
  }

  /**
   * Skips past the closing bracket after which only `openBrackets` brackets are still open.
   *
   * @returns the closing bracket, or the token at the end of the text
   */
  skipBracket(openBrackets: number): Token {
    this.#startRecovery()
    while (this.#closingBrackets.length > openBrackets && this.peek().kind !== 'end') this.read()
    return this.#closingBrackets.length > openBrackets ? this.peek() : this.last
  }

  #startRecovery(): void {
    this.#isRecovering = true
    if (++this.#skippedBrackets > MAX_DIAGNOSTICS) throw this.#allProblemsError()
  }

  /** True after a problem whose consequences may look like new problems. */
  get isRecovering(): boolean {
    return this.#isRecovering
  }

  /**
   * Throws one error with all problems of the parser and the lexer; does nothing if there are none.
   */
  throwProblems(): void {
    if (this.#problems.length > 0 || this.#lexer.diagnostics.length > 0)
      throw this.#allProblemsError()
  }

  #limitSearch(offset: number): void {
    this.#isLimited = true
    this.#limit = Math.min(this.#limit, offset + SEARCH_LENGTH)
  }

  /**
   * Returns the error with all problems found. Invalid characters come first, as in the real
   * parser.
   */
  #allProblemsError(): HclError {
    const { diagnostics } = this.#lexer
    // The parser reads no further. The lexer only searches the rest of the text, up to the limit,
    // for invalid characters.
    for (let token = this.#lexer.next(); token.kind !== 'end'; token = this.#lexer.next()) {
      if (token.range.end.offset > this.#limit || diagnostics.length >= MAX_DIAGNOSTICS) break
    }
    const [first, ...others] = [...diagnostics, ...this.#problems]
    return diagnosticsError(first ?? { summary: 'Invalid document', detail: '' }, others)
  }

  #nestingError(detail: string): HclError {
    return diagnosticsError({ summary: 'Nesting too deep', detail, range: this.peek().range })
  }

  /**
   * Returns the next token that is not a comment. A comment that includes a line break is returned
   * as a line break. Throws all problems once the search for further problems is over.
   */
  #pullToken(): Token {
    for (;;) {
      const token = this.#lexer.next()
      if (this.#isLimited && token.range.start.offset > this.#limit) throw this.#allProblemsError()
      if (token.kind === 'invalid') this.#limitSearch(token.range.start.offset)
      if (token.kind !== 'comment') return token
      if (token.text.endsWith('\n')) return { ...token, kind: 'newline' }
    }
  }
}
