/** The value with members that were not said taken from `defaults`. */
export function filled<T extends object>(value: T, defaults: Partial<NoInfer<T>>): T {
  const said: Partial<T> = defaults
  const all: T = { ...value }
  for (const name in said) {
    const other = said[name]
    if (all[name] === null && other !== undefined) all[name] = other
  }
  return all
}

/** A block of a job laid under a group's: what the group says wins, member by member. */
export function laidUnder<T extends object>(under: T | null, over: T | null): T | null {
  if (under === null || over === null) return over ?? under
  const all: T = { ...under }
  for (const name in over) if (over[name] !== null) all[name] = over[name]
  return all
}

/** Tells whether a value says nothing but what `standard` says. */
export function saysOnly<T extends object>(value: T, standard: NoInfer<T>): boolean {
  for (const name in value) {
    if (value[name] !== null && value[name] !== standard[name]) return false
  }
  return true
}

/** Each item of a list that may be absent; an empty list becomes null (behaviour/scheduler#canonical-form). */
export function each<T>(
  items: readonly T[] | null | undefined,
  change: (item: T) => T,
): readonly T[] | null {
  return items === null || items === undefined || items.length === 0 ? null : items.map(change)
}

/** A list or map without anything in it becomes null (behaviour/scheduler#canonical-form). */
export function unlessEmpty<T extends object>(value: T | null): T | null {
  return value === null || Object.keys(value).length === 0 ? null : value
}
