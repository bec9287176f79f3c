import { isObject } from '../../kernel/objects.ts'
import type { StructShape } from '../../kernel/shape/kinds.ts'
import { fieldDiff, fieldDiffs, fieldsChange } from './fields.ts'
import {
  type FieldRule,
  type FlatFields,
  flattenDeep,
  flattenSides,
  propertyOf,
} from './flatten.ts'
import { compareFields, compareObjects } from './order.ts'
import { itemsOf, type Pairing } from './pairing.ts'
import type { ChangeType, FieldDiff, ObjectDiff } from './shapes.ts'

/**
 * Returns true if two JSON values are equal, whatever the order of their keys. Unlike the kernel's
 * `isEqual`, the function is iterative, because JSON may be nested more deeply than the call stack
 * allows.
 */
function isDeepEqual(a: unknown, b: unknown): boolean {
  const pending: (readonly [unknown, unknown])[] = [[a, b]]
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const nestedPairs = compareShallow(...pair)
    if (nestedPairs === undefined) return false
    for (const each of nestedPairs) pending.push(each)
  }
  return true
}

/**
 * Compares two values, but not the values of their members. Returns the pairs of members that are
 * still to be compared, or undefined if the values differ.
 */
function compareShallow(a: unknown, b: unknown): (readonly [unknown, unknown])[] | undefined {
  // Versions of a job share unchanged parts, which need no comparison.
  if (a === b) return []
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length ? a.map((item, at) => [item, b[at]]) : undefined
  }
  if (!isObject(a) || !isObject(b)) return undefined
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return undefined
  if (names.some((name) => !Object.hasOwn(b, name))) return undefined
  return names.map((name) => [a[name], b[name]])
}

/**
 * Function that compares a member of two objects, either of which may lack the member, and returns
 * the differences to list. If `contextual` is true, unchanged fields are listed as well.
 */
export type Comparison = (old: unknown, next: unknown, contextual: boolean) => readonly ObjectDiff[]

/** Nested members and their comparisons, in the order of the output. */
export type MemberComparisons = readonly (readonly [member: string, compare: Comparison])[]

interface ObjectRule extends FieldRule {
  readonly name: string
  /**
   * Basis of the object's change type. With `fields`, the type follows from the changes of the
   * fields, and an object without changed fields is omitted. With `sides`, an object that only one
   * side has is added or deleted, and an object that differs between the sides is edited.
   */
  readonly typedBy: 'fields' | 'sides'
  readonly objects?: MemberComparisons
  /** True to sort nested objects instead of keeping the order of `objects`. */
  readonly isSorted?: boolean
}

type Details = Omit<ObjectRule, 'name' | 'shape' | 'typedBy'>

/**
 * Builds a rule for an object whose change type follows from its fields (behaviour/scheduler#diff).
 */
export function plainRule(name: string, shape: StructShape, details: Details = {}): ObjectRule {
  return { name, shape, typedBy: 'fields', ...details }
}

/**
 * Builds a rule for an object whose change type depends on which side has the object and on whether
 * the sides differ.
 */
export function compositeRule(name: string, shape: StructShape, details: Details = {}): ObjectRule {
  return { name, shape, typedBy: 'sides', ...details }
}

export function compareObject(rule: ObjectRule): Comparison {
  return (old, next, contextual) => {
    const typeFromSides = objectChange(old, next)
    if (typeFromSides === 'None') return []
    const fields = fieldDiffs(flattenSides(rule, old, next), contextual)
    const type = rule.typedBy === 'sides' ? typeFromSides : fieldsChange(fields)
    if (type === 'None') return []
    const nestedDiffs = compareMembers(rule.objects ?? [], old, next, contextual)
    if (rule.isSorted === true) nestedDiffs.sort(compareObjects)
    return [objectDiff(type, rule.name, fields, nestedDiffs)]
  }
}

/**
 * Builds a comparison of the items of two lists or maps. `pairing` decides which items are compared
 * with each other. The output is sorted with `compareObjects`.
 */
export function compareItems(pairing: Pairing, rule: ObjectRule): Comparison {
  const compare = compareObject(rule)
  return (old, next, contextual) =>
    pairing(old, next)
      .flatMap(([before, after]) => compare(before, after, contextual))
      .sort(compareObjects)
}

/**
 * Builds a comparison of string lists as sets. Each string becomes a field with the name of the
 * object. An unchanged set is listed only if `contextual` is true and `ifEqual` is `listed`.
 */
export function compareStringSet(
  name: string,
  { ifEqual = 'listed' }: { readonly ifEqual?: 'listed' | 'omitted' } = {},
): Comparison {
  return (old, next, contextual) => {
    const before = new Set(stringsOf(old))
    const after = new Set(stringsOf(next))
    const fields = [...new Set([...before, ...after])]
      .map((text) => [before.has(text) ? text : '', after.has(text) ? text : ''] as const)
      .map(([oldText, newText]) => fieldDiff(name, oldText, newText, contextual))
      .filter((diff) => diff !== undefined)
      .sort(compareFields)
    const type = fieldsChange(fields)
    const isOmitted = fields.length === 0 || (type === 'None' && ifEqual === 'omitted')
    return isOmitted ? [] : [objectDiff(type, name, fields)]
  }
}

/**
 * Builds a comparison of maps. Each scalar that `flatten` returns is compared as a field. An empty
 * map is equal to a missing map.
 */
export function compareFlattened(
  name: string,
  flatten: (side: unknown) => FlatFields = flattenDeep,
): Comparison {
  return (old, next, contextual) => {
    const type = objectChange(nullIfEmpty(old), nullIfEmpty(next))
    if (type === 'None') return []
    return [objectDiff(type, name, fieldDiffs([flatten(old), flatten(next)], contextual))]
  }
}

/**
 * Builds a comparison of an object whose members are string lists. Each list becomes one field with
 * the joined strings.
 */
export function compareStringLists(name: string): Comparison {
  const joinLists = (side: unknown) =>
    new Map(
      Object.entries(isObject(side) ? side : {})
        .map(([member, texts]) => [member, stringsOf(texts).join(',')] as const)
        .filter(([, text]) => text !== ''),
    )
  return (old, next, contextual) => {
    const type = objectChange(old, next)
    if (type === 'None') return []
    return [objectDiff(type, name, fieldDiffs([joinLists(old), joinLists(next)], contextual))]
  }
}

/** Returns the differences of all members, in the order of `members`. */
export function compareMembers(
  members: MemberComparisons,
  old: unknown,
  next: unknown,
  contextual: boolean,
): ObjectDiff[] {
  return members.flatMap(([member, compare]) =>
    compare(propertyOf(old, member), propertyOf(next, member), contextual),
  )
}

/**
 * Returns the change type of an object. The type depends on which side has the object and whether
 * the sides are equal. Undefined and null mean that the object is absent.
 */
export function objectChange(old: unknown, next: unknown): ChangeType {
  const before = old ?? null
  const after = next ?? null
  if (isDeepEqual(before, after)) return 'None'
  if (before === null) return 'Added'
  return after === null ? 'Deleted' : 'Edited'
}

function objectDiff(
  type: ChangeType,
  name: string,
  fields: readonly FieldDiff[],
  nested: readonly ObjectDiff[] = [],
): ObjectDiff {
  return { Type: type, Name: name, Fields: listOrNull(fields), Objects: listOrNull(nested) }
}

/** Returns null for an empty list, as Go encodes a nil slice. */
export function listOrNull<Item>(items: readonly Item[]): readonly Item[] | null {
  return items.length === 0 ? null : items
}

function nullIfEmpty(side: unknown): unknown {
  return isObject(side) && Object.keys(side).length === 0 ? null : side
}

function stringsOf(side: unknown): readonly string[] {
  return itemsOf(side).filter((item) => typeof item === 'string')
}
