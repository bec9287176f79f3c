import type { World } from '../../kernel/worlds/world.ts'

/** Returns policy names trimmed, in lower case and without duplicates. */
export function sanitizeNames(names: Iterable<string>): string[] {
  const cleaned = Array.from(names, (name) => name.trim().toLowerCase())
  return [...new Set(cleaned)].filter((name) => name !== '')
}

/** Returns names or ids trimmed, sorted and without duplicates. */
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
