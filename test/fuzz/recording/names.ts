/** JSON value that is only inspected, so its type does not matter. */
export type Json = unknown

export const membersOf = (value: Json): readonly (readonly [string, Json])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

/** Returns the parsed text, or undefined if it is not JSON. */
export function parse(text: string): Json {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const step = (name: string) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** Returns the JSON pointer of a member below another. Array positions are all written `*`. */
export const below = (place: string, parent: Json, name: string): string =>
  place + (Array.isArray(parent) ? '/*' : step(name))

/**
 * Returns the sorted JSON pointers of all members. Array positions are all written `*`.
 *
 * @param compared returns the name under which a member is listed
 */
export function namesIn(value: Json, compared: (name: string) => string): string[] {
  const names = new Set<string>()
  const walk = (part: Json, place: string): void => {
    names.add(place)
    for (const [name, member] of membersOf(part)) walk(member, below(place, part, compared(name)))
  }
  walk(value, '')
  return [...names].sort()
}

/** Returns the first location where two values differ; undefined if they are equal. */
export function firstDifference(one: Json, other: Json, place = ''): string | undefined {
  if (Object.is(one, other)) return undefined
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return place
  }
  if (Array.isArray(one) !== Array.isArray(other)) return place
  const [ours, theirs] = [new Map(membersOf(one)), new Map(membersOf(other))]
  for (const [name, member] of ours) {
    const at = below(place, one, name)
    if (!theirs.has(name)) return `${at} (missing)`
    const found = firstDifference(member, theirs.get(name), at)
    if (found !== undefined) return found
  }
  for (const name of theirs.keys()) {
    if (!ours.has(name)) return `${below(place, one, name)} (added)`
  }
  const isOrdered = [...ours.keys()].join('\n') === [...theirs.keys()].join('\n')
  return isOrdered ? undefined : `${place} (order of members)`
}
