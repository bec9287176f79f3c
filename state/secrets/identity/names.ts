import type { World } from '../../kernel/worlds/world.ts'

/**
 * Trims policy names, converts them to lower case, and drops duplicates and empty names. Keeps the
 * order.
 */
export function sanitizeNames(names: Iterable<string>): string[] {
  const cleanedNames = Array.from(names, (name) => name.trim().toLowerCase())
  return [...new Set(cleanedNames)].filter((name) => name !== '')
}

/** Trims names or ids, sorts them, and drops duplicates and empty strings. Keeps the case. */
export function sortedUnique(names: readonly string[]): string[] {
  const trimmedNames = names.map((name) => name.trim()).filter((name) => name !== '')
  return [...new Set(trimmedNames)].sort()
}

/** Returns whether policy names include `root`, which an entity cannot grant. */
export function grantsRoot(names: readonly string[]): boolean {
  return sanitizeNames(names).includes('root')
}

/** Generates an unused name `<kind>_<8 hex digits>`: a name for which `find` returns undefined. */
export function unusedName(world: World, kind: string, find: (name: string) => unknown): string {
  for (;;) {
    const name = `${kind}_${world.ids.hex(8)}`
    if (find(name) === undefined) return name
  }
}
