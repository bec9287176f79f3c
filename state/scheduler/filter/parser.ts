import { FilterError, message } from './errors.ts'
import { Scanner, TooDeep } from './scanner.ts'
import type { Binding, Expression, Operator, Selector } from './syntax.ts'
import { Terms } from './terms.ts'

/** Longer expressions are refused. */
const maxLength = 65_536

/** The reference's text for an expression that asks too much of its parser. */
const tooMuch = 'max number of expressions parsed'

/**
 * Reads a filter expression (behaviour/scheduler#filters). The rules are tried in the order of
 * the reference's grammar, so that messages and their places are its own.
 *
 * @throws FilterError `failed to read filter expression: 1:9 (8): no match found, expected: …`
 */
export function parseFilter(text: string): Expression {
  const { expression, problem } = parse(text)
  if (expression === undefined || problem !== undefined) {
    throw new FilterError(message('filter-unread', { problem: problem ?? 'undefined' }))
  }
  return expression
}

interface Parsed {
  readonly expression?: Expression | undefined
  readonly problem?: string | undefined
}

function parse(text: string): Parsed {
  if (text.length > maxLength) return { problem: `1:1 (0): ${tooMuch}` }
  const scanner = new Scanner(text)
  try {
    const expression = new Parser(scanner).whole()
    return { expression, problem: scanner.problem(expression !== undefined) }
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error
    scanner.fault('grouping', tooMuch)
    return { problem: scanner.problem(false) }
  }
}

/** The spelling of an operator: words with blanks before each. */
interface Spelling {
  readonly words: readonly string[]
  readonly operator: Operator
  readonly negated: boolean
}

function spelling(operator: Operator, negated: boolean, ...words: string[]): Spelling {
  return { operator, negated, words }
}

/** `selector sign value`: blanks may be left out. */
const signs = [spelling('equal', false, '=='), spelling('equal', true, '!=')]
/** `selector words value`. */
const comparisons = [
  spelling('in', false, 'contains'),
  spelling('in', true, 'not', 'contains'),
  spelling('matches', false, 'matches'),
  spelling('matches', true, 'not', 'matches'),
]
/** `selector words`. */
const states = [
  spelling('empty', false, 'is', 'empty'),
  spelling('empty', true, 'is', 'not', 'empty'),
  spelling('nil', false, 'is', 'nil'),
  spelling('nil', true, 'is', 'not', 'nil'),
]
/** `value words selector`. */
const turned = [spelling('in', false, 'in'), spelling('in', true, 'not', 'in')]

class Parser {
  readonly #scan: Scanner
  readonly #terms: Terms

  constructor(scanner: Scanner) {
    this.#scan = scanner
    this.#terms = new Terms(scanner)
  }

  whole(): Expression | undefined {
    const expression = this.#inside()
    return expression !== undefined && this.#scan.end() ? expression : undefined
  }

  /** An expression between blanks. */
  #inside(): Expression | undefined {
    this.#terms.blanks()
    const expression = this.#scan.deeper(() => this.#or())
    if (expression !== undefined) this.#terms.blanks()
    return expression
  }

  #or(): Expression | undefined {
    return this.#scan.once('or', () => this.#chain('or', () => this.#and()))
  }

  #and(): Expression | undefined {
    return this.#chain('and', () => this.#not())
  }

  /** Operands with a word between them; a loop, because there may be thousands. */
  #chain(kind: 'and' | 'or', operand: () => Expression | undefined): Expression | undefined {
    const next = () => this.#scan.try(() => (this.#terms.word(kind) ? operand() : undefined))
    const first = operand()
    if (first === undefined) return undefined
    const operands = [first]
    for (let more = next(); more !== undefined; more = next()) operands.push(more)
    return operands.length === 1 ? first : { kind, operands }
  }

  /** Any number of `not`; the last of them may turn out to be a selector of that name. */
  #not(): Expression | undefined {
    const places = [this.#scan.at]
    while (this.#scan.literal('not') && this.#terms.blanks()) places.push(this.#scan.at)
    for (const [count, place] of [...places.entries()].reverse()) {
      this.#scan.at = place
      const operand = this.#grouping()
      if (operand !== undefined) return count % 2 === 0 ? operand : { kind: 'not', operand }
    }
    return undefined
  }

  #grouping(): Expression | undefined {
    return this.#scan.once(
      'grouping',
      () =>
        this.#scan.try(() => (this.#scan.literal('(') ? this.#until(')') : undefined)) ??
        this.#match() ??
        this.#collection('any') ??
        this.#collection('all') ??
        this.#scan.try(() => this.#unclosed()),
    )
  }

  #until(end: ')' | '}'): Expression | undefined {
    const inner = this.#inside()
    return inner !== undefined && this.#scan.literal(end) ? inner : undefined
  }

  #unclosed(): undefined {
    if (!this.#scan.literal('(') || this.#inside() === undefined) return undefined
    if (!this.#scan.not(() => this.#scan.literal(')'))) return undefined
    return this.#scan.fault('grouping', 'Unmatched parentheses')
  }

  #match(): Expression | undefined {
    return (
      this.#scan.try(() => this.#comparison()) ??
      this.#scan.try(() => this.#state()) ??
      this.#scan.try(() => this.#turned()) ??
      this.#scan.try(() => this.#turnedToNothing())
    )
  }

  #comparison(): Expression | undefined {
    const selector = this.#terms.selector()
    if (selector === undefined) return undefined
    const found = this.#oneOf(signs, sign) ?? this.#oneOf(comparisons, wordsBefore)
    const value = found === undefined ? undefined : this.#terms.value()
    return found === undefined || value === undefined ? undefined : match(selector, found, value)
  }

  #state(): Expression | undefined {
    const selector = this.#terms.selector()
    if (selector === undefined) return undefined
    const found = this.#oneOf(states, spelledWords)
    return found === undefined ? undefined : match(selector, found, '')
  }

  #turned(): Expression | undefined {
    const value = this.#terms.value()
    if (value === undefined) return undefined
    const found = this.#oneOf(turned, wordsBefore)
    const selector = found === undefined ? undefined : this.#terms.selector()
    return found === undefined || selector === undefined ? undefined : match(selector, found, value)
  }

  #turnedToNothing(): undefined {
    if (this.#terms.value() === undefined) return undefined
    if (this.#oneOf(turned, wordsBefore) === undefined) return undefined
    if (!this.#scan.not(() => this.#terms.selector())) return undefined
    return this.#scan.fault('match', 'Invalid selector')
  }

  /** The first spelling that stands here, read in one of the manners below. */
  #oneOf(spellings: readonly Spelling[], manner: Manner): Spelling | undefined {
    for (const each of spellings) {
      const found = this.#scan.try(() =>
        manner(each.words, this.#scan, this.#terms) ? each : undefined,
      )
      if (found !== undefined) return found
    }
    return undefined
  }

  #collection(kind: 'any' | 'all'): Expression | undefined {
    return this.#scan.try(() => {
      if (!this.#scan.literal(kind) || !this.#terms.blanks()) return undefined
      const selector = this.#terms.selector()
      if (selector === undefined || !this.#terms.word('as')) return undefined
      const binding = this.#binding()
      if (binding === undefined) return undefined
      this.#terms.blanks()
      const inner = this.#scan.literal('{') ? this.#until('}') : undefined
      return inner === undefined ? undefined : { kind, selector, binding, inner }
    })
  }

  #binding(): Binding | undefined {
    const name = () => this.#terms.identifier()
    const nothing = () => (this.#scan.literal('_') ? '_' : undefined)
    const pair = this.#pair(name, name) ?? this.#pair(name, nothing) ?? this.#pair(nothing, name)
    if (pair !== undefined) return pair
    const either = name()
    return either === undefined ? undefined : { either }
  }

  #pair(first: () => string | undefined, second: () => string | undefined): Binding | undefined {
    return this.#scan.try(() => {
      const index = first()
      if (index === undefined) return undefined
      this.#terms.blanks()
      if (!this.#scan.literal(',')) return undefined
      this.#terms.blanks()
      const value = second()
      if (value === undefined) return undefined
      return {
        index: index === '_' ? undefined : index,
        value: value === '_' ? undefined : value,
      }
    })
  }
}

/** The reader of an operator's words. */
type Manner = (words: readonly string[], scan: Scanner, terms: Terms) => boolean

const sign: Manner = ([sign = ''], scan, terms) => {
  terms.blanks()
  if (!scan.literal(sign)) return false
  terms.blanks()
  return true
}

const spelledWords: Manner = (words, scan, terms) =>
  words.every((word) => terms.blanks() && scan.literal(word))

const wordsBefore: Manner = (words, scan, terms) =>
  spelledWords(words, scan, terms) && terms.blanks()

function match(selector: Selector, { operator, negated }: Spelling, value: string): Expression {
  return { kind: 'match', selector, operator, negated, value }
}
