import type { World } from '../../kernel/worlds/world.ts'

/** Normalizes policy names: trims them, converts them to lower case and removes duplicates. */
export function sanitizeNames(names: Iterable<string>): string[] {
  const cleaned = Array.from(names, (name) => name.trim().toLowerCase())
  return [...new Set(cleaned)].filter((name) => name !== '')
}

/** Normalizes a list of names or ids: trims them, removes duplicates and sorts them. */
export function sortedUnique(names: readonly string[]): string[] {
  const trimmed = names.map((name) => name.trim()).filter((name) => name !== '')
  return [...new Set(trimmed)].sort()
}

/** Returns whether policy names include `root`, which an entity cannot grant. */
export function grantsRoot(names: readonly string[]): boolean {
  return sanitizeNames(names).includes('root')
}

/** Generates a name `<kind>_<8 hex>` for which `find` returns undefined. */
export function unusedName(world: World, kind: string, find: (name: string) => unknown): string {
  for (;;) {
    const name = `${kind}_${world.ids.hex(8)}`
    if (find(name) === undefined) return name
  }
}
