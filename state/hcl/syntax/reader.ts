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

/** More broken items or problems are not looked for: a hostile text could have one per character. */
const MAX_DIAGNOSTICS = 100
/** The distance behind the first problem within which others are looked for, in code units. */
const SEARCH_LENGTH = 32 * 1024
/** Operators in a row also make a tall tree; whoever walks it by recursion must survive that. */
const MAX_HEIGHT = 1000

/** Thrown when an item cannot be parsed on; its problem is recorded, a later item may be fine. */
export class ParsingAborted extends Error {}

/**
 * The token stream as the HCL2 parser sees it: one token of lookahead, comments left out, line
 * breaks left out where an expression is inside brackets, problems collected, depth bounded.
 */
export class Reader {
  readonly #lexer: Lexer
  readonly #problems: Diagnostic[] = []
  readonly #maxDepth: number
  /** The closing brackets of those read so far and not yet closed. */
  readonly #open: TokenKind[] = []
  /** The next token, once it is looked at. */
  #next: Token | undefined
  /** The one behind it, where that is a line break that is left out. */
  #second: Token | undefined
  #seesNewlines = true
  #depth = 0
  #height = 0
  #recovering = false
  #skippedBrackets = 0
  /** Where reading stops for good, once there is a problem. */
  #limit = Number.POSITIVE_INFINITY
  #isLimited = false
  /** The token read last, for ranges. */
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
    this.#next ??= this.#pull()
    if (this.#seesNewlines || this.#next.kind !== 'newline') return this.#next
    this.#second ??= this.#pullPastNewlines()
    return this.#second
  }

  /** Of line breaks in a row the first stands for all. */
  #pullPastNewlines(): Token {
    let token = this.#pull()
    while (token.kind === 'newline') token = this.#pull()
    return token
  }

  read(): Token {
    const token = this.peek()
    this.#next = token === this.#next ? this.#second : undefined
    this.#second = undefined
    this.last = token
    this.#trackBrackets(token.kind)
    return token
  }

  #trackBrackets(kind: TokenKind): void {
    switch (kind) {
      case '{':
        this.#open.push('}')
        break
      case '[':
        this.#open.push(']')
        break
      case '(':
        this.#open.push(')')
        break
      case 'open-quote':
        this.#open.push('close-quote')
        break
      case 'open-heredoc':
        this.#open.push('close-heredoc')
        break
      case 'interpolation':
      case 'directive':
        this.#open.push('sequence-end')
        break
      case '}':
      case ']':
      case ')':
      case 'close-quote':
      case 'close-heredoc':
      case 'sequence-end':
        // A bracket also closes those inside it that were left open.
        while (this.#open.length > 0 && this.#open.pop() !== kind);
    }
  }

  /** Reads the next token if it is of this kind. */
  accept(kind: TokenKind): Token | undefined {
    return this.peek().kind === kind ? this.read() : undefined
  }

  /** Returns whether the next token is this bare word. */
  atWord(word: string): boolean {
    const token = this.peek()
    return token.kind === 'identifier' && token.text === word
  }

  /** Runs `parse` with line breaks seen or left out. */
  withNewlines<T>(seen: boolean, parse: () => T): T {
    const before = this.#seesNewlines
    this.#seesNewlines = seen
    try {
      return parse()
    } finally {
      this.#seesNewlines = before
    }
  }

  /** Runs `parse` one level deeper; refuses the document for good when that is too deep. */
  nested<T>(parse: () => T): T {
    this.checkDepth(1)
    this.#depth++
    const tallest = this.#height
    this.#height = 0
    try {
      return parse()
    } finally {
      this.#depth--
      this.#height = Math.max(tallest, this.#height + 1)
    }
  }

  /** Refuses the document for good if that many levels more would be too deep. */
  checkDepth(more: number): void {
    if (this.#depth + more > this.#maxDepth) {
      throw this.#fatal(`More than ${this.#maxDepth} levels are nested here.`)
    }
  }

  /** Counts an operator that puts everything before it one level down in the tree. */
  grow(): void {
    if (++this.#height > MAX_HEIGHT) {
      throw this.#fatal(`More than ${MAX_HEIGHT} operators follow each other here.`)
    }
  }

  /** Records a problem and goes on. */
  report(summary: string, detail: string, range: Range): void {
    if (this.#problems.length >= MAX_DIAGNOSTICS) throw this.#failure()
    this.#problems.push({ summary, detail, range })
    this.#limitSearch(range.start.offset)
  }

  /** Records a problem, unless an earlier one may be its cause, and gives the item up. */
  fail(summary: string, detail: string, range: Range): never {
    if (!this.#recovering) this.report(summary, detail, range)
    this.#recovering = true
    throw new ParsingAborted()
  }

  /** Returns how many brackets are open, for `skipItem`. */
  get openBrackets(): number {
    return this.#open.length
  }

  /** Skips to behind the line break that ends the item which started with `open` open brackets. */
  skipItem(open: number): void {
    this.#giveUp()
    this.withNewlines(true, () => {
      for (;;) {
        const { kind } = this.read()
        if (kind === 'end') return
        if (kind === 'newline' && this.#open.length <= open) return
      }
    })
  }

  /**
   * Skips to behind the bracket that closes the one which left `open` brackets open before it.
   *
   * @returns that bracket, or the end of the text
   */
  skipBracket(open: number): Token {
    this.#giveUp()
    while (this.#open.length > open && this.peek().kind !== 'end') this.read()
    return this.#open.length > open ? this.peek() : this.last
  }

  #giveUp(): void {
    this.#recovering = true
    if (++this.#skippedBrackets > MAX_DIAGNOSTICS) throw this.#failure()
  }

  /** A problem has been met whose consequences may look like further ones. */
  get recovering(): boolean {
    return this.#recovering
  }

  /** Throws what was found, if anything was. */
  finish(): void {
    if (this.#problems.length > 0 || this.#lexer.diagnostics.length > 0) throw this.#failure()
  }

  #limitSearch(offset: number): void {
    this.#isLimited = true
    this.#limit = Math.min(this.#limit, offset + SEARCH_LENGTH)
  }

  /** Everything found so far; misused characters first, as the real parser looks for them first. */
  #failure(): HclError {
    const { diagnostics } = this.#lexer
    // Only the lexer's complaints about the rest of the text are of interest.
    for (let token = this.#lexer.next(); token.kind !== 'end'; token = this.#lexer.next()) {
      if (token.range.end.offset > this.#limit || diagnostics.length >= MAX_DIAGNOSTICS) break
    }
    const [first, ...others] = [...diagnostics, ...this.#problems]
    return diagnosticsError(first ?? { summary: 'Invalid document', detail: '' }, others)
  }

  #fatal(detail: string): HclError {
    return diagnosticsError({ summary: 'Nesting too deep', detail, range: this.peek().range })
  }

  /**
   * Returns the next token that matters. A comment to the end of its line is also that line's end.
   */
  #pull(): Token {
    for (;;) {
      const token = this.#lexer.next()
      if (this.#isLimited && token.range.start.offset > this.#limit) throw this.#failure()
      if (token.kind === 'invalid') this.#limitSearch(token.range.start.offset)
      if (token.kind !== 'comment') return token
      if (token.text.endsWith('\n')) return { ...token, kind: 'newline' }
    }
  }
}
