import { type Position, utf8Length } from './source.ts'

/**
 * Returns what a sticky pattern (flag `y`) matches at an offset, if anything. All use of such
 * patterns goes through here: a pattern carries its position with it, which is set anew each time
 * and not read afterwards, so module-level patterns hold nothing from one text to the next.
 */
export function matchAt(
  pattern: RegExp,
  text: string,
  offset: number,
): RegExpExecArray | undefined {
  pattern.lastIndex = offset
  return pattern.exec(text) ?? undefined
}

/** Walks a text once, forwards, and knows line and column of where it stands, in code points. */
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

  /** Moves on to `offset`, which must not lie behind the cursor. */
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

  /** Moves over what a sticky pattern matches here. */
  match(pattern: RegExp): string | undefined {
    const found = matchAt(pattern, this.text, this.#offset)?.[0]
    if (found !== undefined) this.moveTo(this.#offset + found.length)
    return found
  }
}
