/** A path template. `directives[i]` stands between `texts[i]` and `texts[i + 1]`. */
export interface PathTemplate {
  readonly texts: readonly string[]
  readonly directives: readonly string[]
}

/**
 * Parses a path with directives: `{{…}}` (behaviour/secrets#templated-policies). Returns undefined
 * for a path without directives, and `unbalanced` for braces that do not match.
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

/** Characters with which a value could widen the paths that a rule matches. */
const pathCharacters = /[*+/]/

/**
 * Replaces the directives of a template with values. Returns undefined if a value is missing or
 * contains a wildcard or a slash (behaviour/secrets#templated-policies).
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
