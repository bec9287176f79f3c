import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Ids } from '../../../../state/kernel/worlds/ids.ts'

/** Draws one id of each kind. */
const draw = (ids: Ids) => [
  ids.uuid(),
  ids.base62(24),
  ids.hex(8),
  ids.text(5, 'ab'),
  [...ids.bytes(7)],
  ids.integerBelow(1000),
]

describe('behaviour/program#ids', () => {
  test('equal seeds give equal sequences, different seeds different ones', () => {
    expect(draw(new Ids('a'))).toEqual(draw(new Ids('a')))
    expect(draw(new Ids('a'))).not.toEqual(draw(new Ids('b')))
  })

  test('the position is plain data from which another generator continues', () => {
    const ids = new Ids('a')
    draw(ids)
    const copy = new Ids('other')
    copy.state = JSON.parse(JSON.stringify(ids.state))
    expect(draw(copy)).toEqual(draw(ids))
  })

  test('reseeding starts over', () => {
    const ids = new Ids('a')
    const first = draw(ids)
    ids.reseed('a')
    expect(draw(ids)).toEqual(first)
  })

  test('UUIDs are random ones (version 4, variant 10) and do not repeat', () => {
    const ids = new Ids('a')
    const drawn = Array.from({ length: 1000 }, () => ids.uuid())
    for (const uuid of drawn) {
      expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
    expect(new Set(drawn).size).toBe(1000)
  })

  test('texts have the requested length and alphabet', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.nat(60), (seed, length) => {
        const ids = new Ids(seed)
        expect(ids.base62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`))
        expect(ids.hex(length)).toMatch(new RegExp(`^[0-9a-f]{${length}}$`))
        expect(ids.bytes(length).length).toBe(length)
      }),
    )
  })

  test('every number below a limit comes up about equally often', () => {
    const ids = new Ids('dice')
    const counts = [0, 0, 0, 0, 0, 0]
    for (let n = 0; n < 6000; n++) {
      const rolled = ids.integerBelow(6)
      counts[rolled] = (counts[rolled] ?? 0) + 1
    }
    expect(counts.length).toBe(6)
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150)
  })

  test('numbers below the largest limit use all 32 bits', () => {
    const ids = new Ids('wide')
    const drawn = Array.from({ length: 200 }, () => ids.integerBelow(2 ** 32))
    expect(drawn.every((n) => Number.isInteger(n) && n >= 0 && n < 2 ** 32)).toBe(true)
    expect(Math.max(...drawn)).toBeGreaterThan(2 ** 31)
    expect(ids.integerBelow(1)).toBe(0)
  })
})
