import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quoteGo } from '../../../state/go/text.ts'
import {
  canonicalJson,
  compareBytewise,
  JsonError,
  mergePatch,
  parseJson,
  parseJsonExactly,
} from '../../../state/json/json.ts'
import { isJsonObject, type Json, JsonNumber } from '../../../state/kernel/json.ts'

const deepest = 10_000
const nested = (levels: number): [kind: string, text: string][] => [
  ['arrays', '['.repeat(levels) + ']'.repeat(levels)],
  ['objects', '{"a":'.repeat(levels) + '1' + '}'.repeat(levels)],
]

describe('behaviour/secrets#key-value: any JSON value is kept; numbers as they were sent', () => {
  test.each([
    '12345678901234567890',
    '1.10',
    '1e3',
    '1E+2',
    '1000000000000000000000',
    '-0',
    '-0.0',
    '0.0000001',
    '1e400',
    '9007199254740993',
    '0.1000000000000000055511151231257827',
  ])('the literal %s comes back unchanged, wherever it stands', (literal) => {
    expect(parseJson(literal)).toEqual(new JsonNumber(literal))
    for (const text of [literal, `[${literal}]`, `{"a":${literal}}`, `[0,${literal},"x"]`]) {
      expect(canonicalJson(parseJson(text))).toBe(text)
    }
    expect(parseJson(`{ "a" :\n${literal} }`)).toEqual({ a: new JsonNumber(literal) })
  })

  test.each([
    ['0', 0],
    ['-1', -1],
    ['1.5', 1.5],
    ['-0.5', -0.5],
    ['0.000001', 0.000001],
    ['123456789012345', 123456789012345],
    ['9007199254740991', 9007199254740991],
    // A plain number suffices, because it is printed with the same digits.
    ['100000000000000000000', 1e20],
  ])('the literal %s is a plain number', (literal, number) => {
    expect(parseJson(literal)).toBe(number)
    expect(canonicalJson(number)).toBe(literal)
  })

  test('numbers inside strings are text', () => {
    expect(parseJson('{"a":" 1.10, 1e3","b":"[10.0.0.0]"}')).toEqual({
      a: ' 1.10, 1e3',
      b: '[10.0.0.0]',
    })
  })

  test('any decimal literal survives', () => {
    const literal = fc.stringMatching(
      /^-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?$/,
    )
    fc.assert(
      fc.property(literal, (text) => {
        expect(canonicalJson(parseJson(`{"a":[${text}]}`))).toBe(`{"a":[${text}]}`)
      }),
    )
  })

  test('JSON.stringify renders a JsonNumber as a number', () => {
    expect(JSON.stringify({ a: new JsonNumber('1.10') })).toBe('{"a":1.1}')
    expect(`${new JsonNumber('1.10')}`).toBe('1.10')
  })

  // choice/secrets#json-duplicate-keys
  test('the last of duplicate keys wins', () => {
    expect(parseJson('{"a":1,"a":2}')).toEqual({ a: 2 })
    expect(parseJson('{"a":1,"a":2.0}')).toEqual({ a: new JsonNumber('2.0') })
  })

  test.each(['{"__proto__":{"x":1},"constructor":2}', '{"__proto__":{"x":1.0},"constructor":2}'])(
    'names of Object.prototype are data: %s',
    (text) => {
      const value = parseJson(text)
      expect(Object.keys(Object(value))).toEqual(['__proto__', 'constructor'])
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect(canonicalJson(value)).toBe(text)
    },
  )

  test('half a surrogate pair becomes the replacement character, as in Go', () => {
    expect(parseJson('"\\ud800x\\uDC00 \\ud83d\\ude00"')).toBe('\ufffdx\ufffd \u{1f600}')
  })
})

describe('own parser and native parser (behaviour/program#figures: speed must not change meaning)', () => {
  test('agree on every JSON text', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent)
        expect(parseJsonExactly(text)).toEqual(parseJson(text))
        expect(canonicalJson(parseJsonExactly(text))).toBe(canonicalJson(parseJson(text)))
      }),
    )
  })

  test('accept the same texts', () => {
    const scrap = fc.constantFrom(
      ...'{}[],:"\\ \n-+.019eEtruefalsnx'.split(''),
      '"a":',
      'true',
      '\\u00e9',
    )
    const native = (text: string): boolean => {
      try {
        JSON.parse(text)
        return true
      } catch {
        return false
      }
    }
    fc.assert(
      fc.property(fc.string({ unit: scrap, maxLength: 12 }), (text) => {
        let accepted = true
        try {
          parseJsonExactly(text)
        } catch (error) {
          expect(error).toBeInstanceOf(JsonError)
          accepted = false
        }
        expect(accepted).toBe(native(text))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('behaviour/secrets#refusals: the parser text', () => {
  // The second column is the message of json.Unmarshal in Go 1.26.
  test.each([
    ['', 'unexpected end of JSON input'],
    [' \n', 'unexpected end of JSON input'],
    ['{', 'unexpected end of JSON input'],
    ['{"a"', 'unexpected end of JSON input'],
    ['[1,', 'unexpected end of JSON input'],
    ['"abc', 'unexpected end of JSON input'],
    ['x', "invalid character 'x' looking for beginning of value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ['\ufeff{}', "invalid character 'ï' looking for beginning of value"],
    ['é', "invalid character 'Ã' looking for beginning of value"],
    ['[\u00a0]', "invalid character 'Â' looking for beginning of value"],
    ['[\u007f]', "invalid character '\\x7f' looking for beginning of value"],
    [']', "invalid character ']' looking for beginning of value"],
    ['+1', "invalid character '+' looking for beginning of value"],
    ['.5', "invalid character '.' looking for beginning of value"],
    ['[1,]', "invalid character ']' looking for beginning of value"],
    ['[,1]', "invalid character ',' looking for beginning of value"],
    ['{"a":}', "invalid character '}' looking for beginning of value"],
    ['{1:2}', "invalid character '1' looking for beginning of object key string"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b":2}', `invalid character '"' after object key:value pair`],
    ['{"a":1]', "invalid character ']' after object key:value pair"],
    ['[1 2]', "invalid character '2' after array element"],
    ['[1\v]', "invalid character '\\v' after array element"],
    ['{} x', "invalid character 'x' after top-level value"],
    ['01', "invalid character '1' after top-level value"],
    ['-', "invalid character ' ' in numeric literal"],
    ['-x', "invalid character 'x' in numeric literal"],
    ['1.', "invalid character ' ' after decimal point in numeric literal"],
    ['1.x', "invalid character 'x' after decimal point in numeric literal"],
    ['1ex', "invalid character 'x' in exponent of numeric literal"],
    ['1e+', "invalid character ' ' in exponent of numeric literal"],
    ['tru', "invalid character ' ' in literal true (expecting 'e')"],
    ['falsy', "invalid character 'y' in literal false (expecting 'e')"],
    ['nulx', "invalid character 'x' in literal null (expecting 'l')"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ['"\\q"', "invalid character 'q' in string escape code"],
    ['"\\', "invalid character ' ' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"\\u12', "invalid character ' ' in \\u hexadecimal character escape"],
  ])('%j', (text, message) => {
    expect(() => parseJson(text)).toThrow(new JsonError(message))
  })

  test('one level beyond 10,000 is refused', () => {
    const [[, arrays = ''] = [], [, objects = ''] = []] = nested(deepest + 1)
    expect(() => parseJson(arrays)).toThrow(
      new JsonError("invalid character '[' exceeded max depth"),
    )
    expect(() => parseJson(objects)).toThrow(
      new JsonError("invalid character '{' exceeded max depth"),
    )
    const brackets = '['.repeat(1_000_000)
    expect(() => parseJson(brackets)).toThrow(
      new JsonError("invalid character '[' exceeded max depth"),
    )
    // Brackets in strings and brackets side by side do not add to the depth.
    const wide = `["${'[\\"'.repeat(deepest)}"${',[]'.repeat(2 * deepest)}]`
    expect(parseJson(wide)).toEqual(JSON.parse(wide))
  })

  test.each(nested(deepest))('10,000 levels of %s are read, printed and merged', (_, text) => {
    const value = parseJson(text)
    const changed = parseJson(text.replace('1', '1.0'))
    expect(canonicalJson(value) === text).toBe(true)
    expect(canonicalJson(mergePatch(value, changed)) === canonicalJson(changed)).toBe(true)
  })
})

describe('canonicalJson (behaviour/secrets#conventions: keys sorted bytewise)', () => {
  test.each<[name: string, value: Json, text: string]>([
    ['plain values', [null, true, 1.5, 'a"\u0001é'], '[null,true,1.5,"a\\"\\u0001é"]'],
    ['empty containers', { b: {}, a: [] }, '{"a":[],"b":{}}'],
    ['integer-like keys', { '9': 1, '10': 2, a: 3 }, '{"10":2,"9":1,"a":3}'],
    ['keys below', { a: [{ d: 1, c: { f: 1, e: 2 } }] }, '{"a":[{"c":{"e":2,"f":1},"d":1}]}'],
    ['upper before lower case', { a: 1, B: 2 }, '{"B":2,"a":1}'],
    ['beyond the basic plane', { '\u{1f600}': 1, '\uff5e': 2 }, '{"\uff5e":2,"\u{1f600}":1}'],
    ['no HTML escapes', { a: '<&>' }, '{"a":"<&>"}'],
    ['number literals', { b: new JsonNumber('1.0'), a: 1 }, '{"a":1,"b":1.0}'],
  ])('%s', (_, value, text) => {
    expect(canonicalJson(value)).toBe(text)
  })

  test('does not depend on the order of insertion, and reads back', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 })),
        (members) => {
          const text = JSON.stringify(members)
          const value = parseJson(text)
          const reversed = Object.fromEntries(Object.entries(Object(value)).reverse())
          expect(canonicalJson(parseJson(JSON.stringify(reversed)))).toBe(canonicalJson(value))
          expect(parseJson(canonicalJson(value))).toEqual(value)
        },
      ),
    )
  })
})

describe('compareBytewise (behaviour/secrets#conventions: keys sorted bytewise)', () => {
  test('is the order of the UTF-8 bytes', () => {
    const text = fc.string({
      unit: fc.oneof(
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
        fc.constantFrom('a', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{1f600}'),
      ),
    })
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareBytewise(a, b))).toBe(
          Buffer.compare(Buffer.from(a), Buffer.from(b)),
        )
      }),
    )
  })
})

describe('mergePatch (behaviour/secrets#api-kv2, key-value patch: RFC 7396)', () => {
  // RFC 7396, appendix A: original, patch, result.
  const cases: [target: string, patch: string, result: string][] = [
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', '{}'],
    ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
    ['["a","b"]', '["c","d"]', '["c","d"]'],
    ['{"a":"b"}', '["c"]', '["c"]'],
    ['{"a":"foo"}', 'null', 'null'],
    ['{"a":"foo"}', '"bar"', '"bar"'],
    ['{"e":null}', '{"a":1}', '{"a":1,"e":null}'],
    ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
    ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    // Cases beyond the RFC: names of Object.prototype are data, and number literals are not
    // objects.
    ['{"a":1}', '{"__proto__":{"x":1}}', '{"__proto__":{"x":1},"a":1}'],
    ['{"__proto__":{"x":1,"y":2}}', '{"__proto__":{"x":null}}', '{"__proto__":{"y":2}}'],
    ['{"__proto__":1}', '{"__proto__":null}', '{}'],
    ['{"a":1}', '{"constructor":{"b":1}}', '{"a":1,"constructor":{"b":1}}'],
    ['{"a":{"b":1}}', '{"a":1.0}', '{"a":1.0}'],
    ['{"a":1.0}', '{"a":{"b":1}}', '{"a":{"b":1}}'],
  ]

  test.each(cases)('%s with %s is %s', (target, patch, result) => {
    const before = parseJson(target)
    const change = parseJson(patch)
    expect(canonicalJson(mergePatch(before, change))).toBe(result)
    expect([canonicalJson(before), canonicalJson(change)]).toEqual([target, patch])
  })

  test('a patch onto nothing leaves no nulls and can be applied again without effect', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const target = parseJson(JSON.stringify(left))
        const patch = parseJson(JSON.stringify(right))
        const once = mergePatch(target, patch)
        expect(canonicalJson(mergePatch(once, patch))).toBe(canonicalJson(once))
      }),
    )
    expect(mergePatch(undefined, { a: { b: null, c: 1 } })).toEqual({ a: { c: 1 } })
  })
})

describe('isJsonObject (behaviour/secrets#refusals: body not a JSON object)', () => {
  test.each<[value: Json | undefined, answer: boolean]>([
    [{}, true],
    [[], false],
    [null, false],
    ['a', false],
    [undefined, false],
    [new JsonNumber('1.0'), false],
  ])('%j is an object: %s', (value, answer) => {
    expect(isJsonObject(value)).toBe(answer)
  })
})

describe('quoteGo (behaviour/secrets#refusals: <why> holds quoted text)', () => {
  test.each([
    ['plain é 日', '"plain é 日"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['\n\t\r\v\f\b\x07', '"\\n\\t\\r\\v\\f\\b\\a"'],
    ['\x00\x7f', '"\\x00\\x7f"'],
    ['\u00a0\u200b\ufeff', '"\\u00a0\\u200b\\ufeff"'],
    ['\u{1f600}\u{e0001}', '"\u{1f600}\\U000e0001"'],
  ])('%j', (text, quoted) => {
    expect(quoteGo(text)).toBe(quoted)
  })
})
