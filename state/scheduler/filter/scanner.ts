/** A set of characters, with its name in messages. */
export interface CharacterSet {
  readonly name: string
  readonly has: RegExp
}

/** The result of a rule at a place, and how far it came. */
interface MemoEntry {
  readonly value: unknown
  readonly end: number
}

/** Thrown to give up at once: the expression is nested too deeply. */
export class NestingTooDeep extends Error {}

/** The depth to which parentheses and braces may be nested. */
const maxDepth = 100

/**
 * A text that is parsed by trying one alternative after the other, as the reference's parser does: the
 * farthest place at which anything failed, and what was expected there, make the message. What a rule
 * gave at a place is remembered, so the time is linear in the text.
 */
export class Scanner {
  readonly text: string
  /** Where the next character is read. */
  at = 0
  #farthest = 0
  readonly #expected = new Set<string>()
  /** Inside `!rule`: what matches there is what must not come. */
  #inverted = false
  readonly #faults = new Set<string>()
  readonly #memo = new Map<string, Map<number, MemoEntry>>()
  #depth = 0

  constructor(text: string) {
    this.text = text
  }

  /** Reads these very characters. */
  literal(expected: string): boolean {
    const matches = this.text.startsWith(expected, this.at)
    this.#recordExpectation(matches, expected === '"' ? '"\\""' : `"${expected}"`)
    if (matches) this.at += expected.length
    return matches
  }

  /** Reads one character of a set. */
  oneOf({ name, has }: CharacterSet): boolean {
    const character = this.#character()
    const matches = character !== '' && has.test(character)
    this.#recordExpectation(matches, name)
    if (matches) this.at += character.length
    return matches
  }

  /** Reads as many characters of a set as there are; false for none. */
  manyOf(set: CharacterSet): boolean {
    const start = this.at
    while (this.oneOf(set)) {}
    return this.at > start
  }

  /** Tells whether nothing is left. */
  end(): boolean {
    return this.not(() => {
      const matches = this.at < this.text.length
      this.#recordExpectation(matches, '.')
      return matches || undefined
    })
  }

  /** Tells whether a rule does not match here; reads nothing. */
  not(rule: () => unknown): boolean {
    const start = this.at
    this.#inverted = !this.#inverted
    const value = rule()
    this.#inverted = !this.#inverted
    this.at = start
    return value === undefined || value === false
  }

  /** Returns what a rule returns here; where it returns nothing, nothing is read. */
  try<T>(rule: () => T | undefined): T | undefined {
    const start = this.at
    const value = rule()
    if (value === undefined) this.at = start
    return value
  }

  /** The same, worked out once for each place. `rule` must return the same whenever it is asked. */
  memoized<T>(name: string, rule: () => T | undefined): T | undefined {
    const key = this.#inverted ? `!${name}` : name
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

  /** Returns what a rule returns one level deeper. */
  nested<T>(rule: () => T): T {
    if (this.#depth >= maxDepth) throw new NestingTooDeep()
    this.#depth += 1
    const value = rule()
    this.#depth -= 1
    return value
  }

  /** Notes a fault, for which the expression is refused whatever else matches. */
  fault(rule: string, problem: string, at = this.at): undefined {
    this.#faults.add(`${this.#position(at)}: rule "${rule}": ${problem}`)
    return undefined
  }

  /** The message for what was noted; undefined where all is well. */
  problem(matched: boolean): string | undefined {
    if (this.#faults.size > 0) return [...this.#faults].join('\n')
    return matched ? undefined : `${this.#position(this.#farthest)}: ${this.#expectation()}`
  }

  #character(): string {
    const code = this.text.codePointAt(this.at)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  #recordExpectation(matches: boolean, expected: string): void {
    if (matches !== this.#inverted || this.at < this.#farthest) return
    if (this.at > this.#farthest) {
      this.#farthest = this.at
      this.#expected.clear()
    }
    this.#expected.add(this.#inverted ? `!${expected}` : expected)
  }

  #expectation(): string {
    const names = [...this.#expected].filter((name) => name !== '!.').sort()
    if (this.#expected.has('!.')) names.push('EOF')
    const last = names.pop() ?? ''
    return `no match found, expected: ${names.length === 0 ? '' : `${names.join(', ')} or `}${last}`
  }

  /** `line:column (offset)`: columns count characters, the offset bytes. */
  #position(at: number): string {
    let line = 1
    let column = 0
    for (const character of `${this.text.slice(0, at)}${this.text.charAt(at) || '.'}`) {
      column += 1
      // The reference counts a line break to the line that follows it.
      if (character === '\n') [line, column] = [line + 1, 0]
    }
    return `${line}:${column} (${Buffer.byteLength(this.text.slice(0, at))})`
  }
}
