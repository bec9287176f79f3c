import { describe, expect, test } from 'vitest'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: JSON', () => {
  test.each<[string, unknown]>([
    ['jsondecode("{\\"b\\":1,\\"a\\":[true,null,\\"x\\"]}")', { b: 1, a: [true, null, 'x'] }],
    ['jsondecode("{\\"a\\":1,\\"a\\":\\"x\\"}")', { a: 'x' }],
    ['jsondecode("null")', null],
    ['jsondecode("{\\"e\\\\u0301\\": \\"e\\\\u0301\\"}")', { é: 'é' }],
    ['jsonencode("x")', '"x"'],
    ['jsonencode(1.5)', '1.5'],
    ['jsonencode(100000000000000000000000)', '100000000000000000000000'],
    ['jsonencode(null)', 'null'],
    ['jsonencode(toset([2,1]))', '[1,2]'],
    [
      'jsonencode("<a>&\\u2028\\u0001\\n\\t\\"\\\\é\\u007f")',
      '"\\u003ca\\u003e\\u0026\\u2028\\u0001\\n\\t\\"\\\\é\u007f"',
    ],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    ['jsondecode("")', 'Error in function call; Call to function "jsondecode" failed: EOF.'],
    ['jsondecode(" ")', 'Error in function call; Call to function "jsondecode" failed: EOF.'],
    ['jsondecode("{")', 'Error in function call; Call to function "jsondecode" failed: EOF.'],
    ['jsondecode("[1,")', 'Error in function call; Call to function "jsondecode" failed: EOF.'],
    [
      'jsondecode("{\\"a\\"")',
      'Error in function call; Call to function "jsondecode" failed: EOF.',
    ],
    [
      'jsondecode("x")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'x\' looking for beginning of value.',
    ],
    [
      'jsondecode("[1 2]")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'2\' after array element.',
    ],
    [
      'jsondecode("{\\"a\\" 1}")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'1\' after object key.',
    ],
    [
      'jsondecode("{\\"a\\":1,}")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'}\' looking for beginning of object key string.',
    ],
    [
      'jsondecode("[1,]")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \']\' looking for beginning of value.',
    ],
    [
      'jsondecode("{} x")',
      'Error in function call; Call to function "jsondecode" failed: extraneous data after JSON object.',
    ],
    [
      'jsondecode("1 2")',
      'Error in function call; Call to function "jsondecode" failed: extraneous data after JSON object.',
    ],
    [
      'jsondecode("}")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'}\' looking for beginning of value.',
    ],
    [
      'jsondecode("tru")',
      'Error in function call; Call to function "jsondecode" failed: unexpected EOF.',
    ],
    [
      'jsondecode("trux")',
      "Error in function call; Call to function \"jsondecode\" failed: invalid character 'x' in literal true (expecting 'e').",
    ],
    [
      'jsondecode("\\"a")',
      'Error in function call; Call to function "jsondecode" failed: unexpected EOF.',
    ],
    [
      'jsondecode("01")',
      'Error in function call; Call to function "jsondecode" failed: extraneous data after JSON object.',
    ],
    [
      'jsondecode("1.")',
      'Error in function call; Call to function "jsondecode" failed: unexpected EOF.',
    ],
    [
      'jsondecode("-")',
      'Error in function call; Call to function "jsondecode" failed: unexpected EOF.',
    ],
    [
      'jsondecode("{1:2}")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'1\'.',
    ],
    [
      'jsondecode("[}")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'}\' looking for beginning of value.',
    ],
    [
      'jsondecode("{\\"a\\":}")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'}\' looking for beginning of value.',
    ],
    [
      'jsondecode("\\"\\\\x\\"")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'x\' in string escape code.',
    ],
    [
      'jsondecode("\\"\\\\u12\\"")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'"\' in \\u hexadecimal character escape.',
    ],
    [
      'jsondecode("\\"\\n\\"")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'\\n\' in string literal.',
    ],
    [
      'jsondecode("1e400")',
      'Error in function call; Call to function "jsondecode" failed: the number 1e400 is too large.',
    ],
    [
      'jsondecode("nul")',
      'Error in function call; Call to function "jsondecode" failed: unexpected EOF.',
    ],
    [
      'jsondecode("]")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \']\' looking for beginning of value.',
    ],
    [
      'jsondecode(",")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \',\' looking for beginning of value.',
    ],
    [
      'jsondecode(":")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \':\' looking for beginning of value.',
    ],
    [
      'jsondecode("[,]")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \',\' looking for beginning of value.',
    ],
    [
      'jsondecode("{,}")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \',\'.',
    ],
    [
      'jsondecode("{\\"a\\":1 \\"b\\"}")',
      'Error in function call; Call to function "jsondecode" failed: invalid character \'"\' after object key:value pair.',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})
