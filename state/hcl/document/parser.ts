import { diagnosticAt, HclError, positionError } from '../syntax/error.ts'
import { ORIGIN, type Position } from '../syntax/source.ts'
import { DocumentLexer, type DocumentToken, type DocumentTokenKind } from './lexer.ts'
import type { Document, Item, Value } from './value.ts'

const LITERALS: ReadonlySet<DocumentTokenKind> = new Set([
  'NUMBER',
  'FLOAT',
  'BOOL',
  'STRING',
  'HEREDOC',
])

const NO_LABELS: readonly string[] = []

/** Parses HCL1 text. Throws an HclError with the message of the real parser. */
export function readNativeDocument(
  text: string,
  maxDepth: number,
  refuseRepeated: boolean,
): Document {
  return new DocumentParser(text, maxDepth, refuseRepeated).parseFile()
}

class DocumentParser {
  readonly #lexer: DocumentLexer
  readonly #maxDepth: number
  readonly #refusesRepeatedKeys: boolean
  #depth = 0
  #repeatedKeyError: HclError | undefined
  /** Positions of the elements of the list that was parsed last. */
  #elementPositions: readonly Position[] = []
  #token: DocumentToken = { kind: 'EOF', text: '', value: '', position: ORIGIN }

  constructor(text: string, maxDepth: number, refusesRepeatedKeys: boolean) {
    this.#lexer = new DocumentLexer(text)
    this.#maxDepth = maxDepth
    this.#refusesRepeatedKeys = refusesRepeatedKeys
  }

  parseFile(): Document {
    let items: Item[]
    try {
      this.#advance()
      items = this.#items('EOF')
    } catch (error) {
      throw this.#lexer.problem ?? error
    }
    const problem = this.#lexer.problem ?? this.#repeatedKeyError
    if (problem !== undefined) throw problem
    return { items }
  }

  /** Returns the items before the token `end`. */
  #items(end: 'EOF' | 'RBRACE'): Item[] {
    const items: Item[] = []
    const assignedKeys = this.#refusesRepeatedKeys ? new Set<string>() : undefined
    while (this.#token.kind !== end && this.#token.kind !== 'EOF') {
      const first = this.#token
      const names = this.#names()
      const isAssigned = this.#token.kind === 'ASSIGN'
      if (isAssigned) this.#advance()
      const valuePosition = this.#token.position
      const value = isAssigned ? this.#assignedValue() : this.#object()
      // As in the real parser, an item whose equals sign is at the end of the text is dropped.
      if (value === undefined) break
      if (isAssigned && assignedKeys !== undefined) this.#recordRepeatedKey(assignedKeys, first)
      const key = String(first.value)
      const labels = names.length > 1 ? names.slice(1).map(({ value }) => String(value)) : NO_LABELS
      const item = { key, labels, value, position: first.position, valuePosition }
      items.push(
        Array.isArray(value) ? { ...item, elementPositions: this.#elementPositions } : item,
      )
      if (this.#token.kind === 'COMMA') this.#advance()
    }
    return items
  }

  /**
   * Reads names up to `=` or `{`, which becomes the current token. Throws an HclError for any other
   * token.
   */
  #names(): DocumentToken[] {
    const names: DocumentToken[] = []
    for (;;) {
      const { kind, position } = this.#token
      switch (kind) {
        case 'IDENT':
        case 'STRING':
          this.#checkDepth(names.length)
          names.push(this.#token)
          this.#advance()
          continue
        case 'ASSIGN':
          if (names.length === 0) throw positionError('no object keys found!', position)
          if (names.length === 1) return names
          throw positionError('nested object expected: LBRACE got: ASSIGN', position)
        case 'LBRACE':
          if (names.length > 0) return names
          throw positionError('expected: IDENT | STRING got: LBRACE', position)
        case 'EOF':
        case 'RBRACE':
          if (names.length === 0) break
          throw positionError(
            `key '${names.map(({ text }) => text).join(' ')}' expected start of object ('{') or assignment ('=')`,
            position,
          )
      }
      throw positionError(`expected: IDENT | STRING | ASSIGN | LBRACE got: ${kind}`, position)
    }
  }

  #assignedValue(): Value | undefined {
    return this.#token.kind === 'EOF' ? undefined : this.#value()
  }

  #value(): Value {
    const { kind, text, value, position } = this.#token
    if (LITERALS.has(kind)) {
      this.#advance()
      return value
    }
    if (kind === 'LBRACE') return this.#object()
    if (kind === 'LBRACK') return this.#list()
    const where = `${position.line}:${position.column}`
    throw positionError(`Unknown token: ${where} ${kind} ${text}`, position)
  }

  #object(): Document {
    return this.#runNested(() => {
      this.#advance()
      const items = this.#items('RBRACE')
      if (this.#token.kind !== 'RBRACE') {
        const problem = `object expected closing RBRACE got: ${this.#token.kind}`
        // At this point the real scanner has counted the end of the text as another column.
        const { position } = this.#token
        throw positionError(problem, { ...position, column: position.column + 1 })
      }
      this.#advance()
      return { items }
    })
  }

  #list(): Value[] {
    return this.#runNested(() => {
      this.#advance()
      const values: Value[] = []
      const positions: Position[] = []
      for (let mayStartElement = true; ; ) {
        const { kind, position } = this.#token
        if (kind === 'RBRACK') {
          this.#advance()
          this.#elementPositions = positions
          return values
        }
        if (kind === 'COMMA') {
          mayStartElement = true
          this.#advance()
          continue
        }
        if (!mayStartElement) {
          const problem = `error parsing list, expected comma or list end, got: ${kind}`
          throw positionError(problem, position)
        }
        positions.push(position)
        values.push(this.#element())
        // A list that follows a list needs no comma.
        mayStartElement = kind === 'LBRACK'
      }
    })
  }

  #element(): Value {
    const { kind, position } = this.#token
    if (kind === 'LBRACE') return this.#parseNested('object', position, () => this.#object())
    if (kind === 'LBRACK') return this.#parseNested('list', position, () => this.#list())
    if (LITERALS.has(kind)) return this.#value()
    throw positionError(`unexpected token while parsing list: ${kind}`, position)
  }

  /**
   * Parses an object or a list inside a list. As in the real parser, a problem is reported at the
   * position of the nested object or list, and its message gets a prefix for each level.
   */
  #parseNested(what: string, position: Position, parse: () => Value): Value {
    try {
      return parse()
    } catch (error) {
      if (!(error instanceof HclError)) throw error
      const problem = `error while trying to parse ${what} within list: ${error.message}`
      throw positionError(problem, position)
    }
  }

  #runNested<T>(parse: () => T): T {
    this.#checkDepth(this.#depth)
    this.#depth++
    const result = parse()
    this.#depth--
    return result
  }

  /**
   * Throws an HclError if the nesting is too deep. Labels count as levels, because they become
   * nested maps.
   */
  #checkDepth(depth: number): void {
    if (depth < this.#maxDepth) return
    const problem = `nested more than ${this.#maxDepth} levels deep`
    throw positionError(problem, this.#token.position)
  }

  #advance(): void {
    this.#token = this.#lexer.next()
  }

  /** Records the first repeated name. The name is reported if there are no other problems. */
  #recordRepeatedKey(assignedKeys: Set<string>, { text, position }: DocumentToken): void {
    if (assignedKeys.has(text)) {
      const place = `${position.line}:${position.column}`
      const problem = `The argument ${JSON.stringify(text)} at ${place} was already set. Each argument can only be defined once`
      this.#repeatedKeyError ??= new HclError(problem, [diagnosticAt(problem, position)])
    }
    assignedKeys.add(text)
  }
}
