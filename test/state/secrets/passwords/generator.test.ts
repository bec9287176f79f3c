import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  charsetOf,
  GenerationError,
  generatePassword,
  isSatisfiable,
  type PasswordRules,
} from '../../../../state/secrets/passwords/generator.ts'
import { secretsWorld } from '../system-world.ts'

const rule = (charset: string, minChars = 0) => ({ charset: Array.from(charset), minChars })

const count = (password: string, charset: readonly string[]) =>
  Array.from(password).filter((character) => charset.includes(character)).length

/** Returns `length` different characters, from U+4E00 on. */
const characters = (length: number) =>
  String.fromCodePoint(...Array.from({ length }, (_, at) => 0x4e00 + at))

describe('behaviour/secrets#password-policies: the characters of a policy', () => {
  test('are those of all rules without duplicates, by code point', () => {
    expect(charsetOf({ length: 4, rules: [rule('𝒳zaa'), rule('\uffdda1')] })).toEqual([
      '1',
      'a',
      'z',
      '\uffdd',
      '𝒳',
    ])
  })

  test('256 are accepted, 257 are too many', () => {
    const world = secretsWorld()
    expect(generatePassword(world, { length: 4, rules: [rule(characters(256))] })).toHaveLength(4)
    expect(() => generatePassword(world, { length: 4, rules: [rule(characters(257))] })).toThrow(
      new GenerationError(
        'unable to generate random characters: charset is too long: limited to 255 characters',
      ),
    )
  })
})

describe('behaviour/secrets#password-generation', () => {
  const policies: fc.Arbitrary<PasswordRules> = fc
    .record({
      length: fc.integer({ min: 4, max: 40 }),
      rules: fc.array(
        fc.record({
          charset: fc.array(fc.constantFrom('a', 'b', 'c', '1', '2', 'ä', '🔑'), {
            minLength: 2,
            maxLength: 5,
          }),
          minChars: fc.integer({ min: -1, max: 1 }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    })
    .filter(({ rules }) => rules.length > 0)

  test('a password has the length and satisfies every rule', () => {
    const world = secretsWorld()
    fc.assert(
      fc.property(policies, (policy) => {
        const password = generatePassword(world, policy)
        expect(Array.from(password)).toHaveLength(policy.length)
        expect(count(password, charsetOf(policy))).toBe(policy.length)
        for (const { charset, minChars } of policy.rules) {
          expect(count(password, charset)).toBeGreaterThanOrEqual(minChars)
        }
      }),
    )
  })

  test('every character is equally likely, however often the rules name it', () => {
    const world = secretsWorld()
    const policy = { length: 100, rules: [rule('aaaaab'), rule('abc'), rule('defg')] }
    const drawn = Array.from({ length: 700 }, () => generatePassword(world, policy)).join('')
    for (const character of 'abcdefg') {
      const times = drawn.split(character).length - 1
      // The expected count is 10,000; 500 is more than five standard deviations.
      expect(Math.abs(times - 10_000)).toBeLessThan(500)
    }
  })

  test('every valid password is equally likely', () => {
    const world = secretsWorld()
    const policy = { length: 4, rules: [rule('a', 1), rule('b', 1)] }
    const times = new Map<string, number>()
    for (let drawn = 0; drawn < 14_000; drawn++) {
      const password = generatePassword(world, policy)
      times.set(password, (times.get(password) ?? 0) + 1)
    }
    expect(times.size).toBe(14)
    for (const found of times.values()) expect(Math.abs(found - 1000)).toBeLessThan(180)
  })

  test('equal seeds give equal passwords, different seeds different ones', () => {
    const policy = { length: 30, rules: [rule('abcdefghij0123456789', 1)] }
    const [one, same, other] = ['one', 'one', 'other'].map((seed) => {
      const world = secretsWorld({}, seed)
      return [generatePassword(world, policy), generatePassword(world, policy)]
    })
    expect(one).toEqual(same)
    expect(one?.[0]).not.toBe(one?.[1])
    expect(one).not.toEqual(other)
  })

  // choice/secrets#password-candidates
  test('rules that hardly any candidate satisfies stop without a clock', () => {
    const policy = { length: 100, rules: [rule('0123456789', 99), rule(characters(200), 1)] }
    const world = secretsWorld()
    const below = world.ids.integerBelow.bind(world.ids)
    let drawn = 0
    world.ids.integerBelow = (bound) => {
      drawn += 1
      return below(bound)
    }
    expect(() => generatePassword(world, policy)).toThrow(
      new GenerationError('timed out generating string'),
    )
    expect(drawn).toBe(3_000_000)
  })
})

describe('behaviour/secrets#password-policies', () => {
  // choice/secrets#password-empty-charset
  test.each<[string, PasswordRules, boolean]>([
    ['one rule', { length: 4, rules: [rule('a', 4)] }, true],
    ['overlapping charsets', { length: 4, rules: [rule('ab', 2), rule('bc', 2)] }, true],
    ['no room to fill', { length: 4, rules: [rule('a', 2), rule('b', 2)] }, true],
    [
      'rules that generation hardly ever hits',
      { length: 100, rules: [rule('a', 99), rule(characters(200), 1)] },
      true,
    ],
    [
      'a charset without characters that asks for none',
      { length: 4, rules: [rule('a'), rule('')] },
      true,
    ],
    [
      'a charset without characters that asks for one',
      { length: 4, rules: [rule('a'), rule('', 1)] },
      false,
    ],
    [
      'more than fits, made up for by less than none',
      { length: 4, rules: [rule('a', 1e9), rule('b', -1e9)] },
      false,
    ],
  ])('%s: %s', (_, policy, passes) => {
    expect(isSatisfiable(secretsWorld(), policy)).toBe(passes)
  })
})
