import { describe, expect, test } from 'vitest'
import { unquoteGo } from '../../../state/go/text.ts'

describe('texts as Go writes them: strconv.Unquote', () => {
  test.each([
    ['"web"', 'web'],
    ['""', ''],
    ['"a\\tb\\n\\"c\\"\\\\"', 'a\tb\n"c"\\'],
    ['"\\x41\\102\\u0043\\U0001F4A1"', 'ABC\u{1F4A1}'],
    ['"\\a\\b\\f\\r\\v"', '\x07\b\f\r\v'],
    ["'\\''", "'"],
    ['`raw \\n\r\n text`', 'raw \\n\n text'],
    ['"\\q"', undefined],
    ['"\\"', undefined],
    ['"\\x4"', undefined],
    ['"\\\'"', undefined],
    ["'\\\"'", undefined],
    ['"\\400"', undefined],
    ['"\\ud800"', undefined],
    ['"\\U00110000"', undefined],
    ['"a\nb"', undefined],
  ])('%j: %j', (literal, expected) => {
    expect(unquoteGo(literal)).toBe(expected)
  })
})
