import type { StructShape } from '../../kernel/shape/kinds.ts'
import { fieldDiff, fieldDiffs, fieldsChange } from './fields.ts'
import {
  type FieldRule,
  type FlatFields,
  flattenDeep,
  flattenSides,
  isObject,
  ownProperty,
} from './flatten.ts'
import { compareFields, compareObjects } from './order.ts'
import { itemsOf, type Pairing } from './pairing.ts'
import type { ChangeType, FieldDiff, ObjectDiff } from './shapes.ts'

/**
 * Tells whether two stored values are equal, whatever the order of their keys. Users may nest as
 * deeply as JSON is read, which is deeper than calls can.
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

/** Returns what has yet to be equal for the two to be so; undefined when they differ anyway. */
function compareShallow(a: unknown, b: unknown): (readonly [unknown, unknown])[] | undefined {
  // Versions share what they have in common, which spares the walk.
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

/** Compares what two sides have in one member; says what to list of it, which may be nothing. */
export type Comparison = (old: unknown, next: unknown, contextual: boolean) => readonly ObjectDiff[]

/** Members that are compared as objects, in the order in which they are listed. */
export type MemberComparisons = readonly (readonly [member: string, compare: Comparison])[]

/** Describes how an object is compared. */
interface ObjectRule extends FieldRule {
  readonly name: string
  /**
   * The measure of its type: `fields` (an object without changed fields is not listed), or `sides`:
   * an object that both sides have and that differs anyhow is edited.
   */
  readonly typedBy: 'fields' | 'sides'
  readonly objects?: MemberComparisons
  /** True when the objects in it are in the order of sets, not that of `objects`. */
  readonly sorted?: boolean
}

type Details = Omit<ObjectRule, 'name' | 'shape' | 'typedBy'>

/** An object that is its fields (behaviour/scheduler#diff, Plain pair). */
export function plainRule(name: string, shape: StructShape, details: Details = {}): ObjectRule {
  return { name, shape, typedBy: 'fields', ...details }
}

/** An object with more to it than the fields that are listed. */
export function compositeRule(name: string, shape: StructShape, details: Details = {}): ObjectRule {
  return { name, shape, typedBy: 'sides', ...details }
}

/** Compares one object with another. */
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

/** Compares the items of lists or maps that `pairing` puts together; in the order of sets. */
export function compareItems(pairing: Pairing, rule: ObjectRule): Comparison {
  const compare = compareObject(rule)
  return (old, next, contextual) =>
    pairing(old, next)
      .flatMap(([before, after]) => compare(before, after, contextual))
      .sort(compareObjects)
}

/**
 * Compares lists of texts as sets: a field per text, each named like the object. Among what is listed
 * of a changed object an equal set has its place; elsewhere it may be left out.
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

/** Compares maps by what `flatten` makes of them: all their scalars, however deep. */
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

/** Compares an object of lists of texts, each of which is one field with its texts in a row. */
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

/** Compares members of an object, one after the other. */
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

/** Returns what became of something as a whole. Undefined and null are both nothing. */
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

/** Empty lists are null. */
export function listOrNull<Item>(items: readonly Item[]): readonly Item[] | null {
  return items.length === 0 ? null : items
}

function nullIfEmpty(side: unknown): unknown {
  return isObject(side) && Object.keys(side).length === 0 ? null : side
}

function stringsOf(side: unknown): readonly string[] {
  return itemsOf(side).filter((item) => typeof item === 'string')
}
