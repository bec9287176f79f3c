/** A set of characters and its name in messages. */
export interface CharacterSet {
  readonly name: string
  readonly pattern: RegExp
}

/** Memoized result of a rule at one position, and the offset after the text that the rule read. */
interface MemoEntry {
  readonly value: unknown
  readonly end: number
}

/**
 * Error that `runNested` throws at the limit. The parser reports such an expression as too complex.
 */
export class NestingTooDeepError extends Error {}

/** Maximum nesting depth of parentheses and braces. */
const maxDepth = 100

/**
 * A scanner for a backtracking parser like the reference's. Messages name the farthest position at
 * which parsing failed, and the tokens that were expected there. Results of rules are memoized, so
 * parsing takes linear time.
 */
export class Scanner {
  readonly text: string
  /** Offset of the next character, in UTF-16 code units. */
  at = 0
  #farthest = 0
  readonly #expected = new Set<string>()
  /** True inside `!rule`, where a match counts as unexpected. */
  #isInverted = false
  readonly #errors = new Set<string>()
  readonly #memo = new Map<string, Map<number, MemoEntry>>()
  #depth = 0

  constructor(text: string) {
    this.text = text
  }

  /** Reads exactly this text. Returns false if other text follows. */
  literal(expected: string): boolean {
    const matches = this.text.startsWith(expected, this.at)
    this.#recordExpectation(matches, expected === '"' ? '"\\""' : `"${expected}"`)
    if (matches) this.at += expected.length
    return matches
  }

  /** Reads one character of a set. Returns false if another character follows. */
  oneOf({ name, pattern }: CharacterSet): boolean {
    const character = this.#character()
    const matches = character !== '' && pattern.test(character)
    this.#recordExpectation(matches, name)
    if (matches) this.at += character.length
    return matches
  }

  /**
   * Reads one or more characters of a set. Returns false if the next character is not in the set.
   */
  manyOf(set: CharacterSet): boolean {
    const start = this.at
    while (this.oneOf(set)) {}
    return this.at > start
  }

  /**
   * Returns true at the end of the text. Elsewhere, messages list the end among the expected
   * tokens.
   */
  end(): boolean {
    return this.not(() => {
      const matches = this.at < this.text.length
      this.#recordExpectation(matches, '.')
      return matches || undefined
    })
  }

  /** Returns true if a rule does not match at the current position. Reads nothing. */
  not(rule: () => unknown): boolean {
    const start = this.at
    this.#isInverted = !this.#isInverted
    const value = rule()
    this.#isInverted = !this.#isInverted
    this.at = start
    return value === undefined || value === false
  }

  /** Returns the result of a rule. If the result is undefined, resets the position. */
  try<T>(rule: () => T | undefined): T | undefined {
    const start = this.at
    const value = rule()
    if (value === undefined) this.at = start
    return value
  }

  /** Returns the result of a rule, computed once per position. `rule` must be deterministic. */
  runMemoized<T>(name: string, rule: () => T | undefined): T | undefined {
    const key = this.#isInverted ? `!${name}` : name
    let byPosition = this.#memo.get(key)
    if (byPosition === undefined) {
      byPosition = new Map()
      this.#memo.set(key, byPosition)
    }
    const start = this.at
    const memo = byPosition.get(start)
    if (memo !== undefined) {
      this.at = memo.end
      return memo.value as T | undefined
    }
    const value = this.try(rule)
    byPosition.set(start, { value, end: this.at })
    return value
  }

  /**
   * Runs a rule one nesting level deeper, and returns the result. Throws `NestingTooDeepError` at
   * the limit.
   */
  runNested<T>(rule: () => T): T {
    if (this.#depth >= maxDepth) throw new NestingTooDeepError()
    this.#depth += 1
    const value = rule()
    this.#depth -= 1
    return value
  }

  /** Records an error. The expression is then refused even if another rule matches it. */
  fail(rule: string, problem: string, at = this.at): undefined {
    this.#errors.add(`${this.#position(at)}: rule "${rule}": ${problem}`)
    return undefined
  }

  /**
   * Returns the message for recorded errors. Without errors, returns the message for the farthest
   * failure or, if the whole text matched, undefined.
   */
  problem(isFullMatch: boolean): string | undefined {
    if (this.#errors.size > 0) return [...this.#errors].join('\n')
    return isFullMatch ? undefined : `${this.#position(this.#farthest)}: ${this.#expectation()}`
  }

  #character(): string {
    const code = this.text.codePointAt(this.at)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  #recordExpectation(matches: boolean, expected: string): void {
    if (matches !== this.#isInverted || this.at < this.#farthest) return
    if (this.at > this.#farthest) {
      this.#farthest = this.at
      this.#expected.clear()
    }
    this.#expected.add(this.#isInverted ? `!${expected}` : expected)
  }

  #expectation(): string {
    const names = [...this.#expected].filter((name) => name !== '!.').sort()
    if (this.#expected.has('!.')) names.push('EOF')
    const last = names.pop() ?? ''
    return `no match found, expected: ${names.length === 0 ? '' : `${names.join(', ')} or `}${last}`
  }

  /**
   * Formats a position as `line:column (offset)`; columns count characters, the offset counts
   * bytes.
   */
  #position(at: number): string {
    let line = 1
    let column = 0
    for (const character of `${this.text.slice(0, at)}${this.text.charAt(at) || '.'}`) {
      column += 1
      // As in the reference, a line break belongs to the following line.
      if (character === '\n') [line, column] = [line + 1, 0]
    }
    return `${line}:${column} (${Buffer.byteLength(this.text.slice(0, at))})`
  }
}
