/** A parsed path template: literal strings, with a directive between each two. */
export interface PathTemplate {
  readonly texts: readonly string[]
  readonly directives: readonly string[]
}

/**
 * Parses a path with `{{…}}` (behaviour/secrets#templated-policies); undefined for a path without
 * directives, `unbalanced` for mismatched braces.
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
 * Fills a template with values; undefined if a value is missing or has a wildcard or a slash
 * (behaviour/secrets#templated-policies).
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
