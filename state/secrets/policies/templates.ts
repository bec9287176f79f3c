/** A parsed path template: the literal texts and the directives between them, one fewer. */
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

/** Placeholders for characters of values that are wildcards in policy paths. */
const wildcardPlaceholders: readonly (readonly [sign: string, stand: string])[] = [
  ['*', '\uE000'],
  ['+', '\uE001'],
]

/**
 * Fills a template with values; undefined if a value is missing. Wildcard characters in values are
 * replaced by placeholders until `restoreWildcards`.
 */
export function fillTemplate(
  { texts, directives }: PathTemplate,
  find: (directive: string) => string | undefined,
): string | undefined {
  let path = texts[0] ?? ''
  for (const [at, directive] of directives.entries()) {
    let value = find(directive)
    if (value === undefined || wildcardPlaceholders.some(([, stand]) => value?.includes(stand)))
      return undefined
    for (const [wildcard, stand] of wildcardPlaceholders) value = value.replaceAll(wildcard, stand)
    path += value + (texts[at + 1] ?? '')
  }
  return path
}

/** Replaces the placeholders in part of a filled path by the original characters. */
export function restoreWildcards(text: string): string {
  return wildcardPlaceholders.reduce(
    (restored, [wildcard, stand]) => restored.replaceAll(stand, wildcard),
    text,
  )
}
