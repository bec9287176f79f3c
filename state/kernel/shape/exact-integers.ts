import { integerOf } from '../integers.ts'
import { setMember } from '../json.ts'
import { memoizeByKey } from '../memoize.ts'
import { isObject } from '../objects.ts'
import type { Shape, StructShape } from './kinds.ts'

/**
 * Function that returns a copy of a value with its exact integers replaced, or the value itself if
 * nothing changes.
 */
type Replacer = (value: unknown) => unknown

/**
 * Function that returns the replacer of a shape, or undefined if the shape has no exact integers.
 */
type ReplacerOf = (shape: Shape) => Replacer | undefined

/** Conversion of a row's exact integers to and from the form that they have in documents. */
export interface IntegerForm {
  /** Replacer that turns bigints, which a JSON parser would round, into strings. */
  readonly write: Replacer
  /** Replacer that turns the strings of `write` back into integers. */
  readonly read: Replacer
}

/**
 * Returns the conversion of a shape's exact integers; undefined if the shape has none. Documents
 * hold large integers as strings of digits, so that no JSON parser rounds them.
 */
export const integerFormOf: (shape: Shape) => IntegerForm | undefined = memoizeByKey((shape) => {
  const write = writerOf(shape)
  const read = readerOf(shape)
  return write === undefined || read === undefined ? undefined : { write, read }
})

const writerOf: ReplacerOf = memoizeByKey((shape) =>
  replacerOf(shape, writerOf, (value) => (typeof value === 'bigint' ? String(value) : value)),
)

const readerOf: ReplacerOf = memoizeByKey((shape) =>
  replacerOf(shape, readerOf, (value) => (typeof value === 'string' ? integerOf(value) : value)),
)

function replacerOf(
  shape: Shape,
  inner: ReplacerOf,
  replaceInteger: Replacer,
): Replacer | undefined {
  switch (shape.kind) {
    case 'int':
    case 'uint':
    case 'duration':
      return shape.isExact ? replaceInteger : undefined
    case 'nullable':
      return inner(shape.to)
    case 'list': {
      const item = inner(shape.of)
      return item && ((value) => (Array.isArray(value) ? replaceItems(value, item) : value))
    }
    case 'map': {
      const member = inner(shape.of)
      return member && ((value) => replaceMembers(value, () => member))
    }
    case 'struct': {
      const members = memberReplacers(shape, inner)
      if (members.size === 0) return undefined
      return (value) => replaceMembers(value, (name) => members.get(name), members.keys())
    }
    default:
      return undefined
  }
}

function memberReplacers(
  { fields }: StructShape,
  inner: ReplacerOf,
): ReadonlyMap<string, Replacer> {
  const members = new Map<string, Replacer>()
  for (const [name, { shape }] of Object.entries(fields)) {
    const member = inner(shape)
    if (member !== undefined) members.set(name, member)
  }
  return members
}

function replaceItems(items: readonly unknown[], replace: Replacer): readonly unknown[] {
  const replaced = items.map(replace)
  return replaced.some((item, at) => item !== items[at]) ? replaced : items
}

function replaceMembers(
  value: unknown,
  replacerFor: (name: string) => Replacer | undefined,
  names?: Iterable<string>,
): unknown {
  if (!isObject(value)) return value
  let copy: Record<string, unknown> | undefined
  for (const name of names ?? Object.keys(value)) {
    if (!Object.hasOwn(value, name)) continue
    const before = value[name]
    const after = replacerFor(name)?.(before)
    if (after === before) continue
    copy ??= { ...value }
    setMember(copy, name, after)
  }
  return copy ?? value
}
