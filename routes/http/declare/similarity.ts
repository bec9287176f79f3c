/**
 * Length limit of words that are compared, longer than any name in a path: the time of a comparison
 * grows with both lengths.
 */
const maxComparedLength = 256

/**
 * Returns the edit distance of two words (Levenshtein). If one is longer than the limit, the
 * distance is the length of the longer word.
 */
export function editDistance(a: string, b: string): number {
  if (Math.max(a.length, b.length) > maxComparedLength) return Math.max(a.length, b.length)
  const row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i += 1) {
    // Value at `j - 1` in the previous row.
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

/** Length limit of words for suggestions, longer than any name: comparing costs time per letter. */
const maxWordLength = 64

/**
 * Returns the word that was probably meant; undefined for short words, which are close to any
 * other.
 */
export function suggestionFor(word: string, words: readonly string[]): string | undefined {
  return word.length < 5 || word.length > maxWordLength ? undefined : closestName(word, words)
}

/** Returns the name that was probably meant: one that differs in at most a third of its letters. */
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
