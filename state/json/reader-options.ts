/** Where in the grammar a text goes wrong: what should be there, or what it breaks off within. */
export type JsonErrorKind =
  | 'value'
  | 'key'
  | 'colon'
  /** A comma or the end of the array, of the object. */
  | 'array'
  | 'object'
  /** Nothing more, behind the value. */
  | 'end'
  /** One level less. */
  | 'depth'
  | 'string'
  | 'escape'
  | 'hexadecimal'
  | 'number'
  | 'fraction'
  | 'exponent'
  /** Something stands next to a number or word that its manner does not let stand there. */
  | 'number end'
  | 'word'
  | 'word end'

/** The first fault of a text, for its manner to put in words. Places are UTF-16 offsets. */
export interface JsonSyntaxError {
  readonly kind: JsonErrorKind
  readonly text: string
  /** The length of the text when it ends too early. */
  readonly at: number
  /** Where the string, number, word or odd key begins that is being read; `at` within none. */
  readonly token: number
  /** Where the innermost array or object begins that is open; -1 outside all. */
  readonly open: number
}

/**
 * The manner in which JSON is read: what values become, what is taken besides the grammar, how
 * faults are told.
 *
 * `Mark` is what a manner wants to know of a place; marks are asked for from left to right.
 */
export interface JsonReaderOptions<Value, Key, Mark> {
  /** The number of arrays and objects that may lie in one another. */
  readonly maxDepth: number
  /** True when only the first value counts, whatever follows it. */
  readonly firstValueOnly?: boolean
  /** True when a comma may stand before a closing bracket. */
  readonly trailingCommas?: boolean
  /** True when a key that is no string is read as a value, whose own faults come first. */
  readonly toleratesBadKeys?: boolean
  /** Characters that may not stand right behind a number. */
  readonly forbiddenAfterNumber?: RegExp
  /** Characters that may not stand right behind a word. */
  readonly forbiddenAfterWord?: RegExp
  /** Returns whether a character may not stand for itself in strings, by its code. */
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
