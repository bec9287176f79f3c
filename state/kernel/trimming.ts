/**
 * Returns a text without any of one character at its end. The pattern `/x+$/` does the same, but
 * takes quadratic time for long runs in the middle: a second for 40,000 characters.
 */
export function trimEndOf(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}

/** Returns a path without leading and trailing slashes. */
export function trimSlashes(path: string): string {
  return trimEndOf(path.replace(/^\/+/, ''), '/')
}
