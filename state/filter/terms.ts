import { unquoteGo } from '../go/text.ts'
import type { CharacterSet, Scanner } from './scanner.ts'
import type { Selector } from './syntax.ts'

const characterSet = (name: string, pattern = new RegExp(`^${name}$`)): CharacterSet => ({
  name,
  pattern,
})
const blank = characterSet('[ \\t\\r\\n]')
const letter = characterSet('[a-zA-Z]')
const wordCharacter = characterSet('[a-zA-Z0-9_/]')
/** Characters of words in releases of the library that have no JSON pointers. */
const legacyWordCharacter = characterSet('[a-zA-Z0-9_]')
const digit = characterSet('[0-9]')
const firstDigit = characterSet('[1-9]')
const pointerCharacter = characterSet('[\\pL\\pN-_.~:|]', /^[\p{L}\p{N}\-_.~:|]$/u)

/**
 * The rules of the grammar for selectors, values and words. A rule that returns undefined has read
 * nothing.
 */
export class Terms {
  readonly #scanner: Scanner
  readonly #hasPointers: boolean

  constructor(scanner: Scanner, hasPointers: boolean) {
    this.#scanner = scanner
    this.#hasPointers = hasPointers
  }

  skipBlanks(): boolean {
    return this.#scanner.manyOf(blank)
  }

  /** Reads a word that is surrounded by whitespace. */
  word(word: string): boolean {
    return this.skipBlanks() && this.#scanner.literal(word) && this.skipBlanks()
  }

  selector(): Selector | undefined {
    return this.#path() ?? (this.#hasPointers ? this.#pointer() : undefined)
  }

  /** Reads the value of a comparison. A word that looks like a selector is a value here. */
  value(): string | undefined {
    return this.#path()?.text ?? this.#number() ?? this.#quoted()
  }

  identifier(): string | undefined {
    const start = this.#scanner.at
    if (!this.#scanner.oneOf(letter)) return undefined
    this.#scanner.manyOf(this.#hasPointers ? wordCharacter : legacyWordCharacter)
    return this.#scanner.text.slice(start, this.#scanner.at)
  }

  /** Reads names and indexes: `Meta["a b"].x.0`. */
  #path(): Selector | undefined {
    return this.#scanner.runMemoized('path', () => {
      const first = this.identifier()
      if (first === undefined) return undefined
      const parts = [first]
      for (let part = this.#part(); part !== undefined; part = this.#part()) parts.push(part)
      return { text: parts.join('.'), parts }
    })
  }

  #part(): string | undefined {
    return (
      this.#scanner.try(() => (this.#scanner.literal('.') ? this.identifier() : undefined)) ??
      this.#index() ??
      this.#scanner.try(() => (this.#scanner.literal('.') ? this.#oneOrMore(digit) : undefined))
    )
  }

  #index(): string | undefined {
    const scanner = this.#scanner
    return (
      scanner.try(() => {
        const key = this.#key()
        return key !== undefined && scanner.literal(']') ? key : undefined
      }) ??
      scanner.try(() => {
        if (!this.#openingBracket() || !scanner.not(() => this.#quoted())) return undefined
        return scanner.fail('index', 'Invalid index')
      }) ??
      scanner.try(() => {
        if (this.#key() === undefined || !scanner.not(() => scanner.literal(']'))) return undefined
        return scanner.fail('index', 'Unclosed index expression')
      })
    )
  }

  #openingBracket(): boolean {
    if (!this.#scanner.literal('[')) return false
    this.skipBlanks()
    return true
  }

  #key(): string | undefined {
    const key = this.#openingBracket() ? this.#quoted() : undefined
    if (key !== undefined) this.skipBlanks()
    return key
  }

  /** Reads a quoted JSON pointer: `"/Meta/a.b"`. */
  #pointer(): Selector | undefined {
    return this.#scanner.runMemoized('pointer', () => {
      if (!this.#scanner.literal('"')) return undefined
      const parts: string[] = []
      for (let part = this.#segment(); part !== undefined; part = this.#segment()) {
        parts.push(part.replaceAll('~1', '/').replaceAll('~0', '~'))
      }
      if (!this.#scanner.literal('"')) return undefined
      // As in the reference, an empty pointer counts as one empty segment.
      return { text: parts.join('/'), parts: parts.length === 0 ? [''] : parts }
    })
  }

  #segment(): string | undefined {
    return this.#scanner.try(() =>
      this.#scanner.literal('/') ? this.#oneOrMore(pointerCharacter) : undefined,
    )
  }

  #number(): string | undefined {
    return this.#scanner.runMemoized('number', () => {
      const scanner = this.#scanner
      const start = scanner.at
      scanner.literal('-')
      if (!scanner.literal('0')) {
        if (!scanner.oneOf(firstDigit)) return undefined
        scanner.manyOf(digit)
      }
      scanner.try(() => (scanner.literal('.') && scanner.manyOf(digit)) || undefined)
      const text = scanner.text.slice(start, scanner.at)
      return this.#isNumberEnd() ? text : scanner.fail('number', 'Invalid number literal')
    })
  }

  #isNumberEnd(): boolean {
    const { at } = this.#scanner
    const isNumberEnd = this.skipBlanks() || this.#scanner.end() || this.#scanner.literal(')')
    this.#scanner.at = at
    return isNumberEnd
  }

  /**
   * Reads text in double quotes or backquotes. As in the reference, the first quote ends the text,
   * even after a backslash.
   */
  #quoted(): string | undefined {
    return this.#scanner.runMemoized('string', () => {
      const scanner = this.#scanner
      const start = scanner.at
      const quote = ['`', '"'].find((each) => scanner.literal(each))
      if (quote === undefined) return undefined
      const end = scanner.text.indexOf(quote, scanner.at)
      if (end < 0) {
        scanner.at = scanner.text.length
        return scanner.fail('string', 'Unterminated string literal')
      }
      scanner.at = end + 1
      const text = unquoteGo(scanner.text.slice(start, end + 1))
      if (text === undefined) scanner.fail('string', 'invalid syntax', start)
      return text ?? ''
    })
  }

  #oneOrMore(characters: CharacterSet): string | undefined {
    const start = this.#scanner.at
    return this.#scanner.manyOf(characters)
      ? this.#scanner.text.slice(start, this.#scanner.at)
      : undefined
  }
}
