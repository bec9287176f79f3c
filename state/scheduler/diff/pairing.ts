import { isObject } from '../../kernel/objects.ts'
import { propertyOf } from './flatten.ts'

/** Two items to compare. A side is undefined if it has no matching item. */
export type Pair = readonly [old: unknown, next: unknown]

/** Function that pairs the items of two lists or maps. Null is treated as an empty list or map. */
export type Pairing = (old: unknown, next: unknown) => readonly Pair[]

/**
 * Builds a pairing of items with the same identity. If several items of one side have the same
 * identity, only the last of these items is used.
 *
 * @param identify returns the items of a list or map, each with its identity
 */
function byIdentity(identify: (side: unknown) => readonly (readonly [string, unknown])[]): Pairing {
  return (old, next) => {
    const before = new Map(identify(old))
    const after = new Map(identify(next))
    const matched = [...before].map(([identity, item]): Pair => [item, after.get(identity)])
    const added = [...after].filter(([identity]) => !before.has(identity))
    return [...matched, ...added.map(([, item]): Pair => [undefined, item])]
  }
}

/** Pairing of equal items. Used for sets whose items have no identity. */
export const byContent = byIdentity((side) => itemsOf(side).map((item) => [contentOf(item), item]))

export const byPosition = byIdentity((side) => itemsOf(side).map((item, at) => [`${at}`, item]))

export const byKey = byIdentity((side) => (isObject(side) ? Object.entries(side) : []))

/** Builds a pairing of items whose members with the given names are all equal. */
export function byMember(...names: readonly string[]): Pairing {
  const identityOf = (item: unknown) => contentOf(names.map((name) => propertyOf(item, name)))
  return byIdentity((side) => itemsOf(side).map((item) => [identityOf(item), item]))
}

/**
 * Builds a pairing of items by the string in the member `name`. Several items with the same string
 * are paired in order.
 */
export function byMemberInOrder(name: string): Pairing {
  return byIdentity((side) => {
    const seen = new Map<string, number>()
    return itemsOf(side).map((item) => {
      const text = stringMember(item, name)
      const earlier = seen.get(text) ?? 0
      seen.set(text, earlier + 1)
      return [`${earlier} ${text}`, item]
    })
  })
}

/**
 * Builds a pairing for lists. If each side has exactly one item, the two items are paired, even if
 * they have nothing in common. Otherwise `pairing` is used.
 */
export function pairSinglesOr(pairing: Pairing): Pairing {
  return (old, next) => {
    const before = itemsOf(old)
    const after = itemsOf(next)
    return before.length === 1 && after.length === 1 ? [[before[0], after[0]]] : pairing(old, next)
  }
}

/** Returns the items of a list, or an empty list for any other value. */
export function itemsOf(side: unknown): readonly unknown[] {
  return Array.isArray(side) ? side : []
}

/** Returns a string member, or `""` if the member is missing or not a string. */
export function stringMember(item: unknown, name: string): string {
  const text = propertyOf(item, name)
  return typeof text === 'string' ? text : ''
}

/** Serializes a value with sorted keys, so that equal values have equal texts. */
function contentOf(item: unknown): string {
  return JSON.stringify(item, (_, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  })
}
