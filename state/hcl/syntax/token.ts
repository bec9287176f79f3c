import type { Range } from './source.ts'

/** Operators and punctuation. The kind of such a token is its text. */
export type Punctuation =
  | '{'
  | '}'
  | '['
  | ']'
  | '('
  | ')'
  | '.'
  | ','
  | '...'
  | '='
  | '=='
  | '!='
  | '=>'
  | '<'
  | '<='
  | '>'
  | '>='
  | '&&'
  | '||'
  | '!'
  | '?'
  | ':'
  | '::'
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'

export type TokenKind =
  | Punctuation
  | 'identifier'
  | 'number'
  | 'newline'
  | 'comment'
  /** Opening double quote of a template. */
  | 'open-quote'
  /** Closing double quote of a template. */
  | 'close-quote'
  /** Text of a quoted template, before escapes are decoded. */
  | 'quoted-text'
  /** A line break inside quotes, which is invalid. */
  | 'quoted-newline'
  /** `<<NAME` with its line break. */
  | 'open-heredoc'
  /** The line with the marker that closes a heredoc. */
  | 'close-heredoc'
  /** Text of a heredoc, at most one line. */
  | 'heredoc-text'
  /** Start of an interpolation: `${` or `${~`. */
  | 'interpolation'
  /** Start of a directive: `%{` or `%{~`. */
  | 'directive'
  /** The `}` or `~}` that closes an interpolation or a directive. */
  | 'sequence-end'
  /** A character outside the language, which the lexer has reported. */
  | 'invalid'
  | 'end'

export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly range: Range
}
