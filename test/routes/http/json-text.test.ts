import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indentJson } from '../../../routes/http/json-text.ts'
import { stringifyInParts } from '../../../routes/http/long-json.ts'
import { runInTurns, runParts } from '../../../state/kernel/parts.ts'
import { countTurns, slowClock } from '../../support/turns.ts'

const indent = (json: string) => runParts(indentJson(json))

test('JSON of any content is indented as the platform does it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indent(JSON.stringify(value))).toBe(JSON.stringify(value, null, 4))
    }),
  )
})

test('numbers keep their spelling, and whitespace between tokens is ignored', () => {
  expect(indent('{ "a" : [18446744073709551615 , 1.0],"b":{} }')).toBe(`{
    "a": [
        18446744073709551615,
        1.0
    ],
    "b": {}
}`)
})

test('long JSON is indented in turns of the event loop', async () => {
  slowClock(5)
  const rows = Array.from({ length: 5_000 }, (_, at) => ({ at, text: '"' }))
  let indented: unknown
  const turns = await countTurns(async () => {
    indented = await runInTurns(indentJson(JSON.stringify(rows)))
  })
  expect(indented).toBe(JSON.stringify(rows, null, 4))
  expect(turns).toBeGreaterThan(3)
})

test('long JSON is serialized in turns with the result of a single call', async () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      expect(runParts(stringifyInParts(value))).toBe(JSON.stringify(value))
    }),
  )
  slowClock(15)
  const rows = Array.from({ length: 5_000 }, (_, at) => ({ at, absent: undefined, text: 'x' }))
  const turns = await countTurns(async () => {
    expect(await runInTurns(stringifyInParts({ a: { rows } }))).toBe(
      JSON.stringify({ a: { rows } }),
    )
  })
  expect(turns).toBeGreaterThan(1)
})
