/** Names of policies as they count: trimmed, in lower case, each once, in their order. */
export function sanitizeNames(names: Iterable<string>): string[] {
  const cleaned = Array.from(names, (name) => name.trim().toLowerCase())
  return [...new Set(cleaned)].filter((name) => name !== '')
}

/** Names or ids as lists of the identity store keep them: trimmed, each once, sorted. */
export function sortedUnique(names: readonly string[]): string[] {
  const trimmed = names.map((name) => name.trim()).filter((name) => name !== '')
  return [...new Set(trimmed)].sort()
}

/** Tells whether names of policies have `root` among them, which nobody has by an entity. */
export function grantsRoot(names: readonly string[]): boolean {
  return sanitizeNames(names).includes('root')
}
