/** A path with places for values: one text more than there are directives between them. */
export interface PathTemplate {
  readonly texts: readonly string[]
  readonly directives: readonly string[]
}

/**
 * Reads a path with `{{…}}` in it (behaviour/secrets#templated-policies); undefined for one without.
 * `unbalanced` for braces that do not belong together.
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

/** Characters that stand for those of values which mean something in the paths of policies. */
const wildcardPlaceholders: readonly (readonly [sign: string, stand: string])[] = [
  ['*', '\uE000'],
  ['+', '\uE001'],
]

/**
 * A path with values in their places; undefined where one is missing. Wildcards in values are no
 * wildcards of the path: others stand for them until `literal`.
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

/** A part of a filled path as requests have it. */
export function restoreWildcards(text: string): string {
  return wildcardPlaceholders.reduce(
    (restored, [wildcard, stand]) => restored.replaceAll(stand, wildcard),
    text,
  )
}
