import { quoteGoCharacter } from '../go/text.ts'
import { Refusal } from '../kernel/refusal.ts'
import { type Json, JsonNumber, type JsonObject, setMember } from './value.ts'

/** How many arrays and objects may lie in one another: Go's limit, which the services have. */
export const maxJsonDepth = 10_000

/** Text that is not JSON; the message is the one of Go's encoding/json. */
export class JsonError extends Refusal {
  constructor(message: string) {
    super('invalid', message)
    this.name = 'JsonError'
  }
}

/** An array or object whose end has not come yet. */
type Open =
  | { readonly items: Json[]; readonly members?: never }
  | { readonly members: JsonObject; key: string; readonly items?: never }

const loneSurrogate = /[\ud800-\udfff]/gu
const hexDigit = /[0-9a-fA-F]/
/** Places where a space, which Go tries at the end of the text, is as wrong as the end itself. */
const indivisible = /^in (?!string literal)|^after decimal point/
const simpleEscape = /["\\/bfnrt]/

/**
 * Parses JSON text without native help: keeps number literals, bounds the nesting, names the first
 * fault as Go does. Iterative, so that depth costs no stack. Slower than `JSON.parse` by a small
 * factor; `parseJson` only comes here when it must.
 */
export function readJson(text: string): Json {
  return new Reader(text).document()
}

class Reader {
  readonly #text: string
  readonly #open: Open[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  document(): Json {
    for (;;) {
      let value = this.#value()
      // A value that opens something is complete only when its own contents are.
      while (value !== undefined) {
        const parent = this.#open.at(-1)
        if (parent === undefined) {
          this.#skipSpace()
          if (this.#at < this.#text.length) this.#fail('after top-level value')
          return value
        }
        value = this.#attach(parent, value)
      }
    }
  }

  /** Reads one value; undefined when it opened a container whose first value comes next. */
  #value(): Json | undefined {
    this.#skipSpace()
    const first = this.#text[this.#at]
    switch (first) {
      case '{':
        return this.#enter({ members: {}, key: '' })
      case '[':
        return this.#enter({ items: [] })
      case '"':
        return this.#string()
      case 't':
        return this.#literal('true', true)
      case 'f':
        return this.#literal('false', false)
      case 'n':
        return this.#literal('null', null)
    }
    if (first === '-' || isDigit(first)) return this.#number()
    return this.#fail('looking for beginning of value')
  }

  #enter(container: Open): Json | undefined {
    if (this.#open.length === maxJsonDepth) this.#fail('exceeded max depth')
    this.#at += 1
    this.#skipSpace()
    if (this.#text[this.#at] === (container.items ? ']' : '}')) {
      this.#at += 1
      return container.items ?? container.members
    }
    this.#open.push(container)
    if (container.members) container.key = this.#key()
    return undefined
  }

  /** Adds a finished value to its container; returns the container when that ends it. */
  #attach(parent: Open, value: Json): Json | undefined {
    if (parent.items) parent.items.push(value)
    else setMember(parent.members, parent.key, value)
    this.#skipSpace()
    const next = this.#text[this.#at]
    if (next === ',') {
      this.#at += 1
      if (parent.members) {
        this.#skipSpace()
        parent.key = this.#key()
      }
      return undefined
    }
    if (next === (parent.items ? ']' : '}')) {
      this.#at += 1
      this.#open.pop()
      return parent.items ?? parent.members
    }
    return this.#fail(parent.items ? 'after array element' : 'after object key:value pair')
  }

  #key(): string {
    if (this.#text[this.#at] !== '"') this.#fail('looking for beginning of object key string')
    const key = this.#string()
    this.#skipSpace()
    if (this.#text[this.#at] !== ':') this.#fail('after object key')
    this.#at += 1
    return key
  }

  #string(): string {
    const start = this.#at
    let hasEscape = false
    for (;;) {
      this.#at += 1
      const character = this.#text[this.#at]
      if (character === '"') break
      if (character === undefined || character < ' ') this.#fail('in string literal')
      if (character === '\\') {
        hasEscape = true
        this.#escape()
      }
    }
    this.#at += 1
    if (!hasEscape) return this.#text.slice(start + 1, this.#at - 1)
    const decoded: unknown = JSON.parse(this.#text.slice(start, this.#at))
    // Half a surrogate pair has no UTF-8 form: Go reads it as the replacement character.
    return String(decoded).replace(loneSurrogate, '\ufffd')
  }

  /** Steps over an escape, from its backslash to its last character. */
  #escape(): void {
    this.#at += 1
    const kind = this.#text[this.#at]
    if (kind === 'u') {
      for (let digit = 0; digit < 4; digit++) {
        this.#at += 1
        if (!hexDigit.test(this.#text[this.#at] ?? '')) {
          this.#fail('in \\u hexadecimal character escape')
        }
      }
    } else if (!simpleEscape.test(kind ?? '')) this.#fail('in string escape code')
  }

  #number(): Json {
    const start = this.#at
    if (this.#text[this.#at] === '-') this.#at += 1
    if (this.#text[this.#at] === '0') this.#at += 1
    else this.#digits('in numeric literal')
    if (this.#text[this.#at] === '.') {
      this.#at += 1
      this.#digits('after decimal point in numeric literal')
    }
    if (this.#text[this.#at] === 'e' || this.#text[this.#at] === 'E') {
      this.#at += 1
      if (this.#text[this.#at] === '+' || this.#text[this.#at] === '-') this.#at += 1
      this.#digits('in exponent of numeric literal')
    }
    const literal = this.#text.slice(start, this.#at)
    const number = Number(literal)
    return String(number) === literal ? number : new JsonNumber(literal)
  }

  #digits(place: string): void {
    if (!isDigit(this.#text[this.#at])) this.#fail(place)
    while (isDigit(this.#text[this.#at])) this.#at += 1
  }

  #literal<T extends Json>(word: string, value: T): T {
    for (const letter of word) {
      if (this.#text[this.#at] !== letter) {
        this.#fail(`in literal ${word} (expecting '${letter}')`)
      }
      this.#at += 1
    }
    return value
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

  #fail(place: string): never {
    if (this.#at >= this.#text.length && !indivisible.test(place)) {
      throw new JsonError('unexpected end of JSON input')
    }
    throw new JsonError(`invalid character ${quoteGoCharacter(this.#byte())} ${place}`)
  }

  /** The byte that Go stumbles on, as the character of that code. At the end it tries a space. */
  #byte(): string {
    const code = this.#text.codePointAt(this.#at) ?? 0x20
    const [byte = code] = Buffer.from(String.fromCodePoint(code))
    return String.fromCharCode(byte)
  }
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9'
}
