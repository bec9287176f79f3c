import { describe, expect, test } from 'vitest'
import { decodeFirst } from '../../../state/json/decodings.ts'
import { parseJson } from '../../../state/json/json.ts'

describe("bodies as Go's stream decoder reads them (behaviour/scheduler#conventions)", () => {
  test.each<[string, unknown]>([
    ['{"a":"}"} x', { a: '}' }],
    ['[1] 2', [1]],
    ['"a\\"b"c', 'a"b'],
    ['nullx', null],
    ['5 x', 5],
    [' true', true],
  ])('%s: the first value counts', (text, value) => {
    expect(parseJson(text, decodeFirst)).toEqual(value)
  })

  test.each([
    ['', 'EOF'],
    [' \n', 'EOF'],
    ['{"a"', 'unexpected EOF'],
    ['{"a":tr', 'unexpected EOF'],
    ['nul', 'unexpected EOF'],
    ['-', 'unexpected EOF'],
    ['"a', 'unexpected EOF'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ['{x', "invalid character 'x' looking for beginning of object key string"],
    ['nulx', "invalid character 'x' in literal null (expecting 'l')"],
    ['01', "invalid character '1' after top-level value"],
    ['[1.5.]', "invalid character '.' after array element"],
    ['{"a":1.5.}', "invalid character '.' after object key:value pair"],
  ])('%j is refused', (text, message) => {
    expect(() => parseJson(text, decodeFirst)).toThrow(expect.objectContaining({ message }))
  })
})
