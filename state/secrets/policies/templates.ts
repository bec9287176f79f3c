/** A parsed path template: literal strings, with a directive between each two of them. */
export interface PathTemplate {
  readonly texts: readonly string[]
  readonly directives: readonly string[]
}

/**
 * Parses a path that may contain `{{…}}` (behaviour/secrets#templated-policies). Returns undefined
 * for a path without directives, and `unbalanced` for mismatched braces.
 */
export function templateOf(path: string): PathTemplate | 'unbalanced' | undefined {
  const [first = '', ...rest] = path.split('{{')
  if (first.includes('}}')) return 'unbalanced'
  if (rest.length === 0) return undefined
  const texts = [first]
  const directives: string[] = []
  for (const part of rest) {
    const [directive = '', text, ...more] = part.split('}}')
    if (text === undefined || more.length > 0) return 'unbalanced'
    directives.push(directive.trim())
    texts.push(text)
  }
  return { texts, directives }
}

/** Characters of a value that would change which paths its rule matches. */
const pathCharacters = /[*+/]/

/**
 * Fills in the values of a template. Returns undefined if a value is missing or contains a wildcard
 * or a slash (behaviour/secrets#templated-policies).
 */
export function fillTemplate(
  { texts, directives }: PathTemplate,
  find: (directive: string) => string | undefined,
): string | undefined {
  let path = texts[0] ?? ''
  for (const [at, directive] of directives.entries()) {
    const value = find(directive)
    if (value === undefined || pathCharacters.test(value)) return undefined
    path += value + (texts[at + 1] ?? '')
  }
  return path
}
