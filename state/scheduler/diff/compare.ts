import { isObject } from '../../kernel/objects.ts'
import type { StructShape } from '../../kernel/shape/kinds.ts'
import { fieldDiff, fieldDiffs, fieldsChange } from './fields.ts'
import {
  type FieldRule,
  type FlatFields,
  flattenDeep,
  flattenSides,
  ownProperty,
} from './flatten.ts'
import { compareFields, compareObjects } from './order.ts'
import { itemsOf, type Pairing } from './pairing.ts'
import type { ChangeType, FieldDiff, ObjectDiff } from './shapes.ts'

/**
 * Returns true if two stored values are equal regardless of the order of keys. Unlike the kernel's
 * `isEqual`, this function is iterative, because JSON may be nested more deeply than the call stack
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
 * Compares two values without their contents. Returns the pairs that remain to be compared;
 * undefined if the values differ.
 */
function compareShallow(a: unknown, b: unknown): (readonly [unknown, unknown])[] | undefined {
  // Versions share unchanged parts. Identical objects need not be compared.
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

/** Function that compares one member of two objects and returns the differences to list. */
export type Comparison = (old: unknown, next: unknown, contextual: boolean) => readonly ObjectDiff[]

/** Members that are compared as objects, in the order of the output. */
export type MemberComparisons = readonly (readonly [member: string, compare: Comparison])[]

/** Rule for the comparison of an object. */
interface ObjectRule extends FieldRule {
  readonly name: string
  /**
   * Source of an object's change type: its `fields`, where an object without changed fields is
   * omitted, or its `sides`, where an object present on both sides with any difference is edited.
   */
  readonly typedBy: 'fields' | 'sides'
  readonly objects?: MemberComparisons
  /** True if nested objects are sorted like sets instead of like `objects`. */
  readonly sorted?: boolean
}

type Details = Omit<ObjectRule, 'name' | 'shape' | 'typedBy'>

/** Builds a rule for an object with scalar fields only (behaviour/scheduler#diff, Plain pair). */
export function plainRule(name: string, shape: StructShape, details: Details = {}): ObjectRule {
  return { name, shape, typedBy: 'fields', ...details }
}

/** Builds a rule for an object that contains more than the listed fields. */
export function compositeRule(name: string, shape: StructShape, details: Details = {}): ObjectRule {
  return { name, shape, typedBy: 'sides', ...details }
}

/** Builds a comparison of two objects. */
export function compareObject(rule: ObjectRule): Comparison {
  return (old, next, contextual) => {
    const bySides = objectChange(old, next)
    if (bySides === 'None') return []
    const fields = fieldDiffs(flattenSides(rule, old, next), contextual)
    const type = rule.typedBy === 'sides' ? bySides : fieldsChange(fields)
    if (type === 'None') return []
    const compareItems = compareMembers(rule.objects ?? [], old, next, contextual)
    if (rule.sorted === true) compareItems.sort(compareObjects)
    return [objectDiff(type, rule.name, fields, compareItems)]
  }
}

/**
 * Builds a comparison of list or map items, which `pairing` pairs. The output has the order of
 * sets.
 */
export function compareItems(pairing: Pairing, rule: ObjectRule): Comparison {
  const compare = compareObject(rule)
  return (old, next, contextual) =>
    pairing(old, next)
      .flatMap(([before, after]) => compare(before, after, contextual))
      .sort(compareObjects)
}

/**
 * Builds a comparison of lists of strings as sets. Each string is a field with the name of the
 * object. An unchanged set is listed within a changed object; elsewhere it may be left out.
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
      .map(([was, is]) => fieldDiff(name, was, is, contextual))
      .filter((diff) => diff !== undefined)
      .sort(compareFields)
    const type = fieldsChange(fields)
    const isOmitted = fields.length === 0 || (type === 'None' && ifEqual === 'omitted')
    return isOmitted ? [] : [objectDiff(type, name, fields)]
  }
}

/**
 * Builds a comparison of maps. The comparison includes all scalars that `flatten` finds, at any
 * depth.
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
 * Builds a comparison of an object whose members are lists of strings. Each list becomes one field
 * that contains the joined strings.
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

/** Compares the members of an object in order. */
export function compareMembers(
  members: MemberComparisons,
  old: unknown,
  next: unknown,
  contextual: boolean,
): ObjectDiff[] {
  return members.flatMap(([member, compare]) =>
    compare(ownProperty(old, member), ownProperty(next, member), contextual),
  )
}

/** Returns how an object as a whole changed. Undefined and null both count as missing. */
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

/** Returns null for an empty list. */
export function listOrNull<Item>(items: readonly Item[]): readonly Item[] | null {
  return items.length === 0 ? null : items
}

function nullIfEmpty(side: unknown): unknown {
  return isObject(side) && Object.keys(side).length === 0 ? null : side
}

function stringsOf(side: unknown): readonly string[] {
  return itemsOf(side).filter((item) => typeof item === 'string')
}
