import { describe, expect, test } from 'vitest'
import { Budget } from '../../../../state/hcl/language/budget.ts'
import { evaluate } from '../../../../state/hcl/language/evaluate.ts'
import { childScope, createScope } from '../../../../state/hcl/language/scope.ts'
import { parseHclExpression } from '../../../../state/hcl/syntax/parser.ts'
import { FUNCTIONS, scopeOf, value } from './support.ts'

const VARIABLES = {
  a: 1,
  s: 'text',
  no: null,
  t: [1, 'two', [3]],
  list: { '<list>': ['x', 'y'] },
  set: { '<set>': ['p', 'q'] },
  map: { '<map>': { k: 'v' } },
  o: { z: 1, b: { c: [10, 20] }, '0': 'zero', 'a b': true },
  people: [
    { name: 'ada', tags: ['x'] },
    { name: 'bob', tags: [] },
  ],
}

// behaviour/scheduler#job-file-language.
describe('values of expressions', () => {
  test.each<[string, unknown]>([
    // Literals and operators.
    ['1', 1],
    ['1.5e3', 1500],
    ['true', true],
    ['null', null],
    ['"text"', 'text'],
    ['-a', -1],
    ['-"2"', -2],
    ['-0', 0],
    ['!false', true],
    ['!"true"', false],
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['"1" + "2"', 3],
    ['7 / 2', 3.5],
    ['0.1 + 0.2', 0.3],
    ['-7 % 3', -1],
    ['7 % 0', 7],
    ['5 - 3 - 1', 1],
    ['1 < 2', true],
    ['2 <= 2', true],
    ['1 > 2', false],
    ['"10" >= 9', true],
    ['1 == 1', true],
    ['1 == "1"', false],
    ['no == null', true],
    ['[1] == [1]', true],
    ['list == ["x", "y"]', false],
    ['o.b != {}', true],
    ['true || nonsense', true],
    ['nonsense.x || true', true],
    ['false && nonsense', false],
    ['nonsense && false', false],
    ['true && "true"', true],
    ['false || false', false],
    ['true && true || false', true],
    // Templates.
    ['"a${1}b"', 'a1b'],
    ['"${a}"', 1],
    ['"${t}"', [1, 'two', [3]]],
    ['"${true}!"', 'true!'],
    ['"$${a} %%{if}"', '${a} %{if}'],
    ['"%{ if a == 1 }yes%{ else }no%{ endif }"', 'yes'],
    ['"%{ if a == 2 }yes%{ endif }."', '.'],
    ['"%{ for i, v in t[2] }${i}=${v};%{ endfor }"', '0=3;'],
    ['"%{ for v in list ~} ${v} %{~ endfor }"', 'xy'],
    ['"%{ for v in [] }x%{ endfor }"', ''],
    ['"e\u0301${s}"', '\u00e9text'],
    ['"e${"\u0301"}"', '\u00e9'],
    ['<<E\n  ${s}\nE\n', '  text\n'],
    // Traversals and indexes.
    ['o.b.c[1]', 20],
    ['o["a b"]', true],
    ['o["b"].c.0', 10],
    ['o[0]', 'zero'],
    ['o["${"z"}"]', 1],
    ['t[1]', 'two'],
    ['t["0"]', 1],
    ['t[a]', 'two'],
    ['t[2][0]', 3],
    ['map.k', 'v'],
    ['map["k"]', 'v'],
    ['list[1]', 'y'],
    ['list[a - 1]', 'x'],
    ['{ x = 1 }.x', 1],
    ['[5, 6][1]', 6],
    ['(o).z', 1],
    // Splats.
    ['people.*.name', ['ada', 'bob']],
    ['people[*].name', ['ada', 'bob']],
    ['people.*.name[1]', 'bob'],
    ['people[*].tags[*]', [['x'], []]],
    ['no[*].x', []],
    ['no.*', []],
    ['a[*]', [1]],
    ['o.*.z', [1]],
    ['list[*]', { '<list>': ['x', 'y'] }],
    ['set[*]', { '<list>': ['p', 'q'] }],
    ['people[*][s == "text" ? "name" : "tags"]', ['ada', 'bob']],
    // Constructors.
    ['[]', []],
    ['[1, [2], {}]', [1, [2], {}]],
    ['{ a = 1, "b" = 2, (s) = 3, "c${a}" = 4, 5 = 6 }', { a: 1, b: 2, text: 3, c1: 4, '5': 6 }],
    ['{ a = 1, a = 2 }', { a: 2 }],
    ['{ __proto__ = 1, constructor = 2 }.constructor', 2],
    // For expressions.
    ['[for v in t : v]', [1, 'two', [3]]],
    ['[for i, v in t : i]', [0, 1, 2]],
    ['[for k, v in o : k]', ['0', 'a b', 'b', 'z']],
    ['[for v in set : upper(v)]', ['P', 'Q']],
    ['[for k, v in set : k == v]', [true, true]],
    ['[for k, v in map : "${k}${v}"]', ['kv']],
    ['[for v in [1, 2, 3, 4] : v * a if v % 2 == 0]', [2, 4]],
    ['[for v in [1] : v if "true"]', [1]],
    ['{ for p in people : p.name => p.tags }', { ada: ['x'], bob: [] }],
    ['{ for i, p in people : i => p.name if i > 0 }', { '1': 'bob' }],
    ['{ for v in ["a", "b", "ab"] : v == "ab" ? "a" : v => v... }', { a: ['a', 'ab'], b: ['b'] }],
    ['[for x in [1, 2] : [for y in [10] : x * y + a]]', [[11], [21]]],
    ['[for a in ["inner"] : a]', ['inner']],
    // Conditionals.
    ['a == 1 ? "yes" : "no"', 'yes'],
    ['false ? 1 : "x"', 'x'],
    ['true ? 1 : "x"', '1'],
    ['true ? null : 5', null],
    ['false ? null : 5', 5],
    ['"true" ? 1 : 2', 1],
    ['true ? [1] : ["x"]', ['1']],
    ['true ? [1] : []', { '<list>': [1] }],
    ['true ? { a = 1 } : { b = "x" }', { '<map>': { a: '1' } }],
    ['true ? list : ["x"]', { '<list>': ['x', 'y'] }],
    ['true ? 1 : nonsense', 1],
    ['false ? o.nothing : 2', 2],
    // Calls.
    ['upper("a")', 'A'],
    ['upper(1)', '1'],
    ['join("-", ["a"], list)', 'a-x-y'],
    ['join("-")', ''],
    ['join("-", [["a"], ["b"]]...)', 'a-b'],
    ['upper(["q"]...)', 'Q'],
    ['isnull(null)', true],
    ['try(o.nothing, nonsense(), "else")', 'else'],
    ['try(o.z, 2)', 1],
    ['try([7]...)', 7],
    ['can(o.z)', true],
    ['can(o.nothing)', false],
    ['can([1]...)', true],
    ['convert("5", number)', 5],
    ['convert([1, 2], set(string))', { '<set>': ['1', '2'] }],
    ['[for v in [{ x = 1 }, {}] : v if can(v.x)]', [{ x: 1 }]],
    ['[for v in [{ x = 1 }, {}] : v if try(v.x, 0) == 0]', [{}]],
    ['[for v in [1] : v if upper(v) == "1" && -v < 0]', [1]],
  ])('%s', (text, expected) => {
    expect(value(text, scopeOf(VARIABLES))).toEqual(expected)
  })
})

// behaviour/scheduler#job-file-language.
describe('references with unknown roots', () => {
  const scope = createScope(
    {
      functions: FUNCTIONS,
      budget: new Budget(),
      uuid: () => 'uuid',
      unknownRoot: (reference) => `\${${reference}}`,
    },
    new Map([['var', { kind: 'object', entries: new Map([['x', 'known']]) }]]),
  )

  // choice/scheduler#language-unknown-roots
  test.each<[string, unknown]>([
    ['meta.x', '${meta.x}'],
    ['"${attr.kernel.name}"', '${attr.kernel.name}'],
    ['"a ${NODE} b ${var.x}"', 'a ${NODE} b known'],
    ['env["HOME"]', '${env["HOME"]}'],
    ['device.0.ids[1].name', '${device.0.ids[1].name}'],
    ['[for v in [1] : "${v}${node.unique.name}"]', ['1${node.unique.name}']],
    ['upper(attr.os)', '${ATTR.OS}'],
    ['{ key = meta.a }', { key: '${meta.a}' }],
    ['"$${NODE}"', '${NODE}'],
  ])('%s', (text, expected) => {
    expect(value(text, scope)).toEqual(expected)
  })

  test('names of inner scopes are known', () => {
    const inner = childScope(scope, [['port', { kind: 'object', entries: new Map([['key', 3]]) }]])
    expect(value('"${port.key} ${other.key} ${var.x}"', inner)).toBe('3 ${other.key} known')
  })
})

test('an expression can be evaluated again and gives an equal value', () => {
  const expression = parseHclExpression('[for v in people : { (v.name) = v.tags[*] }]')
  const first = evaluate(expression, scopeOf(VARIABLES))
  expect(evaluate(expression, scopeOf(VARIABLES))).toEqual(first)
})
