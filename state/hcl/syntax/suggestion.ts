import { editDistance } from '../../kernel/edit-distance.ts'

/**
 * Returns the first known word that is fewer than three edits away from the given word, as the real
 * parsers suggest it (behaviour/scheduler#job-files, `Did you mean`); undefined if there is none.
 */
export function nearMiss(name: string, known: readonly string[]): string | undefined {
  return known.find(
    (word) => Math.abs(word.length - name.length) < 3 && editDistance([...name], [...word]) < 3,
  )
}
