import type { World } from '../../kernel/worlds/world.ts'

/** The only kind of rule: a password contains a minimum number of characters from a set. */
export interface CharsetRule {
  /** Code points in the order of the document; duplicates are allowed. */
  readonly charset: readonly string[]
  /** Minimum number of characters from the set. A number below 1 requires nothing. */
  readonly minChars: number
}

/** A parsed policy (behaviour/secrets#password-policies). */
export interface PasswordRules {
  /** Length of a password in characters (code points). */
  readonly length: number
  readonly rules: readonly CharsetRule[]
}

/** Error for a password that cannot be generated, with the reference's message. */
export class GenerationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'GenerationError'
  }
}

/** Maximum number of different characters, because the reference draws one byte per character. */
const maxCharsetLength = 256

/**
 * Number of drawn characters after which `generatePassword` gives up. The reference gives up after
 * one second. A time limit would make results irreproducible and block other requests for that
 * second.
 */
const maxGenerated = 3_000_000

/** Returns the characters of all rules, sorted by code point, without duplicates. */
export function charsetOf({ rules }: PasswordRules): string[] {
  const characters = new Set<string>()
  for (const { charset } of rules) for (const character of charset) characters.add(character)
  return [...characters].sort((a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0))
}

/**
 * Generates a password: draws characters evenly from the union of the charsets, and starts over
 * until the password satisfies every rule. Each valid password is therefore equally likely.
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
 * Returns whether some password can satisfy the rules: builds a candidate from the characters of
 * each rule and tests it. Also returns true for rules that `generatePassword` would rarely satisfy.
 */
export function isSatisfiable(world: World, { length, rules }: PasswordRules): boolean {
  // One minimum can exceed the length even if the sum of all minimums does not, because minimums
  // may be negative.
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
  // The reference shuffles the candidate first, but rules do not depend on positions.
  return rules.every((rule) => ruleTest(rule)(candidate))
}

function randomCharacter(world: World, charset: readonly string[]): string {
  return charset[world.ids.integerBelow(charset.length)] ?? ''
}

/** Returns a function that tests whether a candidate contains enough characters of the rule. */
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
