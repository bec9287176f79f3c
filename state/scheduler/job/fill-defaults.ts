import type { InputResources } from './scheduling-shapes.ts'
import type { InputVolumeMount } from './task-parts.ts'

/** Returns a value whose missing members are taken from `defaults`. */
export function withDefaults<T extends object>(value: T, defaults: Partial<NoInfer<T>>): T {
  const partial: Partial<T> = defaults
  const all: T = { ...value }
  for (const name in partial) {
    const fallback = partial[name]
    if (all[name] === null && fallback !== undefined) all[name] = fallback
  }
  return all
}

/** Merges two blocks member by member. Members of the group's block override those of the job's. */
export function mergeOver<T extends object>(base: T | null, override: T | null): T | null {
  if (base === null || override === null) return override ?? base
  const all: T = { ...base }
  for (const name in override) if (override[name] !== null) all[name] = override[name]
  return all
}

/** Returns true if every member that is set has its default value. */
export function setsOnly<T extends object>(value: T, defaults: NoInfer<T>): boolean {
  for (const name in value) {
    if (value[name] !== null && value[name] !== defaults[name]) return false
  }
  return true
}

/**
 * Maps a list that may be missing. An empty list becomes null (behaviour/scheduler#canonical-form).
 */
export function mapOrNull<T>(
  items: readonly T[] | null | undefined,
  change: (item: T) => T,
): readonly T[] | null {
  return items === null || items === undefined || items.length === 0 ? null : items.map(change)
}

/**
 * Returns null for an empty list or map, and other values unchanged
 * (behaviour/scheduler#canonical-form).
 */
export function nullIfEmpty<T extends object>(value: T | null): T | null {
  return value === null || Object.keys(value).length === 0 ? null : value
}

/**
 * Returns resources with the default CPU share. A task that sets cores, even to 0, gets no default.
 */
export function withProcessor(resources: InputResources | null): InputResources | null {
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

/** Removes mounts that name no volume, as the reference's server does. */
export function namedMounts(
  mounts: readonly InputVolumeMount[] | null,
): readonly InputVolumeMount[] | null {
  return mounts === null ? null : mounts.filter(({ Volume }) => Volume !== null)
}
