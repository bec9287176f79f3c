/** More letters than any name of a path has: comparing takes time for each pair of them. */
const maxComparedLength = 256

/**
 * The number of letters by which two words are apart (Levenshtein); all of the longer one's where one
 * is longer than any name.
 */
export function editDistance(a: string, b: string): number {
  if (Math.max(a.length, b.length) > maxComparedLength) return Math.max(a.length, b.length)
  const row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    // What stands at `j - 1` in the row before this one.
    let diagonal = row[0] ?? 0
    row[0] = i
    for (let j = 1; j <= b.length; j += 1) {
      const above = row[j] ?? 0
      const change = diagonal + (a[i - 1] === b[j - 1] ? 0 : 1)
      row[j] = Math.min(change, above + 1, (row[j - 1] ?? 0) + 1)
      diagonal = above
    }
  }
  return row[b.length] ?? 0
}

/** More letters than any name has: comparing takes time for each. */
const maxWordLength = 64

/** The word that was perhaps meant; undefined for short ones, to which any other is as near. */
export function suggestionFor(word: string, words: readonly string[]): string | undefined {
  return word.length < 5 || word.length > maxWordLength ? undefined : closestName(word, words)
}

/** The name that was perhaps meant: one that is at most a third of the letters away. */
export function closestName(word: string, names: readonly string[]): string | undefined {
  let best: string | undefined
  let leastDistance = Math.max(2, Math.floor(word.length / 3)) + 1
  for (const name of names) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase())
    if (distance >= leastDistance) continue
    leastDistance = distance
    best = name
  }
  return best
}
