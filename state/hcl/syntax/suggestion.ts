import { editDistance } from '../../kernel/edit-distance.ts'

/**
 * Returns the first known word whose edit distance from the given word is less than three, or
 * undefined if there is no such word. The real parsers suggest this word (`Did you mean`).
 */
export function nearMiss(name: string, known: readonly string[]): string | undefined {
  return known.find(
    (word) => Math.abs(word.length - name.length) < 3 && editDistance([...name], [...word]) < 3,
  )
}
