import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  headers,
  lowerCaseText,
  requiredField,
  seconds,
  signedSeconds,
} from '../../../../routes/secrets/fields/field-kinds.ts'
import {
  compileFields,
  FieldError,
  type FieldSchema,
  toRefusal,
} from '../../../../routes/secrets/fields/fields.ts'
import { formatGoValue } from '../../../../state/json/go-value.ts'
import { canonicalJson, parseJson } from '../../../../state/json/json.ts'
import type { Json } from '../../../../state/kernel/json.ts'
import * as shapes from '../../../../state/kernel/shape/kinds.ts'
import { withDefault } from '../../../../state/kernel/shape/members.ts'

const kinds = {
  string: shapes.text,
  lower: lowerCaseText,
  integer: shapes.int,
  duration: seconds,
  signed: signedSeconds,
  boolean: shapes.bool,
  strings: shapes.list(shapes.text),
  integers: shapes.list(shapes.int),
  list: shapes.list(shapes.any),
  map: shapes.map(shapes.any),
  pairs: shapes.map(shapes.text),
  headers,
} as const satisfies Record<string, FieldSchema>

type Kind = keyof typeof kinds
type Row = [sent: string, converted: unknown]

const convert = (kind: Kind, json: string): unknown =>
  compileFields({ f: kinds[kind] })({ f: parseJson(json) }).f

/** Returns the error of a conversion that must fail. */
function refusal(conversion: () => unknown): FieldError {
  try {
    conversion()
  } catch (error) {
    if (error instanceof FieldError) return error
    throw error
  }
  throw new Error('it was converted')
}

/** Expects that JSON texts convert to the given values, which are JSON texts or undefined. */
function converts(kind: Kind, rows: Row[]): void {
  test.each(rows)(`${kind}: %s is %j`, (json, converted) => {
    expect(convert(kind, json)).toEqual(converted)
  })
}

/** Expects that JSON texts are refused for the given reasons. */
function refuses(kind: Kind, rows: [sent: string, shown: string, why: string][]): void {
  test.each(rows)(`${kind}: %s is refused`, (json, shown, why) => {
    const { message } = refusal(() => convert(kind, json))
    expect(message).toBe(`error converting input ${shown} for field "f": ${why}`)
  })
}

const array = "got unconvertible type '[]interface {}', value:"
const map = "got unconvertible type 'map[string]interface {}', value:"

// The expected values come from the reference server's field conversion of the same JSON. Rows
// where ours differs on purpose have a comment.
describe('behaviour/secrets#weak-typing', () => {
  converts('string', [
    ['"Ab"', 'Ab'],
    ['3', '3'],
    ['-1.5', '-1.5'],
    ['1.10', '1.10'],
    ['12345678901234567890', '12345678901234567890'],
    ['true', '1'],
    ['false', '0'],
    ['null', ''],
  ])
  converts('lower', [
    ['"Ab-C"', 'ab-c'],
    ['1E3', '1e3'],
  ])
  converts('integer', [
    ['3', 3],
    ['-3', -3],
    ['3.0', 3], // the reference server refuses it
    ['"3"', 3],
    ['"+3"', 3],
    ['"0x10"', 16],
    ['"-0B11"', -3],
    ['"0o17"', 15],
    ['"010"', 8],
    ['"00"', 0],
    ['"0x0000000000000000000001"', 1],
    ['"1_000"', 1000],
    ['"9223372036854775807"', 2 ** 63],
    ['"-9223372036854775808"', -(2 ** 63)],
    ['""', 0],
    ['true', 1],
    ['false', 0],
    ['null', 0],
  ])
  converts('boolean', [
    ['true', true],
    ['false', false],
    ['"true"', true],
    ['"T"', true],
    ['"1"', true],
    ['1', true],
    ['0', false],
    ['"FALSE"', false],
    ['""', false],
    ['null', false],
  ])
  converts('duration', [
    ['30', 30],
    ['30.0', 30], // the reference server refuses it
    ['"30"', 30],
    ['"1h30m"', 5400],
    ['"1.9s"', 1],
    ['"2d"', 172_800],
    ['""', 0],
    ['null', undefined],
  ])
  converts('signed', [
    ['-30', -30],
    ['"-1m"', -60],
  ])
  converts('strings', [
    ['["a"," b "]', ['a', 'b']],
    ['["a,b","c"]', ['a,b', 'c']],
    ['[1,"x",true,null,1.10]', ['1', 'x', '1', '', '1.10']],
    ['" a , b ,,c"', ['a', 'b', '', 'c']],
    ['"a"', ['a']],
    ['3', ['3']],
    ['true', ['1']],
    ['""', []],
    ['[]', []],
    ['{}', []],
    ['null', []],
  ])
  converts('integers', [
    ['[1,"2",true,null,3.0]', [1, 2, 1, 0, 3]],
    ['"1,2"', [1, 2]],
    ['"3"', [3]],
    ['3', [3]],
    ['false', [0]],
    ['""', []],
    ['{}', []],
    ['null', []],
  ])
  converts('list', [
    ['[1,"x",{"a":[]}]', [1, 'x', { a: [] }]],
    ['"a,b"', ['a,b']],
    ['""', ['']],
    ['{"a":1}', [{ a: 1 }]],
    ['{}', []],
    ['null', []],
  ])
  converts('map', [
    ['{"a":{"b":[1]}}', { a: { b: [1] } }],
    ['{}', {}],
    ['[]', {}],
    ['[{"a":1,"b":1},{"b":2},null,[{"c":3}]]', { a: 1, b: 2, c: 3 }],
    ['null', {}],
  ])
  converts('pairs', [
    ['{"a":"x","b":1.10,"c":true,"d":null}', { a: 'x', b: '1.10', c: '1', d: '' }],
    ['["k=v","l=w=x"]', { k: 'v', l: 'w=x' }],
    ['"k=v"', { k: 'v' }],
    ['"k=v,l=w"', { k: 'v', l: 'w' }], // the reference server does not split
    ['"k=a,b,l=w"', { k: 'a,b', l: 'w' }],
    ['[{"a":1}]', { a: '1' }],
    ['{}', {}],
    ['[]', {}],
    ['null', {}],
  ])
  converts('headers', [
    ['{"content-TYPE":"a","x":["b",1],"X":2}', { 'Content-Type': ['a'], X: ['b', '1', '2'] }],
    ['{"(request-target)":"get /"}', { '(request-target)': ['get /'] }],
    ['"{\\"a\\":\\"b\\"}"', { A: ['b'] }],
    ['"eyJhIjoiYiJ9"', { A: ['b'] }],
    ['" null"', {}],
    ['["a:b:c","a: d"]', { A: ['b:c', ' d'] }],
    ['[]', {}],
    ['null', {}],
  ])

  test('names of Object.prototype are data in maps and pairs', () => {
    for (const kind of ['map', 'pairs'] as const) {
      for (const json of ['{"__proto__":"x"}', '[{"__proto__":"x"}]']) {
        const value = convert(kind, json)
        expect(Object.entries(Object(value))).toEqual([['__proto__', 'x']])
      }
    }
  })

  test('a number converts as text of the same digits', () => {
    const kind = fc.constantFrom<Kind>('string', 'integer', 'signed', 'strings', 'integers')
    fc.assert(
      fc.property(kind, fc.integer(), (name, number) => {
        expect(convert(name, `"${number}"`)).toEqual(convert(name, String(number)))
      }),
    )
  })
})

describe('behaviour/secrets#refusals: <why>', () => {
  refuses('string', [
    ['[1,2]', '[1 2]', `'' expected type 'string', ${array} '[1 2]'`],
    ['{"b":2,"a":"x"}', 'map[a:x b:2]', `'' expected type 'string', ${map} 'map[a:x b:2]'`],
  ])
  refuses('integer', [
    ['"abc"', 'abc', `cannot parse '' as int: strconv.ParseInt: parsing "abc": invalid syntax`],
    ['" 3"', ' 3', `cannot parse '' as int: strconv.ParseInt: parsing " 3": invalid syntax`],
    ['"3.0"', '3.0', `cannot parse '' as int: strconv.ParseInt: parsing "3.0": invalid syntax`],
    ['"08"', '08', `cannot parse '' as int: strconv.ParseInt: parsing "08": invalid syntax`],
    ['3.5', '3.5', `cannot parse '' as int: strconv.ParseInt: parsing "3.5": invalid syntax`],
    ['1e3', '1e3', `cannot parse '' as int: strconv.ParseInt: parsing "1e3": invalid syntax`],
    [
      '9223372036854775808',
      '9223372036854775808',
      `cannot parse '' as int: strconv.ParseInt: parsing "9223372036854775808": value out of range`,
    ],
    ['{"a":1}', 'map[a:1]', `'' expected type 'int', ${map} 'map[a:1]'`],
    ['[null]', '[<nil>]', `'' expected type 'int', ${array} '[<nil>]'`],
  ])
  refuses('boolean', [
    ['"yes"', 'yes', `cannot parse '' as bool: strconv.ParseBool: parsing "yes": invalid syntax`],
    ['3', '3', `cannot parse '' as bool: strconv.ParseBool: parsing "3": invalid syntax`],
    ['[]', '[]', `'' expected type 'bool', ${array} '[]'`],
  ])
  refuses('duration', [
    ['-5', '-5', "cannot provide negative value '-5'"],
    ['"-1m"', '-1m', "cannot provide negative value '-60'"],
    ['"5x"', '5x', 'time: unknown unit "x" in duration "5x"'],
    ['"xd"', 'xd', 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['1.5', '1.5', 'time: missing unit in duration "1.5"'],
    ['true', 'true', 'could not parse duration from input'],
    ['[1]', '[1]', 'could not parse duration from input'],
    // The reference server overflows here and accepts the value.
    ['10000000000000', '10000000000000', 'time: invalid duration "10000000000000"'],
  ])
  refuses('strings', [
    [
      '[{"a":1},"x",[1]]',
      '[map[a:1] x [1]]',
      `2 error(s) decoding:\n\n* '[0]' expected type 'string', ${map} 'map[a:1]'\n* '[2]' expected type 'string', ${array} '[1]'`,
    ],
    [
      '{"a":1}',
      'map[a:1]',
      `1 error(s) decoding:\n\n* '[0]' expected type 'string', ${map} 'map[a:1]'`,
    ],
  ])
  refuses('integers', [
    [
      '"1, 2"',
      '1, 2',
      `1 error(s) decoding:\n\n* cannot parse '[1]' as int: strconv.ParseInt: parsing " 2": invalid syntax`,
    ],
    [
      '["a",[1]]',
      '[a [1]]',
      `2 error(s) decoding:\n\n* '[1]' expected type 'int', ${array} '[1]'\n* cannot parse '[0]' as int: strconv.ParseInt: parsing "a": invalid syntax`,
    ],
  ])
  refuses('map', [
    ['"x"', 'x', "'' expected a map, got 'string'"],
    ['3', '3', "'' expected a map, got 'string'"],
    ['true', 'true', "'' expected a map, got 'bool'"],
    ['[1,2]', '[1 2]', "'[0]' expected a map, got 'string'"],
    ['[{},[{},true]]', '[map[] [map[] true]]', "'[1][1]' expected a map, got 'bool'"],
  ])
  refuses('pairs', [
    ['"kv"', 'kv', 'invalid key pair "kv"'],
    ['["=v"]', '[=v]', 'invalid key pair "=v"'],
    ['""', '', 'invalid key pair ""'],
    ['3', '3', 'invalid key pair "3"'],
    [
      '{"a":{"b":1}}',
      'map[a:map[b:1]]',
      `1 error(s) decoding:\n\n* '[0]' expected type 'string', ${map} 'map[a:map[b:1]]'`,
    ],
  ])
  refuses('headers', [
    ['{"a":{"b":1}}', 'map[a:map[b:1]]', 'unrecognized type for map[b:1]'],
    ['{"a":null}', 'map[a:<nil>]', 'unrecognized type for %!s(<nil>)'],
    ['{"a":true}', 'map[a:true]', 'unrecognized type for %!s(bool=true)'],
    ['{"a":[true]}', 'map[a:[true]]', 'received non-string value for header key:a, val:[true]'],
    ['["a"]', '[a]', 'invalid key pair "a"'],
    ['3', '3', 'invalid key pair ""'],
    ['""', '', "'data' being decoded is nil"],
    ['"a,b"', 'a,b', "invalid character 'a' looking for beginning of value"],
    ...[
      ['"3"', '3', 'number'],
      ['"[]"', '[]', 'array'],
      ['"false "', 'false ', 'bool'],
      ['"\\"a\\""', '"a"', 'string'],
    ].map(([json = '', shown = '', kind = '']): [string, string, string] => [
      json,
      shown,
      `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`,
    ]),
  ])

  test('the answer names the check that found it', () => {
    const error = new FieldError('a"b', [1, null, { k: 'v' }], 'because')
    const text = 'error converting input [1 <nil> map[k:v]] for field "a\\"b": because'
    const facts = { field: 'a\\"b', value: '[1 <nil> map[k:v]]', why: 'because' }
    expect(toRefusal(error, true)).toMatchObject({ kind: 'invalid', message: text, params: facts })
    expect(toRefusal(error, false)).toMatchObject({
      kind: 'invalid',
      message: `Field validation failed: ${text}`,
      params: { problem: { params: facts } },
    })
  })

  test.each<Kind>(['string', 'map', 'pairs', 'strings', 'headers', 'integers'])(
    'a value 10,000 levels deep is an ordinary wrong %s',
    (kind) => {
      const deep = `{"a":${'['.repeat(9_998)}1${']'.repeat(9_998)}}`
      const json =
        kind === 'map' ? `[${deep.slice(5, -1)}]` : kind === 'headers' ? `[${deep}]` : deep
      expect(() => convert(kind, json)).toThrow(FieldError)
    },
  )
})

describe("formatGoValue (behaviour/secrets#refusals: <v>, Go's %v)", () => {
  test.each<[value: string, text: string]>([
    ['null', '<nil>'],
    ['"a b"', 'a b'],
    ['1.10', '1.10'],
    ['{"b":[1,true,null],"a":{"10":1,"9":2}}', 'map[a:map[10:1 9:2] b:[1 true <nil>]]'],
    ['[]', '[]'],
    ['{}', 'map[]'],
  ])('%s is %s', (json, text) => {
    expect(formatGoValue(parseJson(json))).toBe(text)
  })
})

describe('compileFields (behaviour/program#declared-once)', () => {
  const convertWrite = compileFields({
    options: withDefault(kinds.map, {}),
    data: requiredField(kinds.map),
    versions: withDefault(kinds.integers, [1]),
    ttl: withDefault(seconds, 60),
    cas: kinds.integer,
    custom_metadata: kinds.pairs,
    name: kinds.string,
    request_headers: headers,
  })

  test('omitted fields are absent unless they have a default; unknown ones are ignored', () => {
    expect(convertWrite({ other: 1, cas: '2' })).toEqual({
      options: {},
      versions: [1],
      ttl: 60,
      cas: 2,
    })
  })

  test('null is the zero value, for durations the default', () => {
    expect(convertWrite({ data: null, cas: null, ttl: null, versions: null })).toEqual({
      options: {},
      data: {},
      versions: [],
      ttl: 60,
      cas: 0,
    })
  })

  test('requests do not share a default', () => {
    convertWrite({}).versions.push(2)
    expect(convertWrite({}).versions).toEqual([1])
  })

  test('inherited names are not sent', () => {
    const convertNames = compileFields({ constructor: kinds.string })
    expect(Object.keys(convertNames({}))).toEqual([])
    expect(canonicalJson({ ...convertNames({ constructor: 'x' }) })).toBe('{"constructor":"x"}')
  })

  test('the first declared field that does not convert is reported', () => {
    const input = { cas: 'x', data: 'y' }
    expect(refusal(() => convertWrite(input)).message).toBe(
      `error converting input y for field "data": '' expected a map, got 'string'`,
    )
  })

  test('the types of the values follow the declaration', () => {
    const values = convertWrite({})
    expectTypeOf(values.options).toEqualTypeOf<{ [key: string]: Json }>()
    expectTypeOf(values.data).toEqualTypeOf<{ [key: string]: Json } | undefined>()
    expectTypeOf(values.versions).toEqualTypeOf<number[]>()
    expectTypeOf(values.ttl).toEqualTypeOf<number>()
    expectTypeOf(values.cas).toEqualTypeOf<number | undefined>()
    expectTypeOf(values.custom_metadata).toEqualTypeOf<{ [key: string]: string } | undefined>()
    expectTypeOf(values.name).toEqualTypeOf<string | undefined>()
    expectTypeOf(values.request_headers).toEqualTypeOf<{ [name: string]: string[] } | undefined>()
    const lists = compileFields({ strings: kinds.strings, any: kinds.list, flag: kinds.boolean })(
      {},
    )
    expectTypeOf(lists.strings).toEqualTypeOf<string[] | undefined>()
    expectTypeOf(lists.any).toEqualTypeOf<Json[] | undefined>()
    expectTypeOf(lists.flag).toEqualTypeOf<boolean | undefined>()
    expect(lists).toEqual({})
  })
})
