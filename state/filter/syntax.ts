/** A parsed filter expression (behaviour/scheduler#filters). */
export type Expression =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  | { readonly kind: 'not'; readonly operand: Expression }
  | MatchExpression
  | CollectionExpression

/** A test of a value: `selector operator value`. */
export interface MatchExpression {
  readonly kind: 'match'
  readonly selector: Selector
  readonly operator: Operator
  /** True for the negated operators `!=`, `not in`, `is not nil` and so on. */
  readonly isNegated: boolean
  /** Text of the value; empty for operators without one. */
  readonly value: string
}

/** Operator that tests the selected value. `contains` is `in` with exchanged operands. */
export type Operator = 'equal' | 'in' | 'matches' | 'empty' | 'nil'

/** A test of the elements of a collection: `any selector as binding { inner }`. */
export interface CollectionExpression {
  readonly kind: 'any' | 'all'
  readonly selector: Selector
  readonly binding: Binding
  readonly inner: Expression
}

/**
 * Names for the element of a collection. `x` names the element of a list or the key of a map. `i,
 * v` names the index or key, and the element. `_` names nothing.
 */
export type Binding =
  | { readonly either: string }
  | { readonly index: string | undefined; readonly value: string | undefined }

/** The path to a value. */
export interface Selector {
  /** The source text of the selector, for messages. */
  readonly text: string
  readonly parts: readonly string[]
}
