/**
 * Returns the edit distance of two words (Levenshtein): the smallest number of insertions,
 * deletions and replacements that turn one word into the other. The time grows with the product of
 * both lengths.
 */
export function editDistance(a: ArrayLike<string>, b: ArrayLike<string>): number {
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
