/** An object with members of any name. */
export type Members = Readonly<Record<string, unknown>>

/** Returns whether a value is an object; lists and null are not. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value is an object or a list; both have members. */
export function isObjectOrList(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}

/**
 * Returns the members that are not undefined, to spread into an object whose members are optional.
 * Too slow for code that runs for every request.
 */
export function definedMembers<T extends object>(
  members: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const definedEntries = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(definedEntries) as { [Name in keyof T]?: Exclude<T[Name], undefined> }
}

/**
 * Returns a dictionary with the keys of a declaration and the values that `change` returns.
 *
 * The dictionary has no prototype, so V8 stores it as a hash table. An object that is built member
 * by member needs hidden classes instead. V8 shares them by first member, for at most 1,536 first
 * members in a process; later objects with another first member each get hidden classes of their
 * own, which costs a small request several microseconds.
 */
export function mapToDictionary<T, R>(
  declaration: Readonly<Record<string, T>>,
  change: (value: T) => R,
): Readonly<Record<string, R>> {
  const dictionary: Record<string, R> = Object.create(null)
  for (const [name, value] of Object.entries(declaration)) dictionary[name] = change(value)
  return dictionary
}
