import { describe, expect, test } from 'vitest'
import { encodeYaml } from '../../../../state/hcl/functions/yaml-emitter.ts'
import type { HclValue } from '../../../../state/hcl/language/values.ts'
import { call, fault } from './support.ts'

// Results and messages match the reference, except where it returns an infinity or crashes.
describe('behaviour/scheduler#functions: YAML', () => {
  test.each<[string, unknown]>([
    ['yamldecode("---\\n")', null],
    ['yamldecode("hello")', 'hello'],
    ['yamldecode("\\"1\\"")', '1'],
    ['yamldecode("- a\\n- b: c\\n  d: |\\n    x\\n    y\\n")', ['a', { b: 'c', d: 'x\ny\n' }]],
    [
      'yamldecode("a: &x {b: 1}\\nc: *x\\nd:\\n  <<: *x\\n  e: 2")',
      { a: { b: 1 }, c: { b: 1 }, d: { b: 1, e: 2 } },
    ],
    ['yamldecode("a: 1\\n...\\n")', { a: 1 }],
    ['yamldecode("1: x\\ntrue: y\\n2.50: z")', { '1': 'x', true: true, '2.5': 'z' }],
    ['yamldecode("a: 1\\na: 2")', { a: 2 }],
    ['yamldecode("a: !!str 1")', { a: '1' }],
    ['yamldecode("a: !!int \\"12\\"")', { a: '12' }],
    ['yamldecode("a: !!float 1")', { a: 1 }],
    ['yamldecode("a: !!bool yes")', { a: true }],
    ['yamldecode("a: !!null x")', { a: null }],
    ['yamldecode("a: !!binary aGk=")', { a: 'aGk=' }],
    ['yamldecode("a: !!map {}")', { a: {} }],
    ['yamldecode("a: !!timestamp 2001-12-14")', { a: '2001-12-14T00:00:00Z' }],
    ['yamldecode("a: <<")', { a: '<<' }],
    [
      'yamldecode("a: on\\nb: Off\\nc: n\\nd: Y\\ne: TRUE\\nf: tRue\\ng: Null")',
      { a: true, b: false, c: false, d: true, e: true, f: 'tRue', g: null },
    ],
    [
      'yamldecode("a: 1 # c\\nb: \'it\'\'s\'\\nc: \\"\\\\u00e9\\\\n\\"")',
      { a: 1, b: "it's", c: 'é\n' },
    ],
    ['yamldecode("a: >\\n  x\\n  y\\n\\n  z\\n")', { a: 'x y\nz\n' }],
    ['yamldecode("a: |-\\n  1\\n")', { a: '1' }],
    ['yamldecode("a: |\\n  true\\n")', { a: 'true\n' }],
    ['yamldecode("- - 1\\n  - 2\\n-\\n  a: b\\n")', [[1, 2], { a: 'b' }]],
    ['yamldecode("a:\\n- 1\\n- 2\\n")', { a: [1, 2] }],
    ['yamldecode("a: x y z\\n  more\\n")', { a: 'x y z more' }],
    ['yamldecode("a: 12:30:45")', { a: '12:30:45' }],
    [
      'yamldecode("a: +12\\nb: -3\\nc: 1.\\nd: -.5\\ne: 1e5\\nf: 0x\\ng: 0b11\\nh: 00012\\ni: 9223372036854775808\\nj: 1__0")',
      {
        a: 12,
        b: -3,
        c: 1,
        d: -0.5,
        e: 100000,
        f: '0x',
        g: '0b11',
        h: 12,
        i: 9223372036854776000,
        j: '1__0',
      },
    ],
    [
      'yamldecode("a: 2001-1-1\\nb: 2001-12-14 21:59:43\\nc: 2001-13-14\\nd: 2001-12-14T21:59:43Z")',
      {
        a: '2001-01-01T00:00:00Z',
        b: '2001-12-14T21:59:43Z',
        c: '2001-13-14',
        d: '2001-12-14T21:59:43Z',
      },
    ],
    [
      'yamldecode("key with spaces: v\\n\\"quoted\\": w\\n? complex\\n: z")',
      { 'key with spaces': 'v', quoted: 'w', complex: 'z' },
    ],
    ['yamldecode("a: {b: 1, c}\\nd: [e: f]")', { a: { b: 1, c: null }, d: [{ e: 'f' }] }],
    ['yamldecode("a: &b")', { a: null }],
    [
      'yamlencode({a=1, b=[true, null, "x"], c={}, d=[], e={f={g="h"}}})',
      '"a": 1\n"b":\n- true\n- null\n- "x"\n"c": {}\n"d": []\n"e":\n  "f":\n    "g": "h"\n',
    ],
    [
      'yamlencode([1, [2, [3]], {a="b", c=["d"]}])',
      '- 1\n- - 2\n  - - 3\n- "a": "b"\n  "c":\n  - "d"\n',
    ],
    ['yamlencode("a\\nb")', '|-\n  a\n  b\n'],
    ['yamlencode("a\\nb\\n")', '|\n  a\n  b\n'],
    ['yamlencode("a\\nb\\n\\n")', '|+\n  a\n  b\n\n'],
    ['yamlencode("\\n")', '|2+\n\n'],
    ['yamlencode(" a\\nb")', '|2-\n   a\n  b\n'],
    ['yamlencode("a \\nb")', '"a \\nb"\n'],
    ['yamlencode("a\\nb ")', '"a\\nb "\n'],
    ['yamlencode("\\ta\\nb")', '"\\ta\\nb"\n'],
    ['yamlencode("a\\n\\n b\\n")', '|\n  a\n\n   b\n'],
    ['yamlencode("")', '""\n'],
    ['yamlencode(null)', 'null\n...\n'],
    ['yamlencode(true)', 'true\n...\n'],
    ['yamlencode(1.5)', '1.5\n...\n'],
    ['yamlencode(100000000000000000000000)', '100000000000000000000000\n...\n'],
    [
      'yamlencode("aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa bbbb  cc")',
      '"aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa\n  aaaaaaaaa aaaaaaaaa bbbb  cc"\n',
    ],
    [
      'yamlencode({k="aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa  aaaaaaaaa aaaaaaaaa bbbb "})',
      '"k": "aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa aaaaaaaaa\n  aaaaaaaaa  aaaaaaaaa aaaaaaaaa bbbb "\n',
    ],
    ['yamlencode({"k\\nl"="v", "m"="n"})', '? |-\n  k\n  l\n: "v"\n"m": "n"\n'],
    [
      'yamlencode({"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"=[1], "b"={c=1}})',
      '? "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"\n: - 1\n"b":\n  "c": 1\n',
    ],
    [
      'yamlencode("tab\\tquote\\"back\\\\bell\\u0007nul\\u0001é\\u00a0\\u0085\\u2028😀\\ufeff\\u007f")',
      '"tab\\tquote\\"back\\\\bell\\anul\\x01é\u00a0\\N\\L\\U0001F600\\uFEFF\\x7F"\n',
    ],
    [
      'yamlencode({a="x\\ny\\n", b=["p\\nq", " r\\ns\\n\\n"]})',
      '"a": |\n  x\n  y\n"b":\n- |-\n  p\n  q\n- |2+\n   r\n  s\n\n',
    ],
    ['yamlencode([[], {}, [[]], [{}]])', '- []\n- {}\n- - []\n- - {}\n'],
    [
      'yamlencode({a=[{b=1,c=[1,2]},[3,4]]})',
      '"a":\n- "b": 1\n  "c":\n  - 1\n  - 2\n- - 3\n  - 4\n',
    ],
    ['yamlencode({a=[[1,2],[3]]})', '"a":\n- - 1\n  - 2\n- - 3\n'],
    ['yamlencode({"a b"="c d"})', '"a b": "c d"\n'],
    ['yamlencode("a\\r\\nb")', '"a\\r\\nb"\n'],
    ['yamlencode("é\\nb")', '|-\n  é\n  b\n'],
    ['yamlencode("é😀\\nb")', '"é\\U0001F600\\nb"\n'],
    ['yamlencode(tomap({b=1,a=2}))', '"a": 2\n"b": 1\n'],
    ['yamlencode(toset(["b","a"]))', '- "a"\n- "b"\n'],
    ['yamlencode("\\n\\na\\n")', '|2\n\n\n  a\n'],
    ['yamlencode([["\\n\\na\\n", "x"]])', '- - |2\n\n\n    a\n  - "x"\n'],
  ])('%s', (expression, result) => {
    expect(call(expression)).toEqual(result)
  })

  test.each<[string, string]>([
    [
      'yamldecode("a: 1\\nb: [x, \'y\', \\"z\\", true, yes, null, ~, , 1.5, 0x1F, 0o17, 017, 1_000, 1e3, .5, 2001-12-14, 2001-12-14t21:59:43.10-05:00]")',
      'Error in function call; Call to function "yamldecode" failed: on line 2, column 1: did not find expected key.',
    ],
    [
      'yamldecode("")',
      'Error in function call; Call to function "yamldecode" failed: on line 1, column 1: missing start of document.',
    ],
    [
      'yamldecode("# c\\n")',
      'Error in function call; Call to function "yamldecode" failed: on line 1, column 1: missing start of document.',
    ],
    [
      'yamldecode("a: *x")',
      'Error in function call; Call to function "yamldecode" failed: reference to undefined anchor "x".',
    ],
    [
      'yamldecode("b: 1\\na: *x")',
      'Error in function call; Call to function "yamldecode" failed: on line 1, column 4: reference to undefined anchor "x".',
    ],
    [
      'yamldecode("&a [*a]")',
      'Error in function call; Call to function "yamldecode" failed: cannot refer to anchor "a" from inside its own definition.',
    ],
    [
      'yamldecode("a: 1\\n---\\nb: 2")',
      'Error in function call; Call to function "yamldecode" failed: on line 1, column 1: unexpected extra content after value.',
    ],
    [
      'yamldecode("a: b: c")',
      'Error in function call; Call to function "yamldecode" failed: mapping values are not allowed in this context.',
    ],
    [
      'yamldecode("x: 1\\ny: a: b")',
      'Error in function call; Call to function "yamldecode" failed: on line 2, column 1: mapping values are not allowed in this context.',
    ],
    [
      'yamldecode("{a: 1")',
      "Error in function call; Call to function \"yamldecode\" failed: on line 1, column 1: did not find expected ',' or '}'.",
    ],
    [
      'yamldecode("[1, 2")',
      "Error in function call; Call to function \"yamldecode\" failed: on line 1, column 1: did not find expected ',' or ']'.",
    ],
    [
      'yamldecode("x:\\n  - [1, 2\\n  y")',
      "Error in function call; Call to function \"yamldecode\" failed: on line 3, column 1: did not find expected ',' or ']'.",
    ],
    [
      'yamldecode("\'abc")',
      'Error in function call; Call to function "yamldecode" failed: found unexpected end of stream.',
    ],
    [
      'yamldecode("x: 1\\n\\ty: 2")',
      'Error in function call; Call to function "yamldecode" failed: on line 2, column 1: found a tab character that violates indentation.',
    ],
    [
      'yamldecode("@abc")',
      'Error in function call; Call to function "yamldecode" failed: found character that cannot start any token.',
    ],
    [
      'yamldecode("a: %x")',
      'Error in function call; Call to function "yamldecode" failed: found character that cannot start any token.',
    ],
    [
      'yamldecode("? [a]\\n: b")',
      'Error in function call; Call to function "yamldecode" failed: only strings are allowed as mapping keys.',
    ],
    [
      'yamldecode("[a]: b")',
      'Error in function call; Call to function "yamldecode" failed: only strings are allowed as mapping keys.',
    ],
    [
      'yamldecode("~: x")',
      'Error in function call; Call to function "yamldecode" failed: mapping key cannot be null.',
    ],
    [
      'yamldecode("a: !!int x")',
      'Error in function call; Call to function "yamldecode" failed: cannot parse "x" as tag:yaml.org,2002:int.',
    ],
    [
      'yamldecode("a: !!bool x")',
      'Error in function call; Call to function "yamldecode" failed: cannot parse "x" as tag:yaml.org,2002:bool.',
    ],
    [
      'yamldecode("a: !foo x")',
      'Error in function call; Call to function "yamldecode" failed: unsupported tag "!foo".',
    ],
    [
      'yamldecode("a: !!foo x")',
      'Error in function call; Call to function "yamldecode" failed: unsupported tag "tag:yaml.org,2002:foo".',
    ],
    [
      'yamldecode("x: 1\\na: !!foo x")',
      'Error in function call; Call to function "yamldecode" failed: on line 1, column 4: unsupported tag "tag:yaml.org,2002:foo".',
    ],
    [
      'yamldecode("a: !!seq {}")',
      'Error in function call; Call to function "yamldecode" failed: can\'t interpret mapping as tag:yaml.org,2002:seq.',
    ],
    [
      'yamldecode("a: !!set {a, b}")',
      'Error in function call; Call to function "yamldecode" failed: can\'t interpret mapping as tag:yaml.org,2002:set.',
    ],
    [
      'yamldecode("a: .nan")',
      'Error in function call; Call to function "yamldecode" failed: floating point NaN is not supported.',
    ],
    [
      'yamldecode("a: .inf")',
      'Error in function call; Call to function "yamldecode" failed: infinity is not supported.',
    ],
    [
      'yamldecode("a: -.inf")',
      'Error in function call; Call to function "yamldecode" failed: infinity is not supported.',
    ],
    [
      'yamldecode("<<: 1")',
      'Error in function call; Call to function "yamldecode" failed: cannot merge number into mapping.',
    ],
    [
      'yamldecode("<<: [{a: 1}]")',
      'Error in function call; Call to function "yamldecode" failed: cannot merge tuple into mapping.',
    ],
    [
      'yamldecode("%YAML 1.2\\n---\\na: 1")',
      'Error in function call; Call to function "yamldecode" failed: found incompatible YAML document.',
    ],
    [
      'yamldecode("a: \'x\' y")',
      'Error in function call; Call to function "yamldecode" failed: did not find expected key.',
    ],
    [
      'yamldecode("a: [b]]")',
      'Error in function call; Call to function "yamldecode" failed: did not find expected key.',
    ],
    [
      'yamldecode("a: \\"\\\\q\\"")',
      'Error in function call; Call to function "yamldecode" failed: found unknown escape character.',
    ],
    [
      'yamldecode("a: \\u0001")',
      'Error in function call; Call to function "yamldecode" failed: control characters are not allowed.',
    ],
  ])('%s is refused', (expression, why) => {
    expect(fault(expression)).toBe(why)
  })

  test('values that nest deeper than the stack are refused', () => {
    let value: HclValue = null
    for (let depth = 0; depth < 20_000; depth++) value = { kind: 'tuple', items: [value] }
    expect(() => encodeYaml(value, () => {})).toThrow('the value nests too deeply')
  })
})
