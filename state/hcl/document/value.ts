import type { Position } from '../syntax/source.ts'

/** A value of an HCL1 document. There is no null: the JSON form's null becomes an empty string. */
export type Value = string | number | boolean | readonly Value[] | Document

/** Items of a file, a block or an object, in source order. A key may occur several times. */
export interface Document {
  readonly items: readonly Item[]
}

/** `key = value`, `key "label" { ... }` or a member of a JSON object. */
export interface Item {
  readonly key: string
  /** Labels between the key and the brace. The JSON form has no labels; see `blocks`. */
  readonly labels: readonly string[]
  readonly value: Value
  /** Position of the key. */
  readonly position: Position
  /** Position of the value; in the JSON form the position of the key. */
  readonly valuePosition: Position
  /** Positions of the elements of a list; absent for other values and in the JSON form. */
  readonly elementPositions?: readonly Position[]
}
