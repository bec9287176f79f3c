/** A filter expression as the parser returns it (behaviour/scheduler#filters). */
export type Expression =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  | { readonly kind: 'not'; readonly operand: Expression }
  | MatchExpression
  | CollectionExpression

/** `selector operator value`. */
export interface MatchExpression {
  readonly kind: 'match'
  readonly selector: Selector
  readonly operator: Operator
  /** The operator's opposite is meant: `!=`, `not in`, `is not nil`. */
  readonly negated: boolean
  /** Its text; empty for operators that take none. */
  readonly value: string
}

/** A test of what a selector finds. `contains` is `in` turned round. */
export type Operator = 'equal' | 'in' | 'matches' | 'empty' | 'nil'

/** `any selector as binding { inner }`. */
export interface CollectionExpression {
  readonly kind: 'any' | 'all'
  readonly selector: Selector
  readonly binding: Binding
  readonly inner: Expression
}

/**
 * The names of an element inside a collection: `x` stands for the element of a list and for the key
 * of a map, `i, v` for both; what is written `_` has no name.
 */
export type Binding =
  | { readonly either: string }
  | { readonly index: string | undefined; readonly value: string | undefined }

/** Where a value stands. */
export interface Selector {
  /** As messages name it. */
  readonly text: string
  readonly parts: readonly string[]
}
