/** An object with members of any name. */
export type Members = Readonly<Record<string, unknown>>

/** Returns whether a value is an object; lists and null are not. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value is an object or a list, which has members as well. */
export function isObjectOrList(value: unknown): value is Members {
  return typeof value === 'object' && value !== null
}

/**
 * Returns the members that are not undefined, to spread into an object whose members are optional.
 * Not for code that runs for every request.
 */
export function definedMembers<T extends object>(
  members: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const defined = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(defined) as { [Name in keyof T]?: Exclude<T[Name], undefined> }
}
