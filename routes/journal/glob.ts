/**
 * Tells whether a text fits a pattern in which `*` stands for any text without a slash and `**` for
 * any text. Takes time in proportion to both lengths multiplied at most.
 */
export function fitsGlob(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  const pieces = pattern.split(/(\*\*|\*)/)
  // The places at which the pieces so far may end, ascending.
  let ends = [0]
  for (const piece of pieces) {
    if (piece === '**') ends = from(ends[0], text.length)
    else if (piece === '*') ends = withinSegments(ends, text)
    else {
      ends = ends.filter((end) => text.startsWith(piece, end)).map((end) => end + piece.length)
    }
    if (ends.length === 0) return false
  }
  return ends.at(-1) === text.length
}

function from(first: number | undefined, last: number): number[] {
  return first === undefined ? [] : Array.from({ length: last - first + 1 }, (_, at) => first + at)
}

function withinSegments(ends: readonly number[], text: string): number[] {
  const reached: number[] = []
  for (const end of ends) {
    const begin = Math.max(end, (reached.at(-1) ?? -1) + 1)
    const slash = text.indexOf('/', end)
    for (let at = begin; at <= (slash < 0 ? text.length : slash); at += 1) reached.push(at)
  }
  return reached
}
