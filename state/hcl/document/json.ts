import { Cursor } from '../syntax/cursor.ts'
import { HclError, located } from '../syntax/error.ts'
import { matchAt } from '../syntax/sticky.ts'
import type { Document, Item, Value } from './document.ts'

const BLANK = /[ \t\n\r]+/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const WORD = /[a-z]+/y

/**
 * Reads the JSON form of an HCL1 document. Besides JSON it takes a comma too many before a closing
 * bracket, as the real parser does; unlike that one it does not take a document that is cut short.
 * Throws HclError.
 */
export function readJsonDocument(text: string, maxDepth: number): Document {
  return new JsonParser(text, maxDepth).file()
}

class JsonParser {
  readonly #cursor: Cursor
  readonly #maxDepth: number
  #depth = 0

  constructor(text: string, maxDepth: number) {
    this.#cursor = new Cursor(text)
    this.#maxDepth = maxDepth
  }

  file(): Document {
    this.#blank()
    const document = this.#object()
    this.#blank()
    if (this.#cursor.character !== '') throw this.#unexpected('the end of the document')
    return document
  }

  #object(): Document {
    const items: Item[] = []
    this.#members('}', () => {
      const { position, character } = this.#cursor
      if (character !== '"') throw this.#unexpected('STRING')
      const key = this.#string()
      this.#blank()
      if (this.#cursor.character !== ':') throw this.#unexpected("':'")
      this.#step()
      this.#blank()
      items.push({ key, labels: [], value: this.#value(), position })
    })
    return { items }
  }

  #list(): Value[] {
    const values: Value[] = []
    this.#members(']', () => values.push(this.#value()))
    return values
  }

  /** Runs `member` for everything between the bracket at hand and its closing one. */
  #members(closing: '}' | ']', member: () => void): void {
    if (this.#depth >= this.#maxDepth) {
      throw this.#problem(`nested more than ${this.#maxDepth} levels deep`)
    }
    this.#depth++
    this.#step()
    this.#blank()
    while (this.#cursor.character !== closing) {
      member()
      this.#blank()
      if (this.#cursor.character === ',') {
        this.#step()
        this.#blank()
      } else if (this.#cursor.character !== closing) {
        throw this.#unexpected(`',' or '${closing}'`)
      }
    }
    this.#step()
    this.#depth--
  }

  #value(): Value {
    const cursor = this.#cursor
    switch (cursor.character) {
      case '{':
        return this.#object()
      case '[':
        return this.#list()
      case '"':
        return this.#string()
    }
    const { position } = cursor
    const number = cursor.match(NUMBER)
    if (number !== undefined) {
      const value = Number(number)
      if (!Number.isFinite(value)) throw problemAt(`number out of range: ${number}`, position)
      if (/[0-9.]/.test(cursor.character)) throw this.#problem('numbers cannot start with 0')
      return value
    }
    switch (cursor.match(WORD)) {
      case 'true':
        return true
      case 'false':
        return false
      case 'null':
        // HCL1 has no null; its JSON reader makes an empty string of it.
        return ''
      case undefined:
        throw this.#unexpected('a value')
    }
    throw problemAt('illegal char', position)
  }

  #string(): string {
    const cursor = this.#cursor
    const { text } = cursor
    const start = cursor.offset
    for (let at = start + 1; ; at++) {
      const character = text[at]
      if (character === '"') {
        cursor.moveTo(at + 1)
        return unquote(text.slice(start, at + 1))
      }
      if (character === undefined || character === '\n' || character === '\0') {
        cursor.moveTo(at)
        throw this.#problem('literal not terminated')
      }
      if (character === '\\') {
        const length = matchAt(ESCAPE, text, at)?.[0].length
        if (length === undefined) {
          cursor.moveTo(at + 1)
          throw this.#problem('illegal char escape')
        }
        at += length - 1
      }
    }
  }

  #blank(): void {
    this.#cursor.match(BLANK)
  }

  #step(): void {
    this.#cursor.moveTo(this.#cursor.offset + 1)
  }

  #unexpected(wanted: string): HclError {
    const { text, offset } = this.#cursor
    const codePoint = text.codePointAt(offset)
    const found = codePoint === undefined ? 'EOF' : JSON.stringify(String.fromCodePoint(codePoint))
    return this.#problem(`expected: ${wanted} got: ${found}`)
  }

  #problem(problem: string): HclError {
    return problemAt(problem, this.#cursor.position)
  }
}

function problemAt(problem: string, at: Cursor['position']): HclError {
  return new HclError(`${at.line}:${at.column}: ${problem}`, [located(problem, at)])
}

/** JSON.parse of a string that is known to be one, raw tabs and other controls allowed. */
function unquote(text: string): string {
  const escaped = text.replace(
    /\p{Cc}/gu,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const value: unknown = JSON.parse(escaped)
  return String(value)
}
