import fc from 'fast-check'
import * as oracle from 'shamir-secret-sharing'
import { describe, expect, test } from 'vitest'
import { Ids } from '../../../../state/kernel/worlds/ids.ts'
import { combineShares, ShamirError, splitSecret } from '../../../../state/secrets/seal/shamir.ts'

const section = 'behaviour/secrets#shares'
const draw = (seed: string) => {
  const ids = new Ids(seed)
  return (length: number) => ids.bytes(length)
}
const secret = Uint8Array.from({ length: 32 }, (_, index) => index * 7)

/** Generates a secret, how to split it, and a sufficient selection of shares. */
const splits = fc
  .record({
    secret: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    seed: fc.string(),
    shares: fc.integer({ min: 2, max: 12 }),
  })
  .chain((split) =>
    fc.record({
      split: fc.constant(split),
      threshold: fc.integer({ min: 2, max: split.shares }),
      order: fc.shuffledSubarray([...Array(split.shares).keys()], { minLength: split.shares }),
    }),
  )

describe(section, () => {
  test('a share is the y bytes and then an x byte from 1 to 255, all different', () => {
    const shares = splitSecret(secret, 255, 2, draw('a'))
    expect(shares.map((share) => share.length)).toEqual(Array(255).fill(33))
    expect(shares.map((share) => share[32]).sort((a = 0, b = 0) => a - b)).toEqual(
      Array.from({ length: 255 }, (_, index) => index + 1),
    )
  })

  test('x bytes are random, not sequential', () => {
    const positions = splitSecret(secret, 5, 3, draw('b')).map((share) => share[32])
    expect(positions).not.toEqual([1, 2, 3, 4, 5])
  })

  test('one share of one is a copy of the bare secret', () => {
    const shares = splitSecret(secret, 1, 1, draw('a'))
    expect(shares).toEqual([secret])
    expect(shares[0]).not.toBe(secret)
  })

  test('equal seeds give equal shares, different seeds do not (behaviour/program#ids)', () => {
    const once = splitSecret(secret, 5, 3, draw('a'))
    expect(splitSecret(secret, 5, 3, draw('a'))).toEqual(once)
    expect(splitSecret(secret, 5, 3, draw('b'))).not.toEqual(once)
  })

  test('all ten 3-of-5 subsets combine, two shares do not', () => {
    const shares = splitSecret(secret, 5, 3, draw('c'))
    const subsets = shares.flatMap((a, i) =>
      shares.slice(i + 1).flatMap((b, j) => shares.slice(i + j + 2).map((c) => [a, b, c])),
    )
    expect(subsets.map(combineShares)).toEqual(Array(10).fill(secret))
    expect(combineShares(shares.slice(0, 2))).not.toEqual(secret)
  })

  test('255 of 255 combine', () => {
    const shares = splitSecret(secret, 255, 255, draw('d'))
    expect(combineShares(shares)).toEqual(secret)
  })

  test('our shares combine here and in another implementation', async () => {
    await fc.assert(
      fc.asyncProperty(splits, async ({ split, threshold, order }) => {
        const shares = splitSecret(split.secret, split.shares, threshold, draw(split.seed))
        const some = order.slice(0, threshold).flatMap((index) => shares[index] ?? [])
        expect(some).toHaveLength(threshold)
        expect(combineShares(some)).toEqual(split.secret)
        expect(await oracle.combine(some)).toEqual(split.secret)
      }),
    )
  })

  test('shares of another implementation combine here', async () => {
    await fc.assert(
      fc.asyncProperty(splits, async ({ split, threshold, order }) => {
        const shares = await oracle.split(split.secret, split.shares, threshold)
        const some = order.slice(0, threshold).flatMap((index) => shares[index] ?? [])
        expect(combineShares(some)).toEqual(split.secret)
      }),
    )
  })

  test('a modified share yields another secret without an error', () => {
    const [a = secret, b = secret, c = secret] = splitSecret(secret, 3, 3, draw('e'))
    const tampered = a.with(0, (a[0] ?? 0) ^ 1)
    expect(combineShares([tampered, b, c])).not.toEqual(secret)
  })
})

describe(`${section}: what cannot be combined or split`, () => {
  const bytes = (...values: number[]) => Uint8Array.from(values)

  test.each([
    ['no share', [], 'less than two parts cannot be used to reconstruct the secret'],
    ['one share', [bytes(1, 2)], 'less than two parts cannot be used to reconstruct the secret'],
    ['no y byte', [bytes(1), bytes(2)], 'parts must be at least two bytes'],
    ['lengths', [bytes(1, 2), bytes(1, 2, 3)], 'all parts must be the same length'],
    ['lengths first', [bytes(1, 2), bytes(1, 2), bytes(1)], 'all parts must be the same length'],
    ['one x twice', [bytes(1, 2), bytes(3, 2)], 'duplicate part detected'],
  ])('%s', (_, shares, message) => {
    expect(() => combineShares(shares)).toThrow(new ShamirError(message))
  })

  test.each([
    [0, 1, 1, 'cannot split an empty secret'],
    [4, 2, 3, 'parts cannot be less than threshold'],
    [4, 256, 3, 'parts cannot exceed 255'],
    [4, 3, 1, 'threshold must be at least 2'],
  ])('%i bytes, %i shares, threshold %i', (length, shares, threshold, message) => {
    const split = () => splitSecret(new Uint8Array(length), shares, threshold, draw('a'))
    expect(split).toThrow(new ShamirError(message))
  })
})
