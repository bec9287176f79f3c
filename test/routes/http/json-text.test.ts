import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indentJson } from '../../../routes/http/json-text.ts'

test('JSON is put in lines as the platform does, whatever it holds', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 4))
    }),
  )
})

test('numbers stay as they are written, and blanks between parts do not count', () => {
  expect(indentJson('{ "a" : [18446744073709551615 , 1.0],"b":{} }')).toBe(`{
    "a": [
        18446744073709551615,
        1.0
    ],
    "b": {}
}`)
})
