export interface Position {
  /** Line number, from 1. */
  readonly line: number
  /**
   * Column, from 1. The column counts grapheme clusters; in HCL1 and JSON, it counts code points.
   */
  readonly column: number
  /** Number of bytes of UTF-8 before the position. */
  readonly byte: number
  /** Number of UTF-16 code units before the position, for `String.prototype.slice`. */
  readonly offset: number
}

/** Part of a source text; `end` is the position after its last character. */
export interface Range {
  /** Name that the caller of the parser gave to the text; used only in messages. */
  readonly file: string
  readonly start: Position
  readonly end: Position
}

/** Position of the first character of a text. */
export const ORIGIN: Position = { line: 1, column: 1, byte: 0, offset: 0 }

/**
 * Formats a range: `file:3,1-2` within one line, `file:3,1-4,2` over several lines, `<nil>` for
 * undefined.
 */
export function formatRange(range: Range | undefined): string {
  if (range === undefined) return '<nil>'
  const { file, start, end } = range
  const from = `${file}:${start.line},${start.column}-`
  return start.line === end.line ? `${from}${end.column}` : `${from}${end.line},${end.column}`
}

/** Returns the range from the start of one range to the end of another in the same text. */
export function spanOf(from: Range, to: Range): Range {
  if (from instanceof PlainRange && to instanceof PlainRange) return from.upTo(to)
  return { file: from.file, start: from.start, end: to.end }
}

/** Returns the part of a range after `first`. The range must begin with `first`. */
export function rangeAfter(first: Range, { file, end }: Range): Range {
  return { file, start: first.end, end }
}

/**
 * An ASCII text, whose ranges store only offsets. Lines and columns are needed only in messages, so
 * they are computed when they are read.
 */
export class PlainText {
  readonly file: string
  readonly #text: string
  readonly #origin: Position
  /** The position that was computed last. Most calls ask for a later position. */
  #lastPosition: Position

  /**
   * @param origin position of the text in its file
   */
  constructor(text: string, file: string, origin: Position) {
    this.file = file
    this.#text = text
    this.#origin = origin
    this.#lastPosition = origin
  }

  /** Returns whether a text is ASCII. */
  static isPlain(text: string): boolean {
    return !/[\u0080-\uffff]/.test(text)
  }

  range(from: number, to: number): Range {
    return new PlainRange(this, from, to)
  }

  /** Returns the position at an offset. Calls in ascending order of offsets cost the least. */
  at(offset: number): Position {
    const from = offset < this.#lastPosition.offset ? this.#origin : this.#lastPosition
    this.#lastPosition = positionAfter(from, this.#text.slice(from.offset, offset))
    return this.#lastPosition
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

  /** Returns the range from the start of this range to the end of another. */
  upTo(other: PlainRange): Range {
    return new PlainRange(this.text, this.from, other.to)
  }
}

/**
 * Returns the position `distance` ASCII characters later on the same line; earlier if `distance` is
 * negative.
 */
export function moveBy({ line, column, byte, offset }: Position, distance: number): Position {
  return { line, column: column + distance, byte: byte + distance, offset: offset + distance }
}

/** Returns the number of bytes of a code point in UTF-8. */
export function utf8Length(codePoint: number): number {
  if (codePoint < 0x80) return 1
  if (codePoint < 0x800) return 2
  return codePoint < 0x10000 ? 3 : 4
}

const ZERO_WIDTH_JOINER = 0x200d
/** Accents, variation selectors and skin tones, which belong to the character before them. */
const EXTENDING_PATTERN = /[\p{M}\p{EMod}\u200c\u200d]/u
const PICTOGRAPH_PATTERN = /\p{ExtPict}/u

function isRegional(codePoint: number): boolean {
  return codePoint >= 0x1f1e6 && codePoint <= 0x1f1ff
}

/**
 * Returns the position after a text that starts at `start`. An accented letter, a joined emoji and
 * a flag count as one column each, but each part of a decomposed Hangul syllable counts as one.
 * (`Intl.Segmenter` counts all of these but takes microseconds per character.)
 */
export function positionAfter(start: Position, text: string): Position {
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
    else if (before === 0 || !extendsGrapheme(before, codePoint, character)) column++
    before = codePoint
  }
  return { line, column, byte, offset: start.offset + text.length }
}

function extendsGrapheme(before: number, codePoint: number, character: string): boolean {
  if (codePoint < 0x300) return false
  return (
    EXTENDING_PATTERN.test(character) ||
    (before === ZERO_WIDTH_JOINER && PICTOGRAPH_PATTERN.test(character))
  )
}

/** Limits that all parsers of this folder have. */
export interface ParseLimits {
  /**
   * Maximum length in UTF-16 code units. A longer text is rejected without parsing. Default: 32 Mi,
   * the size of the largest request body.
   */
  readonly maxLength?: number
  /** Maximum nesting of blocks, brackets, templates and unary operators. Default: 250. */
  readonly maxDepth?: number
}

/** Default of `ParseLimits.maxLength`, in UTF-16 code units. */
export const DEFAULT_MAX_LENGTH = 32 * 1024 * 1024
export const DEFAULT_MAX_DEPTH = 250
