import { describe, expect, test } from 'vitest'
import {
  blocks,
  findItem,
  isDocument,
  type PlainValue,
  plainMap,
  readDocument,
} from '../../../../state/hcl/document/document.ts'
import type { Document } from '../../../../state/hcl/document/value.ts'
import { HclError } from '../../../../state/hcl/syntax/error.ts'

/** Returns the document's items with keys and labels together, without positions. */
function shape(document: Document): unknown {
  return document.items.map(({ key, labels, value }) => [
    [key, ...labels].join(' '),
    isDocument(value) ? shape(value) : value,
  ])
}

/** Converts maps to lists of pairs, which show the order of their members. */
function pairs(value: PlainValue): unknown {
  if (value instanceof Map) return [...value].map(([key, inner]) => [key, pairs(inner)])
  return value
}

function refusal(text: string, options = {}): string {
  try {
    readDocument(text, options)
  } catch (error) {
    if (error instanceof HclError) return error.message
    throw error
  }
  return 'read without a problem'
}

describe('HCL1 text (behaviour/secrets#policies)', () => {
  test('an access policy keeps order, labels and positions', () => {
    const document = readDocument(
      'name = "x" # first\npath "secret/*" {\n  capabilities = ["read"]\n  allowed_parameters = { "a" = [] "b" = ["x"] }\n}\n',
    )
    expect(document).toStrictEqual({
      items: [
        {
          key: 'name',
          labels: [],
          value: 'x',
          position: { line: 1, column: 1, byte: 0, offset: 0 },
          valuePosition: { line: 1, column: 8, byte: 7, offset: 7 },
        },
        {
          key: 'path',
          labels: ['secret/*'],
          value: {
            items: [
              {
                key: 'capabilities',
                labels: [],
                value: ['read'],
                position: { line: 3, column: 3, byte: 39, offset: 39 },
                valuePosition: { line: 3, column: 18, byte: 54, offset: 54 },
                elementPositions: [{ line: 3, column: 19, byte: 55, offset: 55 }],
              },
              {
                key: 'allowed_parameters',
                labels: [],
                value: {
                  items: [
                    {
                      key: 'a',
                      labels: [],
                      value: [],
                      position: { line: 4, column: 26, byte: 88, offset: 88 },
                      valuePosition: { line: 4, column: 32, byte: 94, offset: 94 },
                      elementPositions: [],
                    },
                    {
                      key: 'b',
                      labels: [],
                      value: ['x'],
                      position: { line: 4, column: 35, byte: 97, offset: 97 },
                      valuePosition: { line: 4, column: 41, byte: 103, offset: 103 },
                      elementPositions: [{ line: 4, column: 42, byte: 104, offset: 104 }],
                    },
                  ],
                },
                position: { line: 4, column: 3, byte: 65, offset: 65 },
                valuePosition: { line: 4, column: 24, byte: 86, offset: 86 },
              },
            ],
          },
          position: { line: 2, column: 1, byte: 19, offset: 19 },
          valuePosition: { line: 2, column: 17, byte: 35, offset: 35 },
        },
      ],
    })
  })

  test('columns count characters, bytes count UTF-8', () => {
    const [, second] = readDocument('"😀é" = 1 b = 2').items
    expect(second?.position).toStrictEqual({ line: 1, column: 10, byte: 13, offset: 10 })
  })

  test.each([
    [
      'a = 1 b = 2, c = 3',
      [
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ],
    ],
    [
      '"a" = 1 a-b = 2 c.d = 3',
      [
        ['a', 1],
        ['a-b', 2],
        ['c.d', 3],
      ],
    ],
    [
      'a = {b = 1} c { d = 2, }',
      [
        ['a', [['b', 1]]],
        ['c', [['d', 2]]],
      ],
    ],
    [
      'a "x" y { }\na "x" y { b = 1 }',
      [
        ['a x y', []],
        ['a x y', [['b', 1]]],
      ],
    ],
    [
      'a = 1\na = 2',
      [
        ['a', 1],
        ['a', 2],
      ],
    ],
    ['a = [1, "x", true, [false], ]', [['a', [1, 'x', true, [false]]]]],
    [
      'a = 0x1F b = 010 c = 1e3 d = -1 e = -0x10 f = .5',
      [
        ['a', 31],
        ['b', 8],
        ['c', 1000],
        ['d', -1],
        ['e', -16],
        ['f', 0.5],
      ],
    ],
    ['a = "\\n\\t\\"\\\\\\u00e9\\x41\\101\\U0001F600"', [['a', '\n\t"\\éAA😀']]],
    ['a = "${f("x")} {{y}} $z"', [['a', '${f("x")} {{y}} $z']]],
    [
      'a = <<E\n  x\nE x\nE\nb = 1',
      [
        ['a', '  x\nE x\n'],
        ['b', 1],
      ],
    ],
    ['a = <<-E\n    x\n   y\n  E\n', [['a', '  x\n y\n']]],
    ['a = <<-E\n    x\n\n  E\n', [['a', '    x\n\n']]],
    [
      'a = <<E\r\nx\r\nE\r\nb = 1\r\n',
      [
        ['a', 'x\n'],
        ['b', 1],
      ],
    ],
    ['/* x */ a = 1 // y\n# z', [['a', 1]]],
    [
      '__proto__ = 1 constructor { __proto__ = "x" }',
      [
        ['__proto__', 1],
        ['constructor', [['__proto__', 'x']]],
      ],
    ],
    ['a =', []],
    ['', []],
  ])('%j', (text, expected) => {
    expect(shape(readDocument(text))).toStrictEqual(expected)
  })

  // Messages and positions were recorded from the real parser, in its release with the tag vault-7.
  test.each([
    ['a', "At 1:3: key 'a' expected start of object ('{') or assignment ('=')"],
    ['a = b', 'At 1:5: Unknown token: 1:5 IDENT b'],
    ['c = null', 'At 1:5: Unknown token: 1:5 IDENT null'],
    ['a = [1 2]', 'At 1:8: error parsing list, expected comma or list end, got: NUMBER'],
    ['a = [b]', 'At 1:6: unexpected token while parsing list: IDENT'],
    ['a = [', 'At 1:6: unexpected token while parsing list: EOF'],
    ['path "x" {\n', 'At 2:2: object expected closing RBRACE got: EOF'],
    ['a {} {}', 'At 1:6: expected: IDENT | STRING got: LBRACE'],
    ['a b = 1', 'At 1:5: nested object expected: LBRACE got: ASSIGN'],
    ['= 1', 'At 1:1: no object keys found!'],
    ['}', 'At 1:1: expected: IDENT | STRING | ASSIGN | LBRACE got: RBRACE'],
    ['a = "é" b = ]', 'At 1:13: Unknown token: 1:13 RBRACK ]'],
    ['a = "x', 'At 1:7: literal not terminated'],
    ['a = "x\ny"', 'At 2:3: literal not terminated'],
    ['a = "\\q"', 'At 1:7: illegal char escape'],
    ['a = "\\u12"', 'At 1:10: illegal char escape'],
    ["a = 'x'", 'At 1:5: illegal char'],
    ['a : 1', 'At 1:3: illegal char'],
    ['a = 1 /', "At 1:7: expected '/' for comment"],
    ['/* x', 'At 1:5: comment not terminated'],
    ['a = <<E\nx', 'At 2:2: heredoc not terminated'],
    ['a = <<E x\nE\n', 'At 1:8: invalid characters in heredoc anchor'],
    [
      'a = [{b}]',
      "At 1:6: error while trying to parse object within list: At 1:8: key 'b' expected start of object ('{') or assignment ('=')",
    ],
  ])('%j is refused', (text, message) => {
    expect(refusal(text)).toBe(message)
  })

  test('an assignment that repeats is refused on request only', () => {
    const options = { refuseRepeated: true }
    const message =
      'The argument "b" at 2:1 was already set. Each argument can only be defined once'
    expect(refusal('a { b = 1\nb = 2 }', options)).toBe(message)
    expect(shape(readDocument('a { b {} b {} c = 1 } a = 1', options))).toStrictEqual([
      [
        'a',
        [
          ['b', []],
          ['b', []],
          ['c', 1],
        ],
      ],
      ['a', 1],
    ])
  })
})

describe('The JSON form (behaviour/secrets#system and behaviour/secrets#password-policies)', () => {
  test('members keep order and positions; null is an empty string', () => {
    const document = readDocument(
      ' {\n"b": [1, -2.5e1, "\\ud83d\\ude00\\/"],\n"a": {"x": null, "y": true}}',
    )
    expect(shape(document)).toStrictEqual([
      ['b', [1, -25, '😀/']],
      [
        'a',
        [
          ['x', ''],
          ['y', true],
        ],
      ],
    ])
    expect(findItem(document, 'a')?.position).toStrictEqual({
      line: 3,
      column: 1,
      byte: 39,
      offset: 39,
    })
  })

  test('control characters except line ends are allowed in strings, also next to escapes', () => {
    expect(shape(readDocument('{"a": "x\t\\n\x7f"}'))).toStrictEqual([['a', 'x\t\n\x7f']])
  })

  test('names of object members are data, also when they repeat', () => {
    const text = '{"__proto__": {"a": 1}, "constructor": 2, "__proto__": {"b": 3},}'
    const plain = plainMap(readDocument(text))
    expect(pairs(plain)).toStrictEqual([
      [
        '__proto__',
        [
          ['a', 1],
          ['b', 3],
        ],
      ],
      ['constructor', 2],
    ])
  })

  test.each([
    ['{a: 1}', '1:2: expected: STRING got: "a"'],
    ['{"a" 1}', '1:6: expected: \':\' got: "1"'],
    ['{"a": 01}', '1:8: numbers cannot start with 0'],
    ['{"a": tru}', '1:7: illegal char'],
    ['{"a": "x\n"}', '1:9: literal not terminated'],
    ['{"a": "x\0"}', '1:9: literal not terminated'],
    ['{"a\0": 1}', '1:4: literal not terminated'],
    ['{"a": "\\x"}', '1:9: illegal char escape'],
    ['{"a": [1 2]}', "1:10: expected: ',' or ']' got: \"2\""],
    ['{"a": 1', "1:8: expected: ',' or '}' got: EOF"],
    ['{"a": 1} x', '1:10: expected: the end of the document got: "x"'],
    ['{"a": 1e999}', '1:7: number out of range: 1e999'],
  ])('%j is refused', (text, message) => {
    expect(refusal(text)).toBe(message)
  })
})

describe('blocks', () => {
  const expected = [
    { labels: ['a/*'], body: [['capabilities', ['read']]] },
    { labels: ['b'], body: [['policy', 'deny']] },
  ]

  function found(text: string, key: string, labels: number): unknown {
    return blocks(readDocument(text), key, labels).map((block) => ({
      labels: block.labels,
      body: shape(block.body),
    }))
  }

  test.each([
    'path "a/*" { capabilities = ["read"] } path "b" { policy = "deny" }',
    'path = { "a/*" = { capabilities = ["read"] } "b" = { policy = "deny" } }',
    'path { "a/*" { capabilities = ["read"] } b { policy = "deny" } }',
    '{"path": {"a/*": {"capabilities": ["read"]}, "b": {"policy": "deny"}}}',
    '{"path": [{"a/*": {"capabilities": ["read"]}}, {"b": {"policy": "deny"}}]}',
    '{"path": {"a/*": [{"capabilities": ["read"]}], "b": [{"policy": "deny"}]}}',
    '{"path": {"a/*": {"capabilities": ["read"]}}, "path": {"b": {"policy": "deny"}}}',
  ])('one list for every way to write paths: %j', (text) => {
    expect(found(text, 'path', 1)).toStrictEqual(expected)
  })

  test('a body that consists only of objects is a body once the labels are there', () => {
    const text = '{"path": {"s": {"allowed_parameters": {"a": {}}}}}'
    expect(found(text, 'path', 1)).toStrictEqual([
      { labels: ['s'], body: [['allowed_parameters', [['a', []]]]] },
    ])
  })

  test.each([
    'length = 20 rule "charset" { charset = "abc" min-chars = 1 } rule "charset" { charset = "012" }',
    '{"length":20,"rule":[{"charset":{"charset":"abc","min-chars":1}},{"charset":{"charset":"012"}}]}',
    '{"length":20,"rule":{"charset":[{"charset":"abc","min-chars":1},{"charset":"012"}]}}',
  ])('rules of a password policy that share a label stay separate: %j', (text) => {
    expect(found(text, 'rule', 1)).toStrictEqual([
      {
        labels: ['charset'],
        body: [
          ['charset', 'abc'],
          ['min-chars', 1],
        ],
      },
      { labels: ['charset'], body: [['charset', '012']] },
    ])
    expect(findItem(readDocument(text), 'length')?.value).toBe(20)
  })

  test('missing and surplus labels are left to the caller', () => {
    expect(found('a { b = 1 }', 'a', 1)).toStrictEqual([{ labels: [], body: [['b', 1]] }])
    expect(found('a {}', 'a', 1)).toStrictEqual([{ labels: [], body: [] }])
    expect(found('a "x" "y" {}', 'a', 1)).toStrictEqual([{ labels: ['x', 'y'], body: [] }])
    expect(found('b {}', 'a', 1)).toStrictEqual([])
  })

  test('a value that is not an object is refused at the position of its key', () => {
    const document = readDocument('\n  path = "x"')
    expect(() => blocks(document, 'path', 1)).toThrow(HclError)
    expect(() => blocks(document, 'path', 1)).toThrow(
      /^At 2:3: key 'path' expected start of object \('\{'\)$/,
    )
  })
})

test('plainMap nests labels and merges maps; of other values the last one counts', () => {
  const document = readDocument('a "x" { b = 1 } a "x" { c = [{ d = 2 }] } e = 1 e = 2')
  const plain = plainMap(document)
  expect(pairs(plain)).toStrictEqual([
    [
      'a',
      [
        [
          'x',
          [
            ['b', 1],
            ['c', [new Map([['d', 2]])]],
          ],
        ],
      ],
    ],
    ['e', 2],
  ])
})
