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
  readonly negated: boolean
  /** Text of the value; empty for operators without one. */
  readonly value: string
}

/** A test of the selected value. `contains` is `in` with its operands exchanged. */
export type Operator = 'equal' | 'in' | 'matches' | 'empty' | 'nil'

/** A test of the elements of a collection: `any selector as binding { inner }`. */
export interface CollectionExpression {
  readonly kind: 'any' | 'all'
  readonly selector: Selector
  readonly binding: Binding
  readonly inner: Expression
}

/**
 * Names of a collection's element: `x` is the element of a list or the key of a map, and `i, v`
 * names both. `_` names nothing.
 */
export type Binding =
  | { readonly either: string }
  | { readonly index: string | undefined; readonly value: string | undefined }

/** The path to a value. */
export interface Selector {
  /** The selector's text in messages. */
  readonly text: string
  readonly parts: readonly string[]
}
