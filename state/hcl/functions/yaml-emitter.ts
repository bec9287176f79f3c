import { compareBytewise } from '../../json/json.ts'
import { formatNumber } from '../language/convert.ts'
import type { HclFunctionContext } from '../language/function.ts'
import { type HclMapping, type HclValue, isSequence } from '../language/values.ts'

type Spend = HclFunctionContext['spend']

/** Lines are broken at the first blank beyond this column. */
const widestLine = 80

/** Keys longer than this, in bytes, take the form that begins with a question mark. */
const longestKey = 128

/** A value as YAML the way the reference's emitter writes it: blocks, texts in double quotes. */
export function encodeYaml(value: HclValue, spend: Spend): string {
  const emitter = new Emitter(spend)
  emitter.node(value, { indent: -1, inMapping: false })
  return emitter.finish(isPlain(value))
}

/** Where a node stands. */
interface Place {
  /** The column of the block around it; -1 around the document. */
  readonly indent: number
  /** Whether it is a value (or key) of a mapping: sequences there are not indented. */
  readonly inMapping: boolean
}

function isPlain(value: HclValue): boolean {
  return value === null || typeof value === 'number' || typeof value === 'boolean'
}

class Emitter {
  readonly #spend: Spend
  #text = ''
  #column = 0
  /** Whether only blanks and indicators that count as such are before this point of the line. */
  #indention = true
  #whitespace = true

  constructor(spend: Spend) {
    this.#spend = spend
  }

  finish(endsOpen: boolean): string {
    this.#newLine(0)
    return endsOpen ? `${this.#text}...\n` : this.#text
  }

  node(value: HclValue, place: Place): void {
    if (typeof value === 'string') this.#string(value, place, false)
    else if (value === null || typeof value === 'boolean') this.#plain(String(value))
    else if (typeof value === 'number') this.#plain(formatNumber(value))
    else if (isSequence(value)) this.#sequence(value.items, place)
    else this.#mapping(value, place)
  }

  #sequence(items: readonly HclValue[], { indent: outer, inMapping }: Place): void {
    if (items.length === 0) {
      this.#indicator('[', true)
      this.#write(']')
      return
    }
    const indent = inMapping && !this.#indention ? Math.max(outer, 0) : deeper(outer)
    for (const item of items) {
      this.#newLine(indent)
      this.#indicator('-', true, true)
      this.node(item, { indent, inMapping: false })
    }
  }

  #mapping({ entries }: HclMapping, { indent: outer }: Place): void {
    if (entries.size === 0) {
      this.#indicator('{', true)
      this.#write('}')
      return
    }
    const indent = deeper(outer)
    const place = { indent, inMapping: true }
    for (const [key, item] of [...entries].sort(([a], [b]) => compareBytewise(a, b))) {
      this.#newLine(indent)
      if (!hasBreak(key) && Buffer.byteLength(key) <= longestKey) {
        this.#string(key, place, true)
        this.#indicator(':', false)
      } else {
        this.#indicator('?', true, true)
        this.#string(key, place, false)
        this.#newLine(indent)
        this.#indicator(':', true, true)
      }
      this.node(item, place)
    }
  }

  #plain(text: string): void {
    if (!this.#whitespace) this.#write(' ')
    this.#write(text)
  }

  #string(text: string, { indent }: Place, isKey: boolean): void {
    this.#spend(text.length)
    const inner = indent < 0 ? 2 : indent + 2
    if (!isKey && text.includes('\n') && fitsBlock(text)) this.#literal(text, inner)
    else this.#quoted(text, inner, !isKey)
  }

  /** A text in lines as they are, with hints for blanks at the start and line ends at the end. */
  #literal(text: string, indent: number): void {
    const hint = /^[ \n\u2028\u2029]/.test(text) ? '2' : ''
    const [breaks = ''] = /[\n\u2028\u2029]*$/.exec(text.slice(-2)) ?? []
    const whole = breaks.length === text.length
    this.#indicator(`|${hint}${['-', whole ? '+' : '', '+'][breaks.length] ?? ''}`, true)
    this.#breakLine()
    for (const [, line = '', end = ''] of text.matchAll(
      /([^\n\u2028\u2029]*)([\n\u2028\u2029]|$)/g,
    )) {
      if (line !== '') {
        this.#newLine(indent)
        this.#write(line)
      }
      if (end !== '') this.#breakLine(end)
    }
  }

  #quoted(text: string, indent: number, mayBreak: boolean): void {
    this.#indicator('"', true)
    let afterBlank = false
    const characters = Array.from(text)
    for (const [at, character] of characters.entries()) {
      const isBlank = character === ' '
      const isInside = at > 0 && at < characters.length - 1
      if (isBlank && mayBreak && !afterBlank && this.#column > widestLine && isInside) {
        this.#newLine(indent)
        if (characters[at + 1] === ' ') this.#write('\\')
      } else this.#write(escaped(character))
      afterBlank = isBlank
    }
    this.#write('"')
  }

  #indicator(mark: string, needsBlank: boolean, isIndention = false): void {
    if (needsBlank && !this.#whitespace) this.#write(' ')
    const indention = this.#indention && isIndention
    this.#write(mark)
    this.#indention = indention
  }

  #newLine(indent: number): void {
    const fits = this.#indention && this.#column <= indent
    if (!fits || (this.#column === indent && !this.#whitespace)) this.#breakLine()
    const missing = Math.max(indent - this.#column, 0)
    this.#spend(missing)
    this.#write(' '.repeat(missing))
    this.#whitespace = true
    this.#indention = true
  }

  #breakLine(end = '\n'): void {
    this.#spend(1)
    this.#text += end
    this.#column = 0
    this.#indention = true
    this.#whitespace = true
  }

  #write(text: string): void {
    this.#text += text
    this.#column += text.length
    this.#whitespace = false
    this.#indention = false
  }
}

function deeper(indent: number): number {
  return indent < 0 ? 0 : indent + 2
}

function hasBreak(text: string): boolean {
  return /[\r\n\x85\u2028\u2029]/.test(text)
}

/** What the emitter writes as it is: not what is beyond the first 65,536 characters of Unicode. */
const printable = /^[\n -~\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]$/u

/** Whether a text can stand in lines of its own: without blanks at their ends and odd characters. */
function fitsBlock(text: string): boolean {
  return (
    !text.endsWith(' ') &&
    !/ [\n\u2028\u2029]/.test(text) &&
    Array.from(text).every((character) => printable.test(character))
  )
}

const escapes: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\x85': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
}

function escaped(character: string): string {
  const known = escapes[character]
  if (known !== undefined) return known
  if (printable.test(character)) return character
  const digits = (character.codePointAt(0) ?? 0).toString(16).toUpperCase()
  if (digits.length <= 2) return `\\x${digits.padStart(2, '0')}`
  return digits.length <= 4 ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`
}
