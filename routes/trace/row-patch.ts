import { JsonNumber, setMember } from '../../state/kernel/json.ts'
import { isObject, type Members } from '../../state/kernel/objects.ts'
import type { Row } from '../../state/kernel/store/table.ts'

export interface RowPatch {
  /**
   * Changed members. An object in `set` is merged into the value that the row has at this place: by
   * member name into an object, or by position into a list. Every other value replaces the value in
   * the row.
   */
  readonly set?: Members
  /** Paths of the removed members. */
  readonly unset?: readonly (readonly string[])[]
}

/**
 * Number of levels that are compared. A deeper list is replaced as a whole; a patch cannot express
 * a deeper change of an object.
 */
const maxDepth = 24

/**
 * Returns the difference between two versions of a row; undefined if a patch cannot express the
 * difference. Objects that both versions share are not compared, because they are unchanged.
 */
export function patchOf(before: Row, after: Row): RowPatch | undefined {
  if (!isObject(before) || !isObject(after)) return undefined
  const unset: string[][] = []
  const set = changedMembers(before, after, [], unset)
  if (set === inexpressible) return undefined
  return {
    ...(set === undefined ? {} : { set }),
    ...(unset.length === 0 ? {} : { unset }),
  }
}

/** Returns whether a patch changes nothing. */
export function isEmptyPatch({ set, unset }: RowPatch): boolean {
  return set === undefined && unset === undefined
}

/** Result that stands for a difference that a patch cannot express. */
const inexpressible = Symbol('inexpressible')

/**
 * Returns the changed members; undefined if no member changed; `inexpressible` if a patch cannot
 * express the change. Adds the paths of removed members to `unset`.
 */
function changedMembers(
  before: Members,
  after: Members,
  path: readonly string[],
  unset: string[][],
): Members | undefined | typeof inexpressible {
  let set: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(after)) {
    const old = before[name]
    if (value === old || value === undefined) continue
    const isOld = old !== undefined && Object.hasOwn(before, name)
    const changed = isOld ? changedValue(old, value, [...path, name], unset) : value
    if (changed === inexpressible) return inexpressible
    if (changed === undefined) continue
    set ??= {}
    setMember(set, name, changed)
  }
  for (const [name, value] of Object.entries(before)) {
    const isKept = Object.hasOwn(after, name) && after[name] !== undefined
    if (value !== undefined && !isKept) unset.push([...path, name])
  }
  return set
}

/**
 * Returns the value for the patch; undefined if the two values are equal; `inexpressible` if a
 * patch cannot express the change.
 */
function changedValue(
  old: unknown,
  value: unknown,
  path: readonly string[],
  unset: string[][],
): unknown {
  if (isPlainObject(old) && isPlainObject(value)) {
    if (path.length >= maxDepth) return inexpressible
    return changedMembers(old, value, path, unset)
  }
  if (Array.isArray(old) && Array.isArray(value)) {
    if (value.length < old.length || path.length >= maxDepth) return value
    return changedMembers({ ...old }, { ...value }, path, unset)
  }
  // When the patch is applied, the object would be merged into the list instead of replacing it.
  if (Array.isArray(old) && isPlainObject(value)) return inexpressible
  return isEqualNumber(old, value) ? undefined : value
}

function isPlainObject(value: unknown): value is Members {
  return isObject(value) && !(value instanceof JsonNumber)
}

function isEqualNumber(one: unknown, other: unknown): boolean {
  return one instanceof JsonNumber && other instanceof JsonNumber && one.text === other.text
}

/** Applies a patch to a row. The result shares unchanged objects with the given row. */
export function applyPatch(row: Row, { set, unset = [] }: RowPatch): Row {
  const changed = set === undefined ? row : mergedValue(row, set)
  // `mergedValue` and `withoutMember` return an object for an object, so the cast is safe.
  return unset.reduce<unknown>(withoutMember, changed) as Row
}

function mergedValue(old: unknown, value: unknown): unknown {
  if (!isObject(value)) return value
  if (Array.isArray(old)) {
    const items: unknown[] = [...old]
    for (const [at, item] of Object.entries(value)) {
      items[Number(at)] = mergedValue(items[Number(at)], item)
    }
    return items
  }
  if (!isObject(old)) return value
  const copy = { ...old }
  for (const [name, item] of Object.entries(value)) {
    setMember(copy, name, mergedValue(Object.hasOwn(copy, name) ? copy[name] : undefined, item))
  }
  return copy
}

/** Returns a copy of a value without the member at a path. */
function withoutMember(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value
  if (Array.isArray(value)) {
    return value.map((item, at) => (String(at) === name ? withoutMember(item, rest) : item))
  }
  if (!isObject(value)) return value
  const copy = { ...value }
  if (rest.length === 0) delete copy[name]
  else setMember(copy, name, withoutMember(copy[name], rest))
  return copy
}
