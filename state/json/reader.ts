import type { JsonErrorKind, JsonReaderOptions } from './reader-options.ts'

/**
 * A container whose closing bracket has not been read yet. With `toleratesBadKeys`, an invalid key
 * has a frame as well, while it is parsed as a value.
 */
interface Frame<Value, Key, Mark> {
  readonly kind: 'array' | 'object' | 'key'
  readonly values: Value[]
  readonly keys: Key[]
  readonly start: number
  readonly from: Mark
}

const surrogatePattern = /[\ud800-\udfff]/gu
const controlPattern = /\p{Cc}/gu
const hexDigit = /[0-9a-fA-F]/
const simpleEscape = /["\\/bfnrt]/

/**
 * Parses JSON text with the given options. The function is iterative, so deep nesting does not
 * exhaust the stack.
 * @throws the error that the options create for the first problem
 */
export function readJson<Value, Key, Mark>(
  text: string,
  options: JsonReaderOptions<Value, Key, Mark>,
): Value {
  return new Reader(text, options).document()
}

class Reader<Value, Key, Mark> {
  readonly #text: string
  readonly #options: JsonReaderOptions<Value, Key, Mark>
  readonly #open: Frame<Value, Key, Mark>[] = []
  #at = 0
  /** Start of the current string, number or word. */
  #token = -1

  constructor(text: string, options: JsonReaderOptions<Value, Key, Mark>) {
    this.#text = text
    this.#options = options
  }

  document(): Value {
    for (;;) {
      let value = this.#value()
      // A container is complete only when its contents are complete.
      while (value !== undefined) {
        const parent = this.#open.at(-1)
        if (parent === undefined) return this.#checkEnd(value)
        value = this.#attach(parent, value)
      }
    }
  }

  #checkEnd(value: Value): Value {
    if (!this.#options.firstValueOnly) {
      this.#skipSpace()
      if (this.#at < this.#text.length) this.#fail('end')
    }
    return value
  }

  /**
   * Parses one value. Returns undefined after the opening bracket of a container that is not empty.
   */
  #value(): Value | undefined {
    this.#skipSpace()
    const first = this.#text[this.#at]
    switch (first) {
      case '{':
        return this.#openContainer('object', '}')
      case '[':
        return this.#openContainer('array', ']')
      case '"': {
        const from = this.#options.mark(this.#at)
        return this.#options.string(this.#string(), from, this.#options.mark(this.#at))
      }
      case 't':
        return this.#word('true', true)
      case 'f':
        return this.#word('false', false)
      case 'n':
        return this.#word('null', null)
    }
    if (first === '-' || isDigit(first)) return this.#number()
    return this.#fail('value')
  }

  #openContainer(kind: 'array' | 'object', closing: string): Value | undefined {
    if (this.#open.length === this.#options.maxDepth) this.#fail('depth')
    const start = this.#at
    const frame = { kind, values: [], keys: [], start, from: this.#options.mark(start) }
    this.#at += 1
    this.#skipSpace()
    if (this.#text[this.#at] === closing) return this.#closeContainer(frame)
    this.#open.push(frame)
    if (kind === 'object') this.#key(frame)
    return undefined
  }

  /** Returns the container that the current bracket closes. */
  #closeContainer({ kind, keys, values, from }: Frame<Value, Key, Mark>): Value {
    this.#at += 1
    const to = this.#options.mark(this.#at)
    return kind === 'array'
      ? this.#options.array(values, from, to)
      : this.#options.object(keys, values, from, to)
  }

  /** Adds a value to its container. Returns the container if the value completes it. */
  #attach(parent: Frame<Value, Key, Mark>, value: Value): Value | undefined {
    if (parent.kind === 'key') this.#fail('key', parent.start)
    parent.values.push(value)
    this.#skipSpace()
    const closing = parent.kind === 'array' ? ']' : '}'
    if (this.#text[this.#at] === ',') {
      this.#at += 1
      this.#skipSpace()
      const isTrailingComma = this.#options.trailingCommas && this.#text[this.#at] === closing
      if (!isTrailingComma) {
        if (parent.kind === 'object') this.#key(parent)
        return undefined
      }
    }
    if (this.#text[this.#at] !== closing) this.#fail(parent.kind)
    this.#open.pop()
    return this.#closeContainer(parent)
  }

  #key(object: Frame<Value, Key, Mark>): void {
    const from = this.#options.mark(this.#at)
    if (this.#text[this.#at] !== '"') {
      if (!this.#options.toleratesBadKeys) this.#fail('key')
      this.#open.push({ kind: 'key', values: [], keys: [], start: this.#at, from })
      return
    }
    const key = this.#string()
    const to = this.#options.mark(this.#at)
    this.#skipSpace()
    if (this.#text[this.#at] !== ':') this.#fail('colon')
    this.#at += 1
    object.keys.push(this.#options.key(key, from, to))
  }

  /** Parses a string and returns its decoded text. */
  #string(): string {
    const start = this.#at
    this.#token = start
    let hasEscape = false
    for (;;) {
      this.#at += 1
      const code = this.#text.charCodeAt(this.#at)
      if (code === 0x22) break
      if (Number.isNaN(code) || this.#options.isForbidden(code)) this.#fail('string')
      if (code === 0x5c) {
        hasEscape = true
        this.#escape()
      }
    }
    this.#at += 1
    this.#token = -1
    return hasEscape
      ? decodeString(this.#text.slice(start, this.#at))
      : this.#text.slice(start + 1, this.#at - 1)
  }

  /** Skips an escape, from its backslash to its last character. */
  #escape(): void {
    this.#at += 1
    const kind = this.#text[this.#at]
    if (kind === 'u') {
      for (let digit = 0; digit < 4; digit++) {
        this.#at += 1
        if (!hexDigit.test(this.#text[this.#at] ?? '')) this.#fail('hexadecimal')
      }
    } else if (!simpleEscape.test(kind ?? '')) this.#fail('escape')
  }

  #number(): Value {
    const start = this.#at
    const from = this.#options.mark(start)
    this.#token = start
    if (this.#text[this.#at] === '-') this.#at += 1
    if (this.#text[this.#at] === '0') this.#at += 1
    else this.#digits('number')
    if (this.#text[this.#at] === '.') {
      this.#at += 1
      this.#digits('fraction')
    }
    if (this.#text[this.#at] === 'e' || this.#text[this.#at] === 'E') {
      this.#at += 1
      if (this.#text[this.#at] === '+' || this.#text[this.#at] === '-') this.#at += 1
      this.#digits('exponent')
    }
    this.#closeToken(this.#options.forbiddenAfterNumber, 'number end')
    const literal = this.#text.slice(start, this.#at)
    return this.#options.number(literal, from, this.#options.mark(this.#at))
  }

  #digits(kind: JsonErrorKind): void {
    if (!isDigit(this.#text[this.#at])) this.#fail(kind)
    while (isDigit(this.#text[this.#at])) this.#at += 1
  }

  #word(word: string, value: boolean | null): Value {
    const from = this.#options.mark(this.#at)
    this.#token = this.#at
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) this.#fail('word')
      this.#at += 1
    }
    this.#closeToken(this.#options.forbiddenAfterWord, 'word end')
    return this.#options.word(value, from, this.#options.mark(this.#at))
  }

  #closeToken(forbidden: RegExp | undefined, kind: JsonErrorKind): void {
    if (forbidden?.test(this.#character())) this.#fail(kind)
    this.#token = -1
  }

  /** Returns the current character, including both halves of a surrogate pair; empty at the end. */
  #character(): string {
    const code = this.#text.codePointAt(this.#at)
    return code === undefined ? '' : String.fromCodePoint(code)
  }

  #skipSpace(): void {
    for (;;) {
      const character = this.#text[this.#at]
      if (character !== ' ' && character !== '\n' && character !== '\r' && character !== '\t') {
        return
      }
      this.#at += 1
    }
  }

  #fail(kind: JsonErrorKind, token = this.#token < 0 ? this.#at : this.#token): never {
    const open = this.#open.findLast(({ kind }) => kind !== 'key')?.start ?? -1
    throw this.#options.error({ kind, text: this.#text, at: this.#at, token, open })
  }
}

/** Decodes a valid string literal. Half of a surrogate pair becomes the replacement character. */
function decodeString(literal: string): string {
  const validLiteral = literal.replace(
    controlPattern,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const value: unknown = JSON.parse(validLiteral)
  return String(value).replace(surrogatePattern, '\ufffd')
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}
