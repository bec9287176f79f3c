import type { Range } from './source.ts'

/** Operators and punctuation that are one token each; the kind is the text itself. */
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

/** The kinds of tokens of an HCL2 text. */
export type TokenKind =
  | Punctuation
  | 'identifier'
  | 'number'
  | 'newline'
  | 'comment'
  /** The double quote that opens and the one that closes a template. */
  | 'open-quote'
  | 'close-quote'
  /** Text of a quoted template, escapes not yet resolved. */
  | 'quoted-text'
  /** A line break that has no place inside quotes. */
  | 'quoted-newline'
  /** `<<NAME` with its line break, and the line that closes it. */
  | 'open-heredoc'
  | 'close-heredoc'
  /** Text of a heredoc, at most one line of it. */
  | 'heredoc-text'
  /** `${` or `${~` */
  | 'interpolation'
  /** `%{` or `%{~` */
  | 'directive'
  /** The `}` or `~}` that closes either. */
  | 'sequence-end'
  /** A character that the language has no use for; the lexer has reported it. */
  | 'invalid'
  | 'end'

/** A token of an HCL2 text, as written. */
export interface Token {
  readonly kind: TokenKind
  readonly text: string
  readonly range: Range
}
