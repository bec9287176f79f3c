import { expect, test } from 'vitest'
import { closestName, editDistance } from '../../../../routes/http/declare/similarity.ts'

test.each([
  ['', '', 0],
  ['secret', 'secret', 0],
  ['secret', 'secrets', 1],
  ['polices', 'policies', 1],
  ['kitten', 'sitting', 3],
])('behaviour/program#explanations: %s and %s differ by %i letters', (a, b, distance) => {
  expect([editDistance(a, b), editDistance(b, a)]).toEqual([distance, distance])
})

test('behaviour/program#bounds: words longer than any name are not compared', () => {
  const long = 'a'.repeat(40_000)
  expect(editDistance(long, `${long.slice(1)}b`)).toBe(40_000)
  expect(closestName(long, [`${long}b`.slice(1)])).toBeUndefined()
})
