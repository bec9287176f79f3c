import type { Position } from '../syntax/source.ts'

/** A value of an HCL1 document. It has no null: the JSON form's null is an empty string. */
export type Value = string | number | boolean | readonly Value[] | Document

/** Items of a file, a block or an object, in source order; keys may repeat. */
export interface Document {
  readonly items: readonly Item[]
}

/** `key = value`, `key "label" { ... }` or a member of a JSON object. */
export interface Item {
  readonly key: string
  /** The labels between the key and the brace. The JSON form has none: see `blocks`. */
  readonly labels: readonly string[]
  readonly value: Value
  /** Where the key stands. */
  readonly position: Position
  /** Where the value stands; in the JSON form where its key does. */
  readonly valuePosition: Position
}
