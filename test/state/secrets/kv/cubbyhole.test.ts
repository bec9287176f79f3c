import { describe, expect, test } from 'vitest'
import {
  deleteCubbyhole,
  hasCubbyholeEntry,
  listCubbyhole,
  readCubbyhole,
  writeCubbyhole,
} from '../../../../state/secrets/kv/cubbyhole.ts'
import { freshWorld, makeToken } from '../fresh-world.ts'

describe("behaviour/secrets#tokens: a token's cubbyhole", () => {
  test('preserves the text of numbers and keys of any name', () => {
    const world = freshWorld()
    const token = makeToken(world)
    const pairs = JSON.parse('{"__proto__": {"a": 1}, "b": "ü"}')
    writeCubbyhole(world, token, 'x', pairs)
    expect(readCubbyhole(world, token, 'x')).toBe('{"__proto__":{"a":1},"b":"ü"}')
  })

  test('returns whether an entry exists', () => {
    const world = freshWorld()
    const [one, two] = [makeToken(world), makeToken(world)]
    writeCubbyhole(world, one, 'x', { a: 1 })
    expect(hasCubbyholeEntry(world, one, 'x')).toBe(true)
    expect(hasCubbyholeEntry(world, two, 'x')).toBe(false)
    deleteCubbyhole(world, one, 'x')
    expect(hasCubbyholeEntry(world, one, 'x')).toBe(false)
  })

  test('lists names in bytewise order', () => {
    const world = freshWorld()
    const token = makeToken(world)
    for (const path of ['\u{ffee}', '\u{1f600}', 'b/c', 'a']) {
      writeCubbyhole(world, token, path, { k: 1 })
    }
    expect(listCubbyhole(world, token, '')).toEqual(['a', 'b/', '\u{ffee}', '\u{1f600}'])
  })

  test.each([
    ['', { a: 1 }, 'missing path'],
    ['x', {}, 'missing data fields'],
  ])('a write to %j of %j is refused', (path, pairs, message) => {
    const world = freshWorld()
    const token = makeToken(world)
    expect(() => writeCubbyhole(world, token, path, pairs)).toThrow(
      expect.objectContaining({ kind: 'invalid', message }),
    )
  })
})
