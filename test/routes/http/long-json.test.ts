import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LazyMembers, LongJson } from '../../../routes/http/long-json.ts'
import { parseLongJson } from '../../../state/json/long-json.ts'
import { countTurns, slowClock } from '../../support/turns.ts'

/** Maximum text length, so small that even short texts are parsed in parts. */
const longest = 6

/** Returns the result of a parser; undefined if it refuses the text. */
function outcome(parse: () => unknown): { readonly value: unknown } | undefined {
  try {
    return { value: parse() }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

const spaced = fc
  .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'))
  .map(([value, indent]) => JSON.stringify(value, null, indent))

describe('behaviour/program#bounds: documents longer than the maximum string', () => {
  test('are parsed in parts with the result of a single parse', () => {
    fc.assert(
      fc.property(spaced, (json) => {
        expect(parseLongJson(Buffer.from(json), longest)).toEqual(JSON.parse(json))
      }),
    )
  })

  test('are refused if a single parse would refuse them', () => {
    const broken = fc
      .tuple(spaced, fc.nat(), fc.constantFrom('', ',', '"', '{', '}', '[', ']', ':', '\\', ' '))
      .map(([json, place, instead]) => {
        const at = place % (json.length + 1)
        return json.slice(0, at) + instead + json.slice(at + 1)
      })
    fc.assert(
      fc.property(broken, (json) => {
        const parts = outcome(() => parseLongJson(Buffer.from(json), longest))
        expect(parts).toEqual(outcome(() => JSON.parse(json)))
      }),
      { numRuns: 2000 },
    )
  })

  test('may hold empty lists and objects with white space inside', () => {
    const json = '{"a": [\n\t\t\n\t], "b": {          }}'
    expect(parseLongJson(Buffer.from(json), longest)).toEqual({ a: [], b: {} })
  })

  test('keep members called __proto__ as data', () => {
    const json = '{"__proto__": {"a": "0123456789"}, "b": {"__proto__": [1, 2, 3, 4, 5]}}'
    const value = parseLongJson(Buffer.from(json), longest)
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(json)))
  })

  test('are serialized in parts with the result of a single call', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
        expect(await text(new LongJson(value).stream())).toBe(JSON.stringify(value))
      }),
    )
    const absent = { a: undefined, b: { c: { d: { e: [undefined], f: undefined } } } }
    expect(await text(new LongJson(absent).stream())).toBe(JSON.stringify(absent))
  })

  test('are written in few chunks even if they have many small members', async () => {
    const rows = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`row-${at}`, { at }]))
    let portions = 0
    for await (const bytes of new LongJson({ rows }).stream()) {
      portions += 1
      expect(Buffer.byteLength(bytes)).toBeLessThan(66 * 1024)
    }
    expect(portions).toBeLessThan(4)
  })

  test('let other requests be served between their members', async () => {
    slowClock(15)
    let isRead = 0
    function* entries(): Generator<[string, unknown]> {
      for (; isRead < 50; isRead += 1) yield [`row-${isRead}`, { text: 'x'.repeat(100_000) }]
    }
    const value = { rows: new LazyMembers(entries) }
    const stream = new LongJson(value).stream()
    expect(isRead).toBe(0)
    const turns = await countTurns(async () => {
      const sent = JSON.parse(await text(stream))
      expect(Object.keys(sent.rows)).toHaveLength(50)
    })
    expect(turns).toBeGreaterThan(20)
  })
})
