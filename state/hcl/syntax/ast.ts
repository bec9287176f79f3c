import type { Integer } from '../../kernel/integers.ts'
import type { Range } from './source.ts'

/** The contents of a file or a block, in source order. */
export interface Body {
  readonly items: readonly BodyItem[]
  /** Range of the block's body from brace to brace, or of the whole file. */
  readonly range: Range
  /**
   * Present if the body is an object of the JSON syntax. All its items are then attributes, even
   * those that are meant as blocks.
   */
  readonly syntax?: 'json'
}

export type BodyItem = Attribute | Block

/** An argument: `name = expression`. */
export interface Attribute {
  readonly kind: 'attribute'
  readonly name: string
  readonly nameRange: Range
  readonly expression: Expression
  readonly range: Range
}

/** A block: `type "label" label { ... }`. */
export interface Block {
  readonly kind: 'block'
  readonly type: string
  readonly typeRange: Range
  readonly labels: readonly Label[]
  readonly body: Body
  /** Range of the header: type and labels. */
  readonly range: Range
}

/** A label of a block, without its quotes. */
export interface Label {
  readonly value: string
  readonly range: Range
}

/** An HCL2 expression. Names follow the language specification; every node has a range. */
export type Expression =
  | Literal
  | Template
  | TemplateWrap
  | TemplateJoin
  | Variable
  | Traversal
  | Index
  | Splat
  | SplatElement
  | Call
  | Tuple
  | ObjectExpression
  | ForExpression
  | Parentheses
  | Unary
  | Binary
  | Conditional

/**
 * A constant. A literal string is either a part of a template or an object key that is written as a
 * bare word.
 */
export interface Literal {
  readonly kind: 'literal'
  readonly value: string | Integer | boolean | null
  readonly range: Range
}

/**
 * A quoted string or heredoc, after escapes, indentation and `~` were processed. In `parts`,
 * `%{if}` is a conditional and `%{for}` is a join. If the text has no sequences, its only part is a
 * literal.
 */
export interface Template {
  readonly kind: 'template'
  readonly parts: readonly Expression[]
  readonly range: Range
  /**
   * Source text of a string in the JSON syntax, for readers that do not treat such a string as a
   * template.
   */
  readonly verbatim?: string
}

/** `"${x}"`: the value of x with its own type. The value is not converted to a string. */
export interface TemplateWrap {
  readonly kind: 'template-wrap'
  readonly expression: Expression
  readonly range: Range
  /** Source text of a string of the JSON syntax; see `Template`. */
  readonly verbatim?: string
}

/** `%{for}`: the strings of a tuple, joined without a separator. */
export interface TemplateJoin {
  readonly kind: 'template-join'
  readonly tuple: ForExpression
  readonly range: Range
}

/** A reference to a variable by its name. */
export interface Variable {
  readonly kind: 'variable'
  readonly name: string
  readonly range: Range
}

/** One or more steps with constant keys: `source.name`, `source.0`, `source["key"]`. */
export interface Traversal {
  readonly kind: 'traversal'
  readonly source: Expression
  readonly steps: readonly Step[]
  readonly range: Range
}

/** One step of a traversal: `.name`, `[0]` or `["key"]`. */
export type Step =
  | { readonly kind: 'attribute'; readonly name: string; readonly range: Range }
  | { readonly kind: 'index'; readonly key: string | number; readonly range: Range }

/** `collection[key]` with a key that must be evaluated. */
export interface Index {
  readonly kind: 'index'
  readonly collection: Expression
  readonly key: Expression
  readonly range: Range
}

/**
 * `source.*` or `source[*]`. `each` is evaluated once per element; a `SplatElement` inside `each`
 * stands for that element.
 */
export interface Splat {
  readonly kind: 'splat'
  readonly source: Expression
  readonly each: Expression
  readonly range: Range
}

/** The current element of the innermost splat around this expression. */
interface SplatElement {
  readonly kind: 'splat-element'
  readonly range: Range
}

/** `name(arguments)`. `expandsLast` is true if `...` follows the last argument. */
export interface Call {
  readonly kind: 'call'
  readonly name: string
  readonly nameRange: Range
  readonly arguments: readonly Expression[]
  readonly expandsLast: boolean
  readonly range: Range
}

/** `[a, b]`. A tuple becomes a list only by conversion. */
interface Tuple {
  readonly kind: 'tuple'
  readonly items: readonly Expression[]
  readonly range: Range
}

/** `{ key = value }`. An object becomes a map only by conversion. */
export interface ObjectExpression {
  readonly kind: 'object'
  readonly entries: readonly ObjectEntry[]
  readonly range: Range
}

/**
 * An entry of an object. If the key is a bare word, it is a literal; the key `(word)` is the value
 * of a variable.
 */
export interface ObjectEntry {
  readonly key: Expression
  readonly value: Expression
}

/** `[for k, v in c : value if condition]`. With `key`, `{for k, v in c : key => value...}`. */
export interface ForExpression {
  readonly kind: 'for'
  readonly keyName?: string
  readonly valueName: string
  readonly collection: Expression
  /** Present only if the result is an object. */
  readonly key?: Expression
  readonly value: Expression
  readonly condition?: Expression
  /** True if `...` follows the value: values with equal keys are collected in tuples. */
  readonly isGrouped: boolean
  readonly range: Range
}

/** `(expression)`. The node distinguishes a key in parentheses from a bare word. */
interface Parentheses {
  readonly kind: 'parentheses'
  readonly expression: Expression
  readonly range: Range
}

export type UnaryOperator = '-' | '!'

/** `-a` or `!a`. */
export interface Unary {
  readonly kind: 'unary'
  readonly operator: UnaryOperator
  readonly operand: Expression
  readonly range: Range
}

export type BinaryOperator =
  | '||'
  | '&&'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'

/** Two operands with an operator between them, such as `a + b`. */
export interface Binary {
  readonly kind: 'binary'
  readonly operator: BinaryOperator
  readonly left: Expression
  readonly right: Expression
  readonly range: Range
}

/** `condition ? whenTrue : whenFalse`. */
export interface Conditional {
  readonly kind: 'conditional'
  readonly condition: Expression
  readonly whenTrue: Expression
  readonly whenFalse: Expression
  readonly range: Range
}
