/**
 * Returns a string without any trailing occurrences of a character. The pattern `/x+$/` would do
 * this as well, but takes quadratic time for long runs in the middle: a second for 40,000
 * characters.
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

/** Joins the lines of a text with spaces, without indentation and empty lines. */
export function joinLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ')
}
