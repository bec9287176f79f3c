import type { HclFunctionContext } from '../language/function.ts'

type Spend = HclFunctionContext['spend']

/** Pattern of strings in which each code unit is a character. */
const printableAscii = /^[ -~]*$/

/** Cost factor of splitting a string that is not plain ASCII. */
const segmentCost = 8

/**
 * Initial length of the pieces that are segmented, in code units. The text is split into pieces
 * because the time of `Intl.Segmenter` per character grows with the length of its input.
 */
const initialPieceLength = 256

/** Returns the characters of a string in the sense of Unicode's grapheme clusters. */
export function graphemeClusters(text: string, spend: Spend): readonly string[] {
  spend(text.length)
  if (printableAscii.test(text)) return text.split('')
  spend(text.length * segmentCost)
  const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  const found: string[] = []
  let length = initialPieceLength
  for (let at = 0; at < text.length; ) {
    const part = text.slice(at, at + length)
    const segments = Array.from(segmenter.segment(part), ({ segment }) => segment)
    // The last character may extend beyond the piece. If the piece contains no other character, a
    // longer piece is needed.
    const last = at + part.length < text.length ? (segments.pop() ?? '') : ''
    length = segments.length > 0 ? initialPieceLength : 2 * length
    for (const segment of segments) found.push(segment)
    if (segments.length > 0) at += part.length - last.length
  }
  return found
}

/** Returns the number of characters of a string in the sense of Unicode's grapheme clusters. */
export function countGraphemeClusters(text: string, spend: Spend): number {
  return printableAscii.test(text) ? text.length : graphemeClusters(text, spend).length
}
