/**
 * Place in the grammar where a text is invalid: the token that was expected, or the token that is
 * incomplete.
 */
export type JsonErrorKind =
  | 'value'
  | 'key'
  | 'colon'
  /** A comma or `]` is expected. */
  | 'array'
  /** A comma or `}` is expected. */
  | 'object'
  /** The end of the text is expected. */
  | 'end'
  /** Nesting is too deep. */
  | 'depth'
  | 'string'
  | 'escape'
  | 'hexadecimal'
  | 'number'
  | 'fraction'
  | 'exponent'
  /** A character that the options forbid directly after a number or a word. */
  | 'number end'
  | 'word'
  | 'word end'

/** The first error of a text. Offsets are in UTF-16 code units. */
export interface JsonSyntaxError {
  readonly kind: JsonErrorKind
  readonly text: string
  /** Offset of the error; the length of the text if it ends too early. */
  readonly at: number
  /**
   * Start of the string, number, word or invalid key that contains the error; otherwise equal to
   * `at`.
   */
  readonly token: number
  /** Start of the innermost open array or object; -1 if none is open. */
  readonly open: number
}

/**
 * Options for reading JSON: how values are represented, which extensions of the grammar are
 * accepted, and how errors are described.
 *
 * `Mark` is information about a position in the text. Marks are requested from left to right.
 */
export interface JsonReaderOptions<Value, Key, Mark> {
  /** Maximum nesting of arrays and objects. */
  readonly maxDepth: number
  /** Whether only the first value counts and the rest of the text is ignored. */
  readonly firstValueOnly?: boolean
  /** Whether a comma may precede a closing bracket. */
  readonly trailingCommas?: boolean
  /**
   * True to parse a key that is not a string as a value before the key is rejected. An error inside
   * the key is then reported first.
   */
  readonly toleratesBadKeys?: boolean
  /** Characters that may not directly follow a number. */
  readonly forbiddenAfterNumber?: RegExp
  /** Characters that may not directly follow a word. */
  readonly forbiddenAfterWord?: RegExp
  /** Returns whether the character with this code must be escaped in strings. */
  isForbidden(code: number): boolean
  mark(offset: number): Mark
  string(text: string, from: Mark, to: Mark): Value
  number(literal: string, from: Mark, to: Mark): Value
  word(value: boolean | null, from: Mark, to: Mark): Value
  key(text: string, from: Mark, to: Mark): Key
  array(items: Value[], from: Mark, to: Mark): Value
  object(keys: readonly Key[], values: readonly Value[], from: Mark, to: Mark): Value
  error(error: JsonSyntaxError): Error
}
