import type { World } from '../../kernel/worlds/world.ts'

/** At least so many characters of a set: the one kind of rule there is. */
export interface CharsetRule {
  /** Characters (code points) in the document's order; may repeat. */
  readonly charset: readonly string[]
  /** May be negative, which asks for nothing. */
  readonly minChars: number
}

/** The rules of a password policy (behaviour/secrets#password-policies). */
export interface PasswordRules {
  /** Characters (code points) of a password. */
  readonly length: number
  readonly rules: readonly CharsetRule[]
}

/** Rules that made no password; the message is the reference's. */
export class GenerationError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'GenerationError'
  }
}

/** The reference draws one byte for a character, so more it cannot tell apart. */
const maxCharsetLength = 256

/**
 * Characters drawn before rules count as too hard, where the reference allows itself a second: in that
 * others would wait. A count and not a time, so that equal worlds answer alike.
 */
const maxGenerated = 3_000_000

/** All characters that the rules name, each once, by code point. */
export function charsetOf({ rules }: PasswordRules): string[] {
  const characters = new Set(rules.flatMap(({ charset }) => charset))
  return [...characters].sort((a, b) => (a.codePointAt(0) ?? 0) - (b.codePointAt(0) ?? 0))
}

/**
 * A password by the rules: characters drawn evenly from the union of the charsets, the whole drawn
 * again until every rule holds, so each password that fits is equally likely.
 *
 * @throws GenerationError `charset is too long…` and `timed out…`
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
 * Tells whether a password that is put together rule by rule fulfils the rules: what a policy must
 * pass to be stored. It refuses only what is impossible, not what `generatePassword` will hardly
 * ever hit.
 */
export function isSatisfiable(world: World, { length, rules }: PasswordRules): boolean {
  // Only rules that make up for it with fewer than none can ask for more than there is room for.
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
  // The reference shuffles before it looks; where characters stand makes no difference to a rule.
  return rules.every((rule) => ruleTest(rule)(candidate))
}

function randomCharacter(world: World, charset: readonly string[]): string {
  return charset[world.ids.integerBelow(charset.length)] ?? ''
}

/** Tells whether a candidate has enough characters of a rule's charset. */
function ruleTest({ charset, minChars }: CharsetRule): (candidate: readonly string[]) => boolean {
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
