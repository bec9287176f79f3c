import { expect, test } from 'vitest'
import { addIntegers, multiplyIntegers } from '../../../state/kernel/integers.ts'

test.each([
  [9_007_199_254_740_993n, -9_007_199_254_740_992, 1],
  [9_007_199_254_740_993n, 1, 9_007_199_254_740_994],
  [9_223_372_036_854_775_807n, 1, -9_223_372_036_854_775_808n],
  [2, 3, 5],
] as const)('a sum of 64-bit integers keeps all digits and wraps around: %s + %s', (a, b, sum) => {
  expect(BigInt(addIntegers(a, b))).toBe(BigInt(sum))
  expect(addIntegers(b, a)).toBe(addIntegers(a, b))
})

test.each([
  [3_037_000_500, 3_037_000_500, -9_223_372_036_709_301_616n],
  [9_007_199_254_740_993n, 1, 9_007_199_254_740_993n],
  [9_007_199_254_740_993n, 0, 0],
] as const)(
  'a product of 64-bit integers keeps all digits and wraps around: %s × %s',
  (a, b, product) => {
    expect(BigInt(multiplyIntegers(a, b))).toBe(BigInt(product))
  },
)
