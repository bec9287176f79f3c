import type { HclFunctionContext } from '../language/function.ts'

type Spend = HclFunctionContext['spend']

/** Texts in which each code unit is a character of its own. */
const plain = /^[ -~]*$/

/** Finding characters costs this much more than the rest. */
const segmentCost = 8

/** The platform's time per character grows with the text it is given; this much is given at first. */
const shortest = 256

/** Returns the characters of a text as people see them: Unicode's grapheme clusters. */
export function clusters(text: string, spend: Spend): readonly string[] {
  spend(text.length)
  if (plain.test(text)) return text.split('')
  spend(text.length * segmentCost)
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  const found: string[] = []
  let length = shortest
  for (let at = 0; at < text.length; ) {
    const part = text.slice(at, at + length)
    const segments = Array.from(segmenter.segment(part), ({ segment }) => segment)
    // The last one may go on behind the part; when it is the only one, a longer part is needed.
    const last = at + part.length < text.length ? (segments.pop() ?? '') : ''
    length = segments.length > 0 ? shortest : 2 * length
    for (const segment of segments) found.push(segment)
    if (segments.length > 0) at += part.length - last.length
  }
  return found
}

/** Returns how many characters a text has as people see them. */
export function clusterCount(text: string, spend: Spend): number {
  return plain.test(text) ? text.length : clusters(text, spend).length
}
