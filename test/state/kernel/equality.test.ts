import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isEqual, isEqualInOrder } from '../../../state/kernel/equality.ts'

describe('isSame', () => {
  test('compares plain values as the platform does', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(isEqual(a, b)).toBe(isDeepStrictEqual(a, b))
        expect(isEqual(a, structuredClone(a))).toBe(true)
      }),
    )
  })

  test('distinguishes similar values', () => {
    expect(isEqual({ a: 1, b: [{ c: 2 }] }, { b: [{ c: 2 }], a: 1 })).toBe(true)
    for (const [a, b] of [
      [{ a: 1 }, { a: 1, b: undefined }],
      [{ a: undefined }, { b: undefined }],
      [[1, 2], [1]],
      [[], {}],
      [null, {}],
      [0, '0'],
      [
        { a: 1, b: 2 },
        { a: 1, c: 2 },
      ],
    ]) {
      expect(isEqual(a, b)).toBe(false)
      expect(isEqual(b, a)).toBe(false)
    }
  })

  test('ignores the given members of the outermost objects', () => {
    const except = new Set(['x'])
    expect(isEqual({ x: 1, a: { x: 2 } }, { a: { x: 2 } }, except)).toBe(true)
    expect(isEqual({ a: 1, x: 1 }, { a: 1, x: 2 }, except)).toBe(true)
    expect(isEqual({ x: 1, a: { x: 2 } }, { x: 1, a: { x: 3 } }, except)).toBe(false)
    expect(isEqual({ a: 1, x: 1 }, { a: 1, b: 1 }, except)).toBe(false)
  })
})

describe('isAlike', () => {
  test('returns true for plain values that print equally', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(isEqualInOrder({ a, b }, structuredClone({ a, b }))).toBe(true)
        if (JSON.stringify(a) !== JSON.stringify(b)) expect(isEqualInOrder(a, b)).toBe(false)
      }),
    )
  })

  test('distinguishes values that differ in the order of members or in kind', () => {
    expect(isEqualInOrder({ a: 1, b: 2 }, { b: 2, a: 1 })).toBe(false)
    expect(isEqualInOrder([], {})).toBe(false)
    expect(isEqualInOrder([1], [1, 2])).toBe(false)
    expect(isEqualInOrder({ a: undefined }, {})).toBe(false)
    expect(isEqualInOrder(null, {})).toBe(false)
  })
})
