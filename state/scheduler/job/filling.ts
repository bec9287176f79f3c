/** The value with members that were not said taken from `defaults`. */
export function filled<T extends object>(value: T, defaults: Partial<NoInfer<T>>): T {
  return { ...value, ...pick(defaults, (name) => Reflect.get(value, name) === null) }
}

/** A block of a job laid under a group's: what the group says wins, member by member. */
export function laidUnder<T extends object>(under: T | null, over: T | null): T | null {
  if (under === null || over === null) return over ?? under
  return { ...under, ...pick(over, (_name, member) => member !== null) }
}

function pick(value: object, wanted: (name: string, member: unknown) => boolean): object {
  return Object.fromEntries(Object.entries(value).filter(([name, member]) => wanted(name, member)))
}

/** Each item of a list that may be absent; an empty list becomes null (section 4). */
export function each<T>(
  items: readonly T[] | null | undefined,
  change: (item: T) => T,
): readonly T[] | null {
  return items === null || items === undefined || items.length === 0 ? null : items.map(change)
}

/** A list or map without anything in it becomes null (section 4). */
export function unlessEmpty<T extends object>(value: T | null): T | null {
  return value === null || Object.keys(value).length === 0 ? null : value
}
