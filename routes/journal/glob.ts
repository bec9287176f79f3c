/**
 * Returns true if a text matches a pattern as tests write paths: `*` matches any text without
 * slashes, `**` any text. The globs of the products differ from these on purpose. The time is at
 * most proportional to the product of both lengths.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  const pieces = pattern.split(/(\*\*|\*)/)
  // Possible end positions of the pieces matched so far, ascending.
  let endPositions = [0]
  for (const piece of pieces) {
    if (piece === '**') endPositions = range(endPositions[0], text.length)
    else if (piece === '*') endPositions = withinSegments(endPositions, text)
    else {
      endPositions = endPositions
        .filter((end) => text.startsWith(piece, end))
        .map((end) => end + piece.length)
    }
    if (endPositions.length === 0) return false
  }
  return endPositions.at(-1) === text.length
}

function range(first: number | undefined, last: number): number[] {
  return first === undefined ? [] : Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

function withinSegments(endPositions: readonly number[], text: string): number[] {
  const positions: number[] = []
  for (const end of endPositions) {
    const begin = Math.max(end, (positions.at(-1) ?? -1) + 1)
    const slash = text.indexOf('/', end)
    for (let at = begin; at <= (slash < 0 ? text.length : slash); at += 1) positions.push(at)
  }
  return positions
}
