/** Returns the value with its missing members taken from `defaults`. */
export function withDefaults<T extends object>(value: T, defaults: Partial<NoInfer<T>>): T {
  const partial: Partial<T> = defaults
  const all: T = { ...value }
  for (const name in partial) {
    const fallback = partial[name]
    if (all[name] === null && fallback !== undefined) all[name] = fallback
  }
  return all
}

/** Merges a group's block over the job's, member by member. */
export function mergeOver<T extends object>(base: T | null, override: T | null): T | null {
  if (base === null || override === null) return override ?? base
  const all: T = { ...base }
  for (const name in override) if (override[name] !== null) all[name] = override[name]
  return all
}

/** Returns true if every member that is set equals its default. */
export function setsOnly<T extends object>(value: T, defaults: NoInfer<T>): boolean {
  for (const name in value) {
    if (value[name] !== null && value[name] !== defaults[name]) return false
  }
  return true
}

/**
 * Maps a list that may be absent; an empty list becomes null (behaviour/scheduler#canonical-form).
 */
export function mapOrNull<T>(
  items: readonly T[] | null | undefined,
  change: (item: T) => T,
): readonly T[] | null {
  return items === null || items === undefined || items.length === 0 ? null : items.map(change)
}

/** Returns null for an empty list or map (behaviour/scheduler#canonical-form). */
export function nullIfEmpty<T extends object>(value: T | null): T | null {
  return value === null || Object.keys(value).length === 0 ? null : value
}
