import { unquoteGo } from '../../go/text.ts'
import type { CharacterSet, Scanner } from './scanner.ts'
import type { Selector } from './syntax.ts'

const set = (name: string, has = new RegExp(`^${name}$`)): CharacterSet => ({ name, has })
const blank = set('[ \\t\\r\\n]')
const letter = set('[a-zA-Z]')
const wordCharacter = set('[a-zA-Z0-9_/]')
const digit = set('[0-9]')
const firstDigit = set('[1-9]')
const pointerCharacter = set('[\\pL\\pN-_.~:|]', /^[\p{L}\p{N}\-_.~:|]$/u)

/** The smaller rules of the grammar: selectors, values, words. Each reads nothing where it returns nothing. */
export class Terms {
  readonly #scan: Scanner

  constructor(scanner: Scanner) {
    this.#scan = scanner
  }

  blanks(): boolean {
    return this.#scan.someOf(blank)
  }

  /** A word between blanks. */
  word(word: string): boolean {
    return this.blanks() && this.#scan.literal(word) && this.blanks()
  }

  selector(): Selector | undefined {
    return this.#path() ?? this.#pointer()
  }

  /** Returns what something is compared with. A word that looks like a selector is its text. */
  value(): string | undefined {
    return this.#path()?.text ?? this.#number() ?? this.#quoted()
  }

  identifier(): string | undefined {
    const start = this.#scan.at
    if (!this.#scan.oneOf(letter)) return undefined
    this.#scan.someOf(wordCharacter)
    return this.#scan.text.slice(start, this.#scan.at)
  }

  /** Names and indexes: `Meta["a b"].x.0`. */
  #path(): Selector | undefined {
    return this.#scan.once('path', () => {
      const first = this.identifier()
      if (first === undefined) return undefined
      const parts = [first]
      for (let part = this.#part(); part !== undefined; part = this.#part()) parts.push(part)
      return { text: parts.join('.'), parts }
    })
  }

  #part(): string | undefined {
    return (
      this.#scan.try(() => (this.#scan.literal('.') ? this.identifier() : undefined)) ??
      this.#index() ??
      this.#scan.try(() => (this.#scan.literal('.') ? this.#some(digit) : undefined))
    )
  }

  #index(): string | undefined {
    const scan = this.#scan
    return (
      scan.try(() => {
        const key = this.#key()
        return key !== undefined && scan.literal(']') ? key : undefined
      }) ??
      scan.try(() => {
        if (!this.#bracket() || !scan.not(() => this.#quoted())) return undefined
        return scan.fault('index', 'Invalid index')
      }) ??
      scan.try(() => {
        if (this.#key() === undefined || !scan.not(() => scan.literal(']'))) return undefined
        return scan.fault('index', 'Unclosed index expression')
      })
    )
  }

  #bracket(): boolean {
    if (!this.#scan.literal('[')) return false
    this.blanks()
    return true
  }

  #key(): string | undefined {
    const key = this.#bracket() ? this.#quoted() : undefined
    if (key !== undefined) this.blanks()
    return key
  }

  /** A JSON pointer in quotes: `"/Meta/a.b"`. */
  #pointer(): Selector | undefined {
    return this.#scan.once('pointer', () => {
      if (!this.#scan.literal('"')) return undefined
      const parts: string[] = []
      for (let part = this.#segment(); part !== undefined; part = this.#segment()) {
        parts.push(part.replaceAll('~1', '/').replaceAll('~0', '~'))
      }
      if (!this.#scan.literal('"')) return undefined
      // The reference reads no segments as one that is empty.
      return { text: parts.join('/'), parts: parts.length === 0 ? [''] : parts }
    })
  }

  #segment(): string | undefined {
    return this.#scan.try(() =>
      this.#scan.literal('/') ? this.#some(pointerCharacter) : undefined,
    )
  }

  #number(): string | undefined {
    return this.#scan.once('number', () => {
      const scan = this.#scan
      const start = scan.at
      scan.literal('-')
      if (!scan.literal('0')) {
        if (!scan.oneOf(firstDigit)) return undefined
        scan.someOf(digit)
      }
      scan.try(() => (scan.literal('.') && scan.someOf(digit)) || undefined)
      const text = scan.text.slice(start, scan.at)
      return this.#isAfterNumber() ? text : scan.fault('number', 'Invalid number literal')
    })
  }

  #isAfterNumber(): boolean {
    const { at } = this.#scan
    const follows = this.blanks() || this.#scan.end() || this.#scan.literal(')')
    this.#scan.at = at
    return follows
  }

  /** Text in quotes, which escaped quotes end too, or between backquotes. */
  #quoted(): string | undefined {
    return this.#scan.once('string', () => {
      const scan = this.#scan
      const start = scan.at
      const quote = ['`', '"'].find((each) => scan.literal(each))
      if (quote === undefined) return undefined
      const end = scan.text.indexOf(quote, scan.at)
      if (end < 0) {
        scan.at = scan.text.length
        return scan.fault('string', 'Unterminated string literal')
      }
      scan.at = end + 1
      const text = unquoteGo(scan.text.slice(start, end + 1))
      if (text === undefined) scan.fault('string', 'invalid syntax', start)
      return text ?? ''
    })
  }

  #some(characters: CharacterSet): string | undefined {
    const start = this.#scan.at
    return this.#scan.someOf(characters) ? this.#scan.text.slice(start, this.#scan.at) : undefined
  }
}
