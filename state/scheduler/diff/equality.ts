import { isObject } from './flatten.ts'

/**
 * Tells whether two stored values are equal, whatever the order of their keys. Users may nest as
 * deeply as JSON is read, which is deeper than calls can.
 */
export function isDeepEqual(a: unknown, b: unknown): boolean {
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
