import { editDistance as distanceOf } from '../../../state/kernel/edit-distance.ts'

/**
 * Maximum length of words to compare, longer than any name in a path. Comparing longer words would
 * take too long.
 */
const maxComparedLength = 256

/**
 * Returns the edit distance of two words. If a word is longer than `maxComparedLength`, the
 * distance is the length of the longer word.
 */
export function editDistance(a: string, b: string): number {
  const length = Math.max(a.length, b.length)
  return length > maxComparedLength ? length : distanceOf(a, b)
}

/**
 * Maximum length of words that get suggestions, longer than any name. Comparing longer words would
 * take too long.
 */
const maxWordLength = 64

/**
 * Returns the word that was probably meant; undefined if no word is similar enough. Also returns
 * undefined for long words, and for short words, which are similar to many other words.
 */
export function suggestionFor(word: string, words: readonly string[]): string | undefined {
  return word.length < 5 || word.length > maxWordLength ? undefined : closestName(word, words)
}

/**
 * Returns the most similar name, ignoring case. Returns undefined if each name differs in more than
 * a third of the word's letters (or in more than two letters of a short word).
 */
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
