/** Edits that turn one word into the other: insertions, deletions, replacements. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [line, character] of [...from].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...to].entries()) {
      const replaced = (row[column] ?? 0) + (character === other ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[row.length - 1] ?? 0
}

/**
 * The first known word that is less than three edits away from what was written, as the real
 * parsers suggest it (behaviour/scheduler#job-files, `Did you mean`); undefined for none.
 */
export function nearMiss(written: string, known: readonly string[]): string | undefined {
  return known.find(
    (word) => Math.abs(word.length - written.length) < 3 && distance(written, word) < 3,
  )
}
