/** Text that replaces a secret of the command line. */
const placeholder = '(hidden)'

/**
 * Returns the flags of a call as given, without the command's name and the arguments after `--`.
 * Secret values are replaced unless `keepsValues` is true (behaviour/program#traces).
 *
 * @param argv arguments after the script's name
 * @param keepsValues true if secret values, including the seed, are kept
 */
export function givenFlags(argv: readonly string[], keepsValues: boolean): readonly string[] {
  const end = argv.indexOf('--')
  const words = (end < 0 ? argv : argv.slice(0, end)).filter(
    (word, at) => at > 0 || (word !== 'exec' && word !== 'start'),
  )
  if (keepsValues) return words
  return words.map((word, at) => {
    const [, secretFlag] = secretFlagPattern.exec(word) ?? []
    if (secretFlag !== undefined) return word.includes('=') ? `${secretFlag}=${placeholder}` : word
    const previous = words[at - 1] ?? ''
    if (!previous.includes('=') && secretFlagPattern.test(previous)) return placeholder
    return word.replaceAll(secretMemberPattern, `$1"${placeholder}"`)
  })
}

/** Pattern of secret-bearing flags, both of this program and of the products. */
const secretFlagPattern = /^(--?[a-z-]*(?:token|seed)[a-z-]*)(?:=.*)?$/s

/** Pattern of secret-bearing members in a JSON text. */
const secretMemberPattern = /("[^"]*(?:token|secret|password|seed)[^"]*"\s*:\s*)"(?:[^"\\]|\\.)*"/gi
