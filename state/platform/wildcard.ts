/**
 * Returns whether a name matches a pattern. Each `*` in the pattern matches any text, including the
 * empty text.
 */
export function matchesWildcard(wildcard: string, name: string): boolean {
  const [first = '', ...others] = wildcard.split('*')
  const last = others.pop()
  if (last === undefined) return wildcard === name
  let at = first.length
  for (const part of others) {
    const matching = name.indexOf(part, at)
    if (matching < 0) return false
    at = matching + part.length
  }
  return name.startsWith(first) && name.endsWith(last) && at + last.length <= name.length
}

/**
 * Returns whether one of the values contains `part`, in any letter case. Always returns true if
 * `part` is empty or missing.
 */
export function containsPart(part: string | undefined, ...values: readonly string[]): boolean {
  return !part || values.some((each) => each.toLowerCase().includes(part.toLowerCase()))
}
