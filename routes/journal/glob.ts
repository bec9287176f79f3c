/**
 * Returns true if a text matches a pattern. In patterns, `*` matches any text without slashes and
 * `**` matches any text. Matchers for the journal and for faults use these patterns; the globs of
 * the products have other rules. The parts of a pattern between `**` are searched one after the
 * other: the last part at its last position, each other part at its first.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  const [first = [], ...rest] = pattern.split('**').map((part) => part.split('*'))
  const last = rest.pop()
  if (last === undefined) return endOfMatch(first, text, 0, true) === text.length
  let end = endOfMatch(first, text, 0, false)
  for (const part of rest) {
    if (end < 0) return false
    end = endOfFirstMatch(part, text, end)
  }
  return end >= 0 && startOfLastMatch(last, text, end) >= end
}

/** The pieces of a pattern between two `**`, with one `*` between adjacent pieces. */
type Part = readonly string[]

/**
 * Returns the earliest end of a part that begins at a position; -1 if the part does not match
 * there. With `reachesEnd`, the last of several pieces must be at the end of the text.
 */
function endOfMatch(part: Part, text: string, begin: number, reachesEnd: boolean): number {
  const [first = '', ...rest] = part
  if (!text.startsWith(first, begin)) return -1
  let end = begin + first.length
  for (const [at, piece] of rest.entries()) {
    const isLast = reachesEnd && at === rest.length - 1
    const next = isLast ? text.length - piece.length : text.indexOf(piece, end)
    if (next < end || !text.startsWith(piece, next) || hasSlash(text, end, next)) return -1
    end = next + piece.length
  }
  return end
}

function hasSlash(text: string, begin: number, end: number): boolean {
  const slash = text.indexOf('/', begin)
  return slash >= 0 && slash < end
}

/**
 * Returns the earliest end of a part that begins at a position or later; -1 if the part does not
 * match.
 */
function endOfFirstMatch(part: Part, text: string, from: number): number {
  const [first = ''] = part
  for (let at = text.indexOf(first, from); at >= 0; at = text.indexOf(first, at + 1)) {
    const end = endOfMatch(part, text, at, false)
    if (end >= 0) return end
    if (at === text.length) return -1
  }
  return -1
}

/**
 * Returns the latest start of a part that ends where the text ends. If no such start is at or after
 * `least`, returns a number below `least`, such as -1.
 */
function startOfLastMatch(part: Part, text: string, least: number): number {
  const pieces = part.toReversed()
  const [last = '', ...rest] = pieces
  if (!text.endsWith(last)) return -1
  let start = text.length - last.length
  for (const piece of rest) {
    const end = start
    start = end - piece.length < 0 ? -1 : text.lastIndexOf(piece, end - piece.length)
    if (start < least || hasSlash(text, start + piece.length, end)) return -1
  }
  return start
}
