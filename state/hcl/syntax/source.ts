/** A place in a source text. */
export interface Position {
  /** Line, from 1. */
  readonly line: number
  /** Column in characters as a reader counts them, from 1. */
  readonly column: number
  /** Bytes of UTF-8 before this place. */
  readonly byte: number
  /** UTF-16 code units before this place: what `String.prototype.slice` takes. */
  readonly offset: number
}

/** A stretch of a source text; `end` is the first place after it. */
export interface Range {
  /** The name given to the parser; it only serves messages. */
  readonly file: string
  readonly start: Position
  readonly end: Position
}

/** Where every text starts. */
export const ORIGIN: Position = { line: 1, column: 1, byte: 0, offset: 0 }

/** `file:3,1-2` within one line, `file:3,1-4,2` over several, `<nil>` for nowhere. */
export function formatRange(range: Range | undefined): string {
  if (range === undefined) return '<nil>'
  const { file, start, end } = range
  const from = `${file}:${start.line},${start.column}-`
  return start.line === end.line ? `${from}${end.column}` : `${from}${end.line},${end.column}`
}

/** Returns the stretch from the start of one range to the end of another of the same text. */
export function spanning(from: Range, to: Range): Range {
  if (from instanceof PlainRange && to instanceof PlainRange) return from.upTo(to)
  return { file: from.file, start: from.start, end: to.end }
}

/** Returns what of a range stands behind another one that it begins with. */
export function rangeBehind(first: Range, { file, end }: Range): Range {
  return { file, start: first.end, end }
}

/**
 * A text without characters beyond ASCII. Its ranges are offsets: lines and columns, which only
 * messages tell, are worked out when they are asked for.
 */
export class PlainText {
  readonly file: string
  readonly #text: string
  readonly #origin: Position
  /** The place that was asked for last; most are asked for in order. */
  #known: Position

  /** @param origin where the text, of which it may be the rest, stands in its file */
  constructor(text: string, file: string, origin: Position) {
    this.file = file
    this.#text = text
    this.#origin = origin
    this.#known = origin
  }

  /** Returns whether a text is such a one. */
  static is(text: string): boolean {
    return !/[\u0080-\uffff]/.test(text)
  }

  range(from: number, to: number): Range {
    return new PlainRange(this, from, to)
  }

  /** Returns the place at an offset. */
  at(offset: number): Position {
    const from = offset < this.#known.offset ? this.#origin : this.#known
    this.#known = behind(from, this.#text.slice(from.offset, offset))
    return this.#known
  }
}

class PlainRange implements Range {
  readonly text: PlainText
  readonly from: number
  readonly to: number

  constructor(text: PlainText, from: number, to: number) {
    this.text = text
    this.from = from
    this.to = to
  }

  get file(): string {
    return this.text.file
  }

  get start(): Position {
    return this.text.at(this.from)
  }

  get end(): Position {
    return this.text.at(this.to)
  }

  /** Returns the range from the start of this one to the end of another. */
  upTo(other: PlainRange): Range {
    return new PlainRange(this.text, this.from, other.to)
  }
}

/**
 * Returns the place that many ASCII characters further on the same line; before it for a negative
 * number.
 */
export function onward({ line, column, byte, offset }: Position, by: number): Position {
  return { line, column: column + by, byte: byte + by, offset: offset + by }
}

/** Bytes of UTF-8 that the code point starting at `offset` takes. */
export function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

const JOINER = 0x200d
/** Accents, variation selectors and skin tones: they belong to the character before them. */
const EXTENDING = /[\p{M}\p{EMod}\u200c\u200d]/u
const PICTURE = /\p{ExtPict}/u

function isRegional(codePoint: number): boolean {
  return codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff
}

/**
 * The place behind a text that starts at `start`. An accented letter, a joined emoji and a flag are
 * one column each; decomposed Hangul, the one other case, counts its parts. (`Intl.Segmenter` knows
 * them all but takes microseconds for each.)
 */
export function behind(start: Position, text: string): Position {
  let { line, column, byte } = start
  let before = 0
  for (let index = 0; index < text.length; index++) {
    let codePoint = text.charCodeAt(index)
    if (codePoint < 0x80) {
      byte++
      if (codePoint === 0x0a) {
        line++
        column = 1
      } else {
        column++
      }
      before = codePoint
      continue
    }
    codePoint = text.codePointAt(index) ?? 0
    if (codePoint > 0xffff) index++
    byte += utf8Length(codePoint)
    const character = String.fromCodePoint(codePoint)
    if (isRegional(codePoint) && isRegional(before)) codePoint = 0
    else if (before === 0 || !continues(before, codePoint, character)) column++
    before = codePoint
  }
  return { line, column, byte, offset: start.offset + text.length }
}

function continues(before: number, codePoint: number, character: string): boolean {
  if (codePoint < 0x300) return false
  return EXTENDING.test(character) || (before === JOINER && PICTURE.test(character))
}

/** Bounds that every parser of this folder accepts. */
export interface ParseLimits {
  /** UTF-16 code units; a longer text is refused unread. Default 32 Mi, the largest request body. */
  readonly maxLength?: number
  /** Levels of nested blocks, brackets, templates and unary operators. Default 250. */
  readonly maxDepth?: number
}

/** The default of `ParseLimits.maxLength`. */
export const DEFAULT_MAX_LENGTH = 32 * 1024 * 1024
/** The default of `ParseLimits.maxDepth`. */
export const DEFAULT_MAX_DEPTH = 250
