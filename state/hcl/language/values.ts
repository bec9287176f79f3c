/**
 * Value of the configuration language (behaviour/scheduler#job-file-language). Literals give tuples
 * and objects; type constraints and functions give lists, sets and maps. Values are never changed
 * in place, so they may share their parts.
 */
export type HclValue = null | boolean | number | string | HclSequence | HclMapping

/** Values by position. Items of a set are distinct and in the language's order of sets. */
export interface HclSequence {
  readonly kind: 'tuple' | 'list' | 'set'
  readonly items: readonly HclValue[]
}

/** Values by key: objects in source order, maps in key order. */
export interface HclMapping {
  readonly kind: 'object' | 'map'
  readonly entries: ReadonlyMap<string, HclValue>
}

/**
 * Required type of a value: a type constraint of a variable, or the type of a function's parameter.
 */
export type HclType =
  | 'any'
  | 'string'
  | 'number'
  | 'bool'
  | { readonly kind: 'list' | 'set' | 'map'; readonly of: HclType }
  | {
      readonly kind: 'object'
      readonly attributes: ReadonlyMap<
        string,
        { readonly type: HclType; readonly optional: boolean }
      >
    }
  | { readonly kind: 'tuple'; readonly items: readonly HclType[] }

/** Returns whether a value has positions. */
export function isSequence(value: HclValue): value is HclSequence {
  return typeof value === 'object' && value !== null && 'items' in value
}

/** Returns whether a value has keys. */
export function isMapping(value: HclValue): value is HclMapping {
  return typeof value === 'object' && value !== null && 'entries' in value
}
