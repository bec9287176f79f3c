/**
 * Returns whether two plain values, such as rows, are deeply equal. A part that both values share
 * by reference counts as equal without being compared. This function is several times as fast as
 * Node's `isDeepStrictEqual`, which handles every kind of object.
 *
 * @param ignored members of the two outermost objects that are not compared
 */
export function isEqual(a: unknown, b: unknown, ignored?: ReadonlySet<string>): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return Object.is(a, b)
  }
  if (Array.isArray(a)) return Array.isArray(b) && areEqualLists(a, b)
  return !Array.isArray(b) && haveEqualMembers(a, b, ignored)
}

/** Returns whether two values are deeply equal and their members come in the same order. */
export function isEqualInOrder(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) {
    return Object.is(a, b)
  }
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const namesOfA = Object.keys(a)
  const namesOfB = Object.keys(b)
  if (namesOfA.length !== namesOfB.length) return false
  for (let at = 0; at < namesOfA.length; at++) {
    const name = namesOfA[at]
    if (
      name !== namesOfB[at] ||
      !isEqualInOrder(a[name as keyof object], b[name as keyof object])
    ) {
      return false
    }
  }
  return true
}

function areEqualLists(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false
  for (let at = 0; at < a.length; at++) if (!isEqual(a[at], b[at])) return false
  return true
}

function haveEqualMembers(a: object, b: object, ignored: ReadonlySet<string> | undefined): boolean {
  const namesOfA = Object.keys(a)
  const namesOfB = Object.keys(b)
  // Most compared objects list their members in the same order, so a lookup by name is rarely
  // needed.
  for (let at = 0; at < namesOfA.length; at++) {
    const name = namesOfA[at] as keyof typeof a
    if (ignored?.has(name)) continue
    if (namesOfB[at] !== name && !Object.hasOwn(b, name)) return false
    if (!isEqual(a[name], b[name])) return false
  }
  return countOf(namesOfA, ignored) === countOf(namesOfB, ignored)
}

function countOf(names: readonly string[], ignored: ReadonlySet<string> | undefined): number {
  if (ignored === undefined) return names.length
  return names.filter((name) => !ignored.has(name)).length
}
