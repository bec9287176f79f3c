import { describe, expect, test } from 'vitest'
import { memoize, memoizeByKey } from '../../../state/kernel/memoize.ts'

describe('behaviour/program#figures: expensive values are computed on first use', () => {
  test.each(['made', undefined, 0])('%j is computed once', (result) => {
    let calls = 0
    const get = memoize(() => {
      calls += 1
      return result
    })
    expect(calls).toBe(0)
    expect([get(), get(), calls]).toEqual([result, result, 1])
  })

  test('a failure is not cached', () => {
    let calls = 0
    const get = memoize(() => {
      calls += 1
      if (calls === 1) throw new Error('not yet')
      return 'made'
    })
    expect(get).toThrow('not yet')
    expect([get(), get(), calls]).toEqual(['made', 'made', 2])
  })

  test('a value derived from an object is computed once per object identity', () => {
    const made: object[] = []
    const sizeOf = memoizeByKey((list: readonly string[]) => {
      made.push(list)
      return list.length
    })
    const [one, other] = [['a'], ['a']]
    expect([sizeOf(one), sizeOf(other), sizeOf(one), sizeOf(other)]).toEqual([1, 1, 1, 1])
    expect(made).toEqual([one, other])
    expect(made[0]).toBe(one)
  })
})
