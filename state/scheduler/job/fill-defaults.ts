import type { InputResources } from './scheduling-shapes.ts'
import type { InputVolumeMount } from './task-parts.ts'

/** Returns a copy of `value` in which defaults replace the null members. */
export function withDefaults<T extends object>(value: T, defaults: Partial<NoInfer<T>>): T {
  const partial: Partial<T> = defaults
  const all: T = { ...value }
  for (const name in partial) {
    const fallback = partial[name]
    if (all[name] === null && fallback !== undefined) all[name] = fallback
  }
  return all
}

/**
 * Merges two blocks member by member. Members of `override` that are not null take precedence.
 * Returns null if both blocks are null.
 */
export function mergeOver<T extends object>(base: T | null, override: T | null): T | null {
  if (base === null || override === null) return override ?? base
  const all: T = { ...base }
  for (const name in override) if (override[name] !== null) all[name] = override[name]
  return all
}

/** Returns true if every member that is not null equals the default. */
export function equalsDefaults<T extends object>(value: T, defaults: NoInfer<T>): boolean {
  for (const name in value) {
    if (value[name] !== null && value[name] !== defaults[name]) return false
  }
  return true
}

/**
 * Maps a list and replaces an empty or missing list by null (behaviour/scheduler#canonical-form).
 */
export function mapOrNull<T>(
  items: readonly T[] | null | undefined,
  change: (item: T) => T,
): readonly T[] | null {
  return items === null || items === undefined || items.length === 0 ? null : items.map(change)
}

/** Replaces an empty list or map by null (behaviour/scheduler#canonical-form). */
export function nullIfEmpty<T extends object>(value: T | null): T | null {
  return value === null || Object.keys(value).length === 0 ? null : value
}

/** Fills in the CPU share: 100 by default, or 0 if the task sets cores, even to 0. */
export function withDefaultCpu(resources: InputResources | null): InputResources | null {
  const CPU = resources?.CPU ?? ((resources?.Cores ?? null) === null ? 100 : 0)
  return { ...(resources ?? emptyResources), CPU }
}

const emptyResources: InputResources = {
  CPU: null,
  MemoryMB: null,
  DiskMB: null,
  IOPS: null,
  Devices: null,
  Networks: null,
}

/** Returns the mounts that name a volume. The reference's server drops all others. */
export function namedMounts(
  mounts: readonly InputVolumeMount[] | null,
): readonly InputVolumeMount[] | null {
  return mounts === null ? null : mounts.filter(({ Volume }) => Volume !== null)
}
