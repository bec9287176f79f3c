import { quoteGo } from '../../go/text.ts'

// Parser and evaluator of templates: strings with `${…}` in the reference's interpolation language.
// Of the operators, only a minus sign before a number is supported.

/** Error for a template that cannot be parsed or evaluated. */
export class InterpolationError extends Error {
  /** True for a syntax error, false for a template that cannot be evaluated. */
  readonly isMalformed: boolean

  constructor(message: string, isMalformed: boolean) {
    super(message)
    this.isMalformed = isMalformed
  }
}

type Expression =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'variable'; readonly name: string; readonly location: string }
  | {
      readonly kind: 'call'
      readonly name: string
      readonly location: string
      readonly values: readonly Expression[]
    }
  | { readonly kind: 'parts'; readonly parts: readonly Expression[] }

/** Variables and functions that a template may use. */
export interface InterpolationScope {
  readonly variables: ReadonlyMap<string, string>
  /**
   * Implementation of the template function `match(group)`, which returns a capture group of a
   * prepared query's `Regexp`; undefined if templates in this scope must not call `match`.
   */
  readonly match: ((group: number) => string) | undefined
}

type InterpolatedText = Expression

/** Parses a template. Throws an InterpolationError for a syntax error. */
export function parseInterpolation(text: string): InterpolatedText {
  return new Parser(text).parseTemplate()
}

const identifierPattern = /[A-Za-z_][\w.-]*/y
const numberPattern = /\d+(?:\.\d+)?/y

class Parser {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parseTemplate(): Expression {
    const parts = this.#parts(() => this.#at >= this.#text.length)
    return { kind: 'parts', parts }
  }

  /** Parses literal text and expressions until `isEnd` returns true. */
  #parts(isEnd: () => boolean): readonly Expression[] {
    const parts: Expression[] = []
    let literal = ''
    while (!isEnd()) {
      const rest = this.#text.slice(this.#at, this.#at + 3)
      if (rest === '$${') {
        literal += '${'
        this.#at += 3
      } else if (rest.startsWith('${')) {
        if (literal !== '') parts.push({ kind: 'text', text: literal })
        literal = ''
        this.#at += 2
        parts.push(this.#expression())
        this.#expect('}')
      } else {
        const character = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0)
        literal += character
        this.#at += character.length
      }
    }
    if (literal !== '') parts.push({ kind: 'text', text: literal })
    return parts
  }

  #skipBlanks(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at++
  }

  #location(): string {
    const lines = this.#text.slice(0, this.#at).split('\n')
    return `${lines.length}:${[...(lines.at(-1) ?? '')].length + 1}`
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0]
    if (found !== undefined) this.#at += found.length
    return found
  }

  #describeFound(): string {
    if (this.#at >= this.#text.length) return 'end of string'
    const digits = /^\d+/.exec(this.#text.slice(this.#at))?.[0]
    if (digits !== undefined) return `integer ${digits}`
    identifierPattern.lastIndex = this.#at
    const word = identifierPattern.exec(this.#text)?.[0]
    if (word !== undefined) return quoteGo(word)
    const character = this.#text.charAt(this.#at)
    const isPunctuation = '{}()[],"?:'.includes(character)
    return isPunctuation ? quoteGo(character) : `invalid sequence ${quoteGo(character)}`
  }

  #unexpected(expected: string): InterpolationError {
    const location = this.#location()
    return new InterpolationError(
      `parse error at ${location}: expected ${expected} but found ${this.#describeFound()}`,
      true,
    )
  }

  #expect(character: string): void {
    this.#skipBlanks()
    if (this.#text.charAt(this.#at) !== character) throw this.#unexpected(quoteGo(character))
    this.#at++
  }

  #expression(): Expression {
    this.#skipBlanks()
    const location = this.#location()
    const digits = this.#take(numberPattern)
    if (digits !== undefined) return { kind: 'number', value: Number(digits) }
    const character = this.#text.charAt(this.#at)
    if (character === '-') {
      this.#at++
      const operand = this.#expression()
      return operand.kind === 'number' ? { kind: 'number', value: -operand.value } : operand
    }
    if (character === '(') {
      this.#at++
      const inner = this.#expression()
      this.#expect(')')
      return inner
    }
    if (character === '"') return this.#quoted()
    const name = this.#take(identifierPattern)
    if (name === undefined) throw this.#unexpected('expression')
    if (name === 'true' || name === 'false') return { kind: 'text', text: name }
    if (this.#text.charAt(this.#at) !== '(') return { kind: 'variable', name, location }
    this.#at++
    return { kind: 'call', name, location, values: this.#readArguments() }
  }

  #quoted(): Expression {
    this.#at++
    const isEnd = () => this.#at >= this.#text.length || this.#text.charAt(this.#at) === '"'
    const parts = this.#parts(isEnd)
    this.#expect('"')
    return { kind: 'parts', parts }
  }

  #readArguments(): readonly Expression[] {
    const values: Expression[] = []
    for (;;) {
      this.#skipBlanks()
      if (this.#text.charAt(this.#at) === ')') break
      values.push(this.#expression())
      this.#skipBlanks()
      if (this.#text.charAt(this.#at) !== ',') break
      this.#at++
    }
    this.#expect(')')
    return values
  }
}

/**
 * Evaluates a parsed template. Throws an InterpolationError for unknown variables and functions,
 * and for a call of `match` that does not have exactly one number as its argument.
 */
export function interpolate(expression: Expression, scope: InterpolationScope): string {
  switch (expression.kind) {
    case 'text':
      return expression.text
    case 'number':
      return String(expression.value)
    case 'parts':
      return expression.parts.map((part) => interpolate(part, scope)).join('')
    case 'variable': {
      const { name, location } = expression
      const value = scope.variables.get(name)
      if (value !== undefined) return value
      throw new InterpolationError(`${location}: unknown variable accessed: ${name}`, false)
    }
    case 'call':
      return callMatch(expression, scope)
  }
}

function callMatch(
  { name, location, values }: Extract<Expression, { kind: 'call' }>,
  scope: InterpolationScope,
): string {
  if (name !== 'match' || scope.match === undefined) {
    throw new InterpolationError(`${location}: unknown function called: ${name}`, false)
  }
  const [value, ...others] = values
  if (value === undefined || others.length > 0) {
    const problem = `${name}: expected 1 arguments, got ${values.length}`
    throw new InterpolationError(`${location}: ${problem}`, false)
  }
  const text = interpolate(value, scope)
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return scope.match(Math.trunc(Number(text)))
  const problem = `strconv.ParseInt: parsing ${quoteGo(text)}: invalid syntax`
  throw new InterpolationError(`__builtin_StringToInt: ${problem}`, false)
}
