import { isObject, ownProperty } from './flatten.ts'

/** Two things that belong together; undefined on the side that lacks it. */
export type Pair = readonly [old: unknown, next: unknown]

/** Tells which items of two lists, or maps, belong together. Null is as good as empty. */
export type Pairing = (old: unknown, next: unknown) => readonly Pair[]

/** By an identity of each item; of several items with one identity the last counts. */
function byIdentity(identify: (side: unknown) => readonly (readonly [string, unknown])[]): Pairing {
  return (old, next) => {
    const before = new Map(identify(old))
    const after = new Map(identify(next))
    const matched = [...before].map(([identity, item]): Pair => [item, after.get(identity)])
    const added = [...after].filter(([identity]) => !before.has(identity))
    return [...matched, ...added.map(([, item]): Pair => [undefined, item])]
  }
}

/** By all there is in an item: sets whose members have no identity. */
export const byContent = byIdentity((side) => itemsOf(side).map((item) => [contentOf(item), item]))

export const byPosition = byIdentity((side) => itemsOf(side).map((item, at) => [`${at}`, item]))

/** By the key of a map. */
export const byKey = byIdentity((side) => (isObject(side) ? Object.entries(side) : []))

/** By members of the item. */
export function byMember(...names: readonly string[]): Pairing {
  const identityOf = (item: unknown) => contentOf(names.map((name) => ownProperty(item, name)))
  return byIdentity((side) => itemsOf(side).map((item) => [identityOf(item), item]))
}

/** By a text of the item; items with the same one by their order. */
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

/** Single items of both sides belong together, whatever they are. */
export function pairSinglesOr(pairing: Pairing): Pairing {
  return (old, next) => {
    const before = itemsOf(old)
    const after = itemsOf(next)
    return before.length === 1 && after.length === 1 ? [[before[0], after[0]]] : pairing(old, next)
  }
}

/** The items of a list. */
export function itemsOf(side: unknown): readonly unknown[] {
  return Array.isArray(side) ? side : []
}

/** A text of an item; `""` when it has none. */
export function stringMember(item: unknown, name: string): string {
  const text = ownProperty(item, name)
  return typeof text === 'string' ? text : ''
}

/** One text for what is equal, whatever the order of its keys. */
function contentOf(item: unknown): string {
  return JSON.stringify(item, (_, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  )
}
