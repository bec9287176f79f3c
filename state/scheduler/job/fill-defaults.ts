/** The value with members that were not said taken from `defaults`. */
export function withDefaults<T extends object>(value: T, defaults: Partial<NoInfer<T>>): T {
  const partial: Partial<T> = defaults
  const all: T = { ...value }
  for (const name in partial) {
    const fallback = partial[name]
    if (all[name] === null && fallback !== undefined) all[name] = fallback
  }
  return all
}

/** A block of a job laid under a group's: what the group says wins, member by member. */
export function mergeOver<T extends object>(base: T | null, override: T | null): T | null {
  if (base === null || override === null) return override ?? base
  const all: T = { ...base }
  for (const name in override) if (override[name] !== null) all[name] = override[name]
  return all
}

/** Tells whether a value says nothing but what `standard` says. */
export function setsOnly<T extends object>(value: T, defaults: NoInfer<T>): boolean {
  for (const name in value) {
    if (value[name] !== null && value[name] !== defaults[name]) return false
  }
  return true
}

/** Each item of a list that may be absent; an empty list becomes null (behaviour/scheduler#canonical-form). */
export function mapOrNull<T>(
  items: readonly T[] | null | undefined,
  change: (item: T) => T,
): readonly T[] | null {
  return items === null || items === undefined || items.length === 0 ? null : items.map(change)
}

/** A list or map without anything in it becomes null (behaviour/scheduler#canonical-form). */
export function nullIfEmpty<T extends object>(value: T | null): T | null {
  return value === null || Object.keys(value).length === 0 ? null : value
}
