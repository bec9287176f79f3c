import { type Position, utf8Length } from './source.ts'

/**
 * Returns the match of a sticky pattern (flag `y`) at an offset; undefined if there is no match.
 * Use sticky patterns only with this function: it sets their position before each use, so a pattern
 * at module level carries no state from one text to the next.
 */
export function matchAt(
  pattern: RegExp,
  text: string,
  offset: number,
): RegExpExecArray | undefined {
  pattern.lastIndex = offset
  return pattern.exec(text) ?? undefined
}

/**
 * Position in a text that is read once, from start to end. The position consists of the offset, the
 * line, the column in code points, and the number of UTF-8 bytes.
 */
export class Cursor {
  readonly text: string
  #offset = 0
  #line = 1
  #column = 1
  #byte = 0

  constructor(text: string) {
    this.text = text
  }

  get offset(): number {
    return this.#offset
  }

  get position(): Position {
    return { line: this.#line, column: this.#column, byte: this.#byte, offset: this.#offset }
  }

  /** The character at the cursor; empty at the end. */
  get character(): string {
    return this.text.charAt(this.#offset)
  }

  /** Moves forward to `offset`. Does nothing if the cursor is already past it. */
  moveTo(offset: number): void {
    while (this.#offset < offset) {
      const codePoint = this.text.codePointAt(this.#offset) ?? 0
      this.#offset += codePoint > 0xffff ? 2 : 1
      this.#byte += utf8Length(codePoint)
      if (codePoint === 0x0a) {
        this.#line++
        this.#column = 1
      } else {
        this.#column++
      }
    }
  }

  /**
   * Matches a sticky pattern at the cursor, moves past the match and returns the matched text.
   * Returns undefined if the pattern does not match.
   */
  match(pattern: RegExp): string | undefined {
    const from = this.#offset
    pattern.lastIndex = from
    // Unlike `exec`, `test` does not create a list of groups. For short tokens, creating that list
    // would take most of the time.
    if (!pattern.test(this.text)) return undefined
    this.moveTo(pattern.lastIndex)
    return this.text.slice(from, this.#offset)
  }
}
