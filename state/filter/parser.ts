import { FilterError, message } from './errors.ts'
import { NestingTooDeepError, Scanner } from './scanner.ts'
import type { Binding, Expression, Operator, Selector } from './syntax.ts'
import { Terms } from './terms.ts'

/** Maximum length of an expression, in UTF-16 code units. */
const maxLength = 65_536

/** The reference's message for an expression that is too complex for its parser. */
const tooComplexProblem = 'max number of expressions parsed'

/**
 * Parses a filter expression (behaviour/scheduler#filters). The rules are tried in the order of the
 * reference's grammar, so that messages and positions are those of the reference.
 *
 * @throws FilterError `failed to read filter expression: 1:9 (8): no match found, expected: …`
 */
export function parseFilter(text: string): Expression {
  const { expression, problem } = parse(text, 'current')
  if (expression === undefined || problem !== undefined) {
    throw new FilterError(message('filter-unread', { problem: problem ?? 'undefined' }))
  }
  return expression
}

/**
 * Parses a filter expression in the grammar of the mesh's reference, which uses an earlier release
 * of the library. The earlier release lacks `is nil`, `any`, `all` and JSON pointers
 * (behaviour/mesh#filters).
 */
export function parseLegacyFilter(text: string): ParsedFilter {
  return parse(text, 'legacy')
}

/** Release of the reference's grammar. */
type Grammar = 'current' | 'legacy'

/** A parsed expression, or the reason why the text is not valid. */
interface ParsedFilter {
  readonly expression?: Expression | undefined
  readonly problem?: string | undefined
}

function parse(text: string, grammar: Grammar): ParsedFilter {
  if (text.length > maxLength) return { problem: `1:1 (0): ${tooComplexProblem}` }
  const scanner = new Scanner(text)
  try {
    const expression = new Parser(scanner, grammar).parseAll()
    return { expression, problem: scanner.problem(expression !== undefined) }
  } catch (error) {
    if (!(error instanceof NestingTooDeepError)) throw error
    scanner.fail('grouping', tooComplexProblem)
    return { problem: scanner.problem(false) }
  }
}

/**
 * An operator, with the words that spell it. A `WordReader` decides where whitespace is required.
 */
interface OperatorSpelling {
  readonly words: readonly string[]
  readonly operator: Operator
  readonly isNegated: boolean
}

function operatorSpelling(
  operator: Operator,
  isNegated: boolean,
  ...words: string[]
): OperatorSpelling {
  return { operator, isNegated, words }
}

/** Signs between a selector and a value; whitespace around them is optional. */
const symbolOperators = [
  operatorSpelling('equal', false, '=='),
  operatorSpelling('equal', true, '!='),
]
/** Words between a selector and a value, as in `Tags contains "a"`. */
const wordOperators = [
  operatorSpelling('in', false, 'contains'),
  operatorSpelling('in', true, 'not', 'contains'),
  operatorSpelling('matches', false, 'matches'),
  operatorSpelling('matches', true, 'not', 'matches'),
]
/** Words after a selector, as in `Tags is empty`. */
const emptyOperators = [
  operatorSpelling('empty', false, 'is', 'empty'),
  operatorSpelling('empty', true, 'is', 'not', 'empty'),
]
const stateOperators = [
  ...emptyOperators,
  operatorSpelling('nil', false, 'is', 'nil'),
  operatorSpelling('nil', true, 'is', 'not', 'nil'),
]
/** Words between a value and a selector, as in `"a" in Tags`. */
const reversedOperators = [
  operatorSpelling('in', false, 'in'),
  operatorSpelling('in', true, 'not', 'in'),
]

class Parser {
  readonly #scanner: Scanner
  readonly #terms: Terms
  readonly #isCurrentGrammar: boolean

  constructor(scanner: Scanner, grammar: Grammar) {
    this.#scanner = scanner
    this.#isCurrentGrammar = grammar === 'current'
    this.#terms = new Terms(scanner, this.#isCurrentGrammar)
  }

  parseAll(): Expression | undefined {
    const expression = this.#spacedExpression()
    return expression !== undefined && this.#scanner.end() ? expression : undefined
  }

  /** Parses an expression surrounded by whitespace. */
  #spacedExpression(): Expression | undefined {
    this.#terms.skipBlanks()
    const expression = this.#scanner.runNested(() => this.#or())
    if (expression !== undefined) this.#terms.skipBlanks()
    return expression
  }

  #or(): Expression | undefined {
    return this.#scanner.runMemoized('or', () => this.#chain('or', () => this.#and()))
  }

  #and(): Expression | undefined {
    return this.#chain('and', () => this.#not())
  }

  /**
   * Parses operands that are joined by a word. The function uses a loop, because there may be
   * thousands of operands.
   */
  #chain(kind: 'and' | 'or', operand: () => Expression | undefined): Expression | undefined {
    const next = () => this.#scanner.try(() => (this.#terms.word(kind) ? operand() : undefined))
    const first = operand()
    if (first === undefined) return undefined
    const operands = [first]
    for (let nextOperand = next(); nextOperand !== undefined; nextOperand = next())
      operands.push(nextOperand)
    return operands.length === 1 ? first : { kind, operands }
  }

  /**
   * Parses any number of `not`, followed by an operand. The last `not` may turn out to be a
   * selector with that name.
   */
  #not(): Expression | undefined {
    const positions = [this.#scanner.at]
    while (this.#scanner.literal('not') && this.#terms.skipBlanks())
      positions.push(this.#scanner.at)
    for (const [count, position] of [...positions.entries()].reverse()) {
      this.#scanner.at = position
      const operand = this.#grouping()
      if (operand !== undefined) return count % 2 === 0 ? operand : { kind: 'not', operand }
    }
    return undefined
  }

  #grouping(): Expression | undefined {
    return this.#scanner.runMemoized(
      'grouping',
      () =>
        this.#scanner.try(() =>
          this.#scanner.literal('(') ? this.#enclosedExpression(')') : undefined,
        ) ??
        this.#match() ??
        this.#collection('any') ??
        this.#collection('all') ??
        this.#scanner.try(() => this.#failUnclosedGrouping()),
    )
  }

  #enclosedExpression(end: ')' | '}'): Expression | undefined {
    const inner = this.#spacedExpression()
    return inner !== undefined && this.#scanner.literal(end) ? inner : undefined
  }

  #failUnclosedGrouping(): undefined {
    if (!this.#scanner.literal('(') || this.#spacedExpression() === undefined) return undefined
    if (!this.#scanner.not(() => this.#scanner.literal(')'))) return undefined
    return this.#scanner.fail('grouping', 'Unmatched parentheses')
  }

  #match(): Expression | undefined {
    return (
      this.#scanner.try(() => this.#comparison()) ??
      this.#scanner.try(() => this.#stateTest()) ??
      this.#scanner.try(() => this.#reversedComparison()) ??
      this.#scanner.try(() => this.#failMissingSelector())
    )
  }

  #comparison(): Expression | undefined {
    const selector = this.#terms.selector()
    if (selector === undefined) return undefined
    const found = this.#oneOf(symbolOperators, sign) ?? this.#oneOf(wordOperators, spacedWords)
    const value = found === undefined ? undefined : this.#terms.value()
    return found === undefined || value === undefined ? undefined : match(selector, found, value)
  }

  #stateTest(): Expression | undefined {
    const selector = this.#terms.selector()
    if (selector === undefined) return undefined
    const found = this.#oneOf(
      this.#isCurrentGrammar ? stateOperators : emptyOperators,
      spelledWords,
    )
    return found === undefined ? undefined : match(selector, found, '')
  }

  #reversedComparison(): Expression | undefined {
    const value = this.#terms.value()
    if (value === undefined) return undefined
    const found = this.#oneOf(reversedOperators, spacedWords)
    const selector = found === undefined ? undefined : this.#terms.selector()
    return found === undefined || selector === undefined ? undefined : match(selector, found, value)
  }

  #failMissingSelector(): undefined {
    if (this.#terms.value() === undefined) return undefined
    if (this.#oneOf(reversedOperators, spacedWords) === undefined) return undefined
    if (!this.#scanner.not(() => this.#terms.selector())) return undefined
    return this.#scanner.fail('match', 'Invalid selector')
  }

  /**
   * Parses the words of an operator. Returns the first spelling that matches; undefined if none
   * does.
   */
  #oneOf(
    spellings: readonly OperatorSpelling[],
    readWords: WordReader,
  ): OperatorSpelling | undefined {
    for (const each of spellings) {
      const found = this.#scanner.try(() =>
        readWords(each.words, this.#scanner, this.#terms) ? each : undefined,
      )
      if (found !== undefined) return found
    }
    return undefined
  }

  #collection(kind: 'any' | 'all'): Expression | undefined {
    if (!this.#isCurrentGrammar) return undefined
    return this.#scanner.try(() => {
      if (!this.#scanner.literal(kind) || !this.#terms.skipBlanks()) return undefined
      const selector = this.#terms.selector()
      if (selector === undefined || !this.#terms.word('as')) return undefined
      const binding = this.#binding()
      if (binding === undefined) return undefined
      this.#terms.skipBlanks()
      const inner = this.#scanner.literal('{') ? this.#enclosedExpression('}') : undefined
      return inner === undefined ? undefined : { kind, selector, binding, inner }
    })
  }

  #binding(): Binding | undefined {
    const name = () => this.#terms.identifier()
    const underscore = () => (this.#scanner.literal('_') ? '_' : undefined)
    const pair =
      this.#pair(name, name) ?? this.#pair(name, underscore) ?? this.#pair(underscore, name)
    if (pair !== undefined) return pair
    const either = name()
    return either === undefined ? undefined : { either }
  }

  #pair(first: () => string | undefined, second: () => string | undefined): Binding | undefined {
    return this.#scanner.try(() => {
      const index = first()
      if (index === undefined) return undefined
      this.#terms.skipBlanks()
      if (!this.#scanner.literal(',')) return undefined
      this.#terms.skipBlanks()
      const value = second()
      if (value === undefined) return undefined
      return { index: index === '_' ? undefined : index, value: value === '_' ? undefined : value }
    })
  }
}

/** Function that reads the words of an operator. Returns true if all of them match. */
type WordReader = (words: readonly string[], scanner: Scanner, terms: Terms) => boolean

const sign: WordReader = ([sign = ''], scanner, terms) => {
  terms.skipBlanks()
  if (!scanner.literal(sign)) return false
  terms.skipBlanks()
  return true
}

const spelledWords: WordReader = (words, scanner, terms) =>
  words.every((word) => terms.skipBlanks() && scanner.literal(word))

const spacedWords: WordReader = (words, scanner, terms) =>
  spelledWords(words, scanner, terms) && terms.skipBlanks()

function match(
  selector: Selector,
  { operator, isNegated }: OperatorSpelling,
  value: string,
): Expression {
  return { kind: 'match', selector, operator, isNegated, value }
}
