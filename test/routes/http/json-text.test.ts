import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indentJson } from '../../../routes/http/json-text.ts'

test('JSON of any content is indented as the platform does it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 4))
    }),
  )
})

test('numbers keep their spelling, and whitespace between tokens is ignored', () => {
  expect(indentJson('{ "a" : [18446744073709551615 , 1.0],"b":{} }')).toBe(`{
    "a": [
        18446744073709551615,
        1.0
    ],
    "b": {}
}`)
})
