import { text } from 'node:stream/consumers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LongJson } from '../../../routes/http/long-json.ts'
import { parseLongJson } from '../../../routes/http/parse-long-json.ts'

/** So small that even short texts are parsed in parts. */
const longest = 6

/** What a parser makes of a text; undefined for a refusal. */
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

describe('behaviour/program#bounds: documents that are longer than texts can be', () => {
  test('are read in parts as they would be in one', () => {
    fc.assert(
      fc.property(spaced, (json) => {
        expect(parseLongJson(Buffer.from(json), longest)).toEqual(JSON.parse(json))
      }),
    )
  })

  test('and refused as they would be in one', () => {
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

  test('members called __proto__ are data', () => {
    const json = '{"__proto__": {"a": "0123456789"}, "b": {"__proto__": [1, 2, 3, 4, 5]}}'
    const value = parseLongJson(Buffer.from(json), longest)
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(json)))
  })

  test('are written as they would be in one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 6 }), async (value) => {
        expect(await text(new LongJson(value).stream())).toBe(JSON.stringify(value))
      }),
    )
    const absent = { a: undefined, b: { c: { d: { e: [undefined], f: undefined } } } }
    expect(await text(new LongJson(absent).stream())).toBe(JSON.stringify(absent))
  })

  test('many small members come in few portions', async () => {
    const rows = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`row-${at}`, { at }]))
    let portions = 0
    for await (const bytes of new LongJson({ rows }).stream()) {
      portions += 1
      expect(Buffer.byteLength(bytes)).toBeLessThan(66 * 1024)
    }
    expect(portions).toBeLessThan(4)
  })
})
