import type { World } from '../../kernel/worlds/world.ts'

/** The only kind of rule: passwords contain a minimum number of characters from a set. */
export interface CharsetRule {
  /**
   * The characters (code points) of the set, in the order of the document. A character may occur
   * several times.
   */
  readonly charset: readonly string[]
  /** Minimum number of characters; a negative number requires nothing. */
  readonly minChars: number
}

/** The rules of a password policy (behaviour/secrets#password-policies). */
export interface PasswordRules {
  /** Length of a password in characters (code points). */
  readonly length: number
  readonly rules: readonly CharsetRule[]
}

/** Error for rules with which no password was found. The message is the reference's. */
export class GenerationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'GenerationError'
  }
}

/** Maximum size of the charset: the reference draws one byte per character. */
const maxCharsetLength = 256

/**
 * Maximum number of characters drawn before the rules count as too hard to satisfy. The reference
 * gives up after a second. A time limit would not be reproducible here, and other requests would
 * have to wait for that second.
 */
const maxGenerated = 3_000_000

/** Returns all characters of the rules, sorted by code point, without duplicates. */
export function charsetOf({ rules }: PasswordRules): string[] {
  const characters = new Set<string>()
  for (const { charset } of rules) for (const character of charset) characters.add(character)
  return [...characters].sort((a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0))
}

/**
 * Generates a password. Draws characters evenly from the union of the charsets, and draws the whole
 * password again until every rule holds. Each valid password is therefore equally likely.
 *
 * @throws GenerationError `charset is too long…` or `timed out…`
 */
export function generatePassword(world: World, requested: PasswordRules): string {
  const charset = charsetOf(requested)
  const ruleTests = requested.rules.map(ruleTest)
  if (charset.length > maxCharsetLength) {
    throw new GenerationError(
      'unable to generate random characters: charset is too long: limited to 255 characters',
    )
  }
  for (let generatedCount = 0; generatedCount < maxGenerated; generatedCount += requested.length) {
    const candidate: string[] = []
    while (candidate.length < requested.length) candidate.push(randomCharacter(world, charset))
    if (ruleTests.every((passes) => passes(candidate))) return candidate.join('')
  }
  throw new GenerationError('timed out generating string')
}

/**
 * Returns whether the rules can be satisfied: assembles a candidate password from each rule's
 * characters and tests it. A policy that fails this check is not stored. The check rejects only
 * impossible policies, not those that `generatePassword` would rarely satisfy.
 */
export function isSatisfiable(world: World, { length, rules }: PasswordRules): boolean {
  // A minimum can exceed the length only if another rule has a negative minimum.
  if (rules.some(({ minChars }) => minChars > length)) return false
  const charsetRules = rules.filter(({ charset }) => charset.length > 0)
  const candidate = charsetRules.flatMap(({ charset, minChars }) =>
    Array.from({ length: Math.max(minChars, 0) }, () => randomCharacter(world, charset)),
  )
  while (candidate.length < length && charsetRules.length > 0) {
    for (const { charset } of charsetRules) {
      if (candidate.length < length) candidate.push(randomCharacter(world, charset))
    }
  }
  // The reference shuffles first, but positions make no difference to a rule.
  return rules.every((rule) => ruleTest(rule)(candidate))
}

function randomCharacter(world: World, charset: readonly string[]): string {
  return charset[world.ids.integerBelow(charset.length)] ?? ''
}

/** Returns a function that tests whether a candidate has enough characters of a rule's charset. */
function ruleTest({ charset, minChars }: CharsetRule): (candidate: readonly string[]) => boolean {
  if (minChars <= 0) return () => true
  const characters = new Set(charset)
  return (candidate) => {
    let missing = minChars
    for (const character of candidate) {
      if (missing <= 0) break
      if (characters.has(character)) missing--
    }
    return missing <= 0
  }
}
