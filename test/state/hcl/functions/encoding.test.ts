import { describe, expect, test } from 'vitest'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: encodings', () => {
  test.each<[string, unknown]>([
    ['base64decode("aGk=")', 'hi'],
    ['base64decode("aG\\nk=")', 'hi'],
    ['base64decode("")', ''],
    ['base64encode("é")', 'w6k='],
    ['base64encode("")', ''],
    ['csvdecode("a,b\\n1,2\\n")', { '<list>': [{ a: '1', b: '2' }] }],
    ['csvdecode("a,b\\n\\"x\\ny\\",\\"p\\"\\"q\\"\\n")', { '<list>': [{ a: 'x\ny', b: 'p"q' }] }],
    [
      'csvdecode("a,b\\r\\n1,2\\r\\n3,4")',
      {
        '<list>': [
          { a: '1', b: '2' },
          { a: '3', b: '4' },
        ],
      },
    ],
    ['csvdecode("a,\\n1,\\n")', { '<list>': [{ a: '1', '': '' }] }],
    ['csvdecode("a\\n1\\r")', { '<list>': [{ a: '1' }] }],
    ['csvdecode("a,b\\n\\"x\\",\\"\\"")', { '<list>': [{ a: 'x', b: '' }] }],
    ['csvdecode("a")', { '<list>': [] }],
    ['csvdecode("a\\n\\"\\"\\n")', { '<list>': [{ a: '' }] }],
    ['csvdecode("e\\u0301\\n1")', { '<list>': [{ é: '1' }] }],
    ['urlencode("a b&c=é/!\'()*~-_.+😀")', 'a+b%26c%3D%C3%A9%2F%21%27%28%29%2A~-_.%2B%F0%9F%98%80'],
    ['urlencode("")', ''],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    [
      'base64decode("aGk")',
      'Error in function call; Call to function "base64decode" failed: failed to decode base64 data \'aGk\'.',
    ],
    [
      'base64decode("/w==")',
      'Error in function call; Call to function "base64decode" failed: the result of decoding the the provided string is not valid UTF-8.',
    ],
    [
      'base64decode("a===")',
      'Error in function call; Call to function "base64decode" failed: failed to decode base64 data \'a===\'.',
    ],
    [
      'base64decode("****")',
      'Error in function call; Call to function "base64decode" failed: failed to decode base64 data \'****\'.',
    ],
    [
      'base64encode(null)',
      'Invalid function argument; Invalid value for "str" parameter: argument must not be null.',
    ],
    [
      'csvdecode("")',
      'Error in function call; Call to function "csvdecode" failed: missing header line.',
    ],
    [
      'csvdecode("\\n\\n")',
      'Error in function call; Call to function "csvdecode" failed: missing header line.',
    ],
    [
      'csvdecode("a,a\\n")',
      'Error in function call; Call to function "csvdecode" failed: duplicate column name "a".',
    ],
    [
      'csvdecode("a,b\\n1\\n")',
      'Error in function call; Call to function "csvdecode" failed: CSV parse error on line 2: wrong number of fields.',
    ],
    [
      'csvdecode("a,b\\n\\"x\\n")',
      'Error in function call; Call to function "csvdecode" failed: CSV parse error on line 2: extraneous or missing " in quoted-field.',
    ],
    [
      'csvdecode("a,b\\nx\\"y,1\\n")',
      'Error in function call; Call to function "csvdecode" failed: CSV parse error on line 2: bare " in non-quoted-field.',
    ],
    [
      'csvdecode("a,b\\n\\n\\"x\\"y,1\\n")',
      'Error in function call; Call to function "csvdecode" failed: CSV parse error on line 3: extraneous or missing " in quoted-field.',
    ],
    [
      'csvdecode("\\"a\\n\\"b")',
      'Error in function call; Call to function "csvdecode" failed: CSV parse error on line 2: extraneous or missing " in quoted-field.',
    ],
    [
      'csvdecode("a\\n ,\\n")',
      'Error in function call; Call to function "csvdecode" failed: CSV parse error on line 2: wrong number of fields.',
    ],
    [
      'csvdecode("a,b\\n1,2,3\\n")',
      'Error in function call; Call to function "csvdecode" failed: CSV parse error on line 2: wrong number of fields.',
    ],
    [
      'csvdecode("a\\n\\"x\\ny\\nz")',
      'Error in function call; Call to function "csvdecode" failed: CSV parse error on line 4: extraneous or missing " in quoted-field.',
    ],
    [
      'urlencode([])',
      'Invalid function argument; Invalid value for "str" parameter: string required.',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })
})
