import { describe, expect, test } from 'vitest'
import type { Expression, Step } from '../../../../state/hcl/syntax/ast.ts'
import { formatDiagnostic, HclError } from '../../../../state/hcl/syntax/error.ts'
import { parseHcl, parseHclExpression } from '../../../../state/hcl/syntax/parser.ts'
import { constantValue } from './constant.ts'

/** Returns the tree in one line. */
function tree(node: Expression): string {
  switch (node.kind) {
    case 'literal':
      return JSON.stringify(node.value)
    case 'variable':
      return node.name
    case 'traversal':
      return `${tree(node.source)}${node.steps.map(step).join('')}`
    case 'index':
      return `(index ${tree(node.collection)} ${tree(node.key)})`
    case 'splat':
      return `(splat ${tree(node.source)} ${tree(node.each)})`
    case 'splat-element':
      return '@'
    case 'call':
      return `(${[node.name, ...node.arguments.map(tree)].join(' ')}${node.expandsLast ? '...' : ''})`
    case 'tuple':
      return `[${node.items.map(tree).join(' ')}]`
    case 'object':
      return `{${node.entries.map(({ key, value }) => `${tree(key)}:${tree(value)}`).join(' ')}}`
    case 'for': {
      const names = [...(node.keyName === undefined ? [] : [node.keyName]), node.valueName]
      const key = node.key ? `${tree(node.key)}=>` : ''
      const condition = node.condition ? ` if ${tree(node.condition)}` : ''
      const value = `${key}${tree(node.value)}${node.isGrouped ? '...' : ''}`
      return `(for ${names.join(',')} ${tree(node.collection)} ${value}${condition})`
    }
    case 'parentheses':
      return `(${tree(node.expression)})`
    case 'unary':
      return `(${node.operator} ${tree(node.operand)})`
    case 'binary':
      return `(${node.operator} ${tree(node.left)} ${tree(node.right)})`
    case 'conditional':
      return `(? ${tree(node.condition)} ${tree(node.whenTrue)} ${tree(node.whenFalse)})`
    case 'template':
      return `<${node.parts.map(tree).join(' ')}>`
    case 'template-wrap':
      return `$${tree(node.expression)}`
    case 'template-join':
      return `(join ${tree(node.tuple)})`
  }
}

function step(part: Step): string {
  return part.kind === 'attribute' ? `.${part.name}` : `[${JSON.stringify(part.key)}]`
}

function refusal(text: string, parse: (text: string) => unknown = parseHcl): HclError {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof HclError) return error
    throw error
  }
  throw new Error('read without a problem')
}

function problems(text: string): string[] {
  return refusal(text).diagnostics.map(formatDiagnostic)
}

describe('HCL2 expressions (behaviour/scheduler#job-files)', () => {
  test.each([
    ['1 + 2 * 3 == 7 || !x && -y < 2', '(|| (== (+ 1 (* 2 3)) 7) (&& (! x) (< (- y) 2)))'],
    ['a - b - c % d', '(- (- a b) (% c d))'],
    ['a ? b : c ? d : e', '(? a b (? c d e))'],
    ['(a ? b : c).d', '((? a b c)).d'],
    ['-x[0]', '(- x[0])'],
    ['true == null', '(== true null)'],
    ['a.b[0]["k"].1.c', 'a.b[0]["k"][1].c'],
    ['a[b].c', '(index a b).c'],
    ['a["x${b}"]', '(index a <"x" b>)'],
    ['a.*.b.0[1].c', '(splat a @.b[0])[1].c'],
    ['a[*].b[1].*.c', '(splat a (splat @.b[1] @.c))'],
    ['a[ * ]', '(splat a @)'],
    ['f()', '(f)'],
    ['f(a, [b]...)', '(f a [b]...)'],
    ['core::f(1,)', '(core::f 1)'],
    ['{a = 1, (b) = 2\n"c" : 3\nd.e = 4, "${f}" = 5}', '{"a":1 (b):2 <"c">:3 d.e:4 $f:5}'],
    ['[for v in l : v]', '(for v l v)'],
    ['{for k, v in m : k => v... if v > 1}', '(for k,v m k=>v... if (> v 1))'],
    ['[\n1, # one\n2 /* two */\n]', '[1 2]'],
    ['for', 'for'],
  ])('%s', (text, expected) => {
    expect(tree(parseHclExpression(text))).toBe(expected)
  })

  test.each([
    ['"a${b}c"', '<"a" b "c">'],
    ['"${b}"', '$b'],
    ['"$${b} %%{c} $d"', '<"${b} %{c} $d">'],
    ['"a ${~ b ~} c"', '<"a" b "c">'],
    ['"${"x${y}"}"', '$<"x" y>'],
    ['"%{ if a }b%{ else }c%{ endif }"', '<(? a <"b"> <"c">)>'],
    ['"%{ if a ~} b %{~ endif }"', '<(? a <"b"> <"">)>'],
    ['"%{ for k, v in m }${k}=${v};%{ endfor }"', '<(join (for k,v m <k "=" v ";">))>'],
    ['"e\\u0301"', '<"é">'],
  ])('template %s', (text, expected) => {
    expect(tree(parseHclExpression(text))).toBe(expected)
  })

  test.each([
    ['<<E\n  a\n${b}\nE\n', '<"  a\\n" b "\\n">'],
    ['<<-E\n    a\n\n  ${b}\n   c\n  E\n', '<"  a\\n\\n" b "\\n c\\n">'],
    // Go keeps the indentation of the line that follows `~}`.
    [
      '<<-E\n    a\n  %{ if b ~}\n    c\n  %{ endif ~}\n  d\n  E\n',
      '<"  a\\n" (? b <"    c\\n"> <"">) "  d\\n">',
    ],
  ])('heredoc %j', (text, expected) => {
    const [item] = parseHcl(`x = ${text}`).items
    expect(item?.kind === 'attribute' && tree(item.expression)).toBe(expected)
  })

  test.each([
    [
      ['{a, b = 1}', '{a\n= 1}'],
      'Missing attribute value; Expected an attribute value, introduced by an equals sign ("=").',
    ],
    [
      ['{a b = 1}'],
      'Missing key/value separator; Expected an equals sign ("=") to mark the beginning of the attribute value. If you intended to given an attribute name containing periods or spaces, write the name in quotes to create a string literal.',
    ],
    [
      ['{a]', '{a}'],
      'Missing key/value separator; Expected an equals sign ("=") to mark the beginning of the attribute value.',
    ],
    [
      ['{a = 1 b = 2}', '{a = 1]'],
      'Missing attribute separator; Expected a newline or comma to mark the beginning of the next attribute.',
    ],
    [['{a', '{a = 1'], 'Unterminated object constructor expression; '],
  ])('objects without a separator or an end: %j', (texts, problem) => {
    for (const text of texts) expect(() => parseHclExpression(text)).toThrow(problem)
  })

  test('something behind the expression is refused', () => {
    expect(() => parseHclExpression('a b', { file: 'f' })).toThrow(
      'f:1,3-4: Extra characters after expression; An expression was successfully parsed, but extra characters were found after it.',
    )
  })
})

describe('HCL2 bodies (behaviour/scheduler#job-files)', () => {
  test('items keep order, labels and places', () => {
    const { items } = parseHcl('job "é" x {\n  b {}\n  a = "👩‍👩‍👧" # c\n}\n')
    const [job] = items
    if (job?.kind !== 'block') throw new Error('no block')
    expect(items).toHaveLength(1)
    expect(job.labels.map(({ value }) => value)).toStrictEqual(['é', 'x'])
    expect(job.range).toStrictEqual({
      file: 'input.hcl',
      start: { line: 1, column: 1, byte: 0, offset: 0 },
      end: { line: 1, column: 10, byte: 10, offset: 9 },
    })
    expect(job.body.items.map((item) => item.kind)).toStrictEqual(['block', 'attribute'])
    const [, a] = job.body.items
    // A family is one character, eighteen bytes and eight code units.
    expect(a?.range).toStrictEqual({
      file: 'input.hcl',
      start: { line: 3, column: 3, byte: 22, offset: 21 },
      end: { line: 3, column: 10, byte: 46, offset: 35 },
    })
    expect(job.body.range.end).toStrictEqual({ line: 4, column: 2, byte: 52, offset: 41 })
  })

  test('quoted names and line breaks are checked strictly', () => {
    expect(problems('"a" = 1')).toStrictEqual([
      'input.hcl:1,1-2: Invalid argument name; Argument names must not be quoted.',
    ])
    expect(problems('a = 1 b = 2')).toStrictEqual([
      'input.hcl:1,7-8: Missing newline after argument; An argument definition must end with a newline.',
    ])
    expect(problems('a { b = 1, c = 2 }')).toStrictEqual([
      'input.hcl:1,10-11: Invalid single-argument block definition; Single-line block syntax can include only one argument definition. To define multiple arguments, use the multi-line block syntax with one argument definition per line.',
    ])
  })

  test('problems of several items are reported together, invalid characters first', () => {
    const text = 'a "b" {\n  x\n}\ny\nz = 1;\n'
    const item =
      'Argument or block definition required; An argument or block definition is required here. To set an argument, use the equals sign "=" to introduce the argument value.'
    expect(problems(text)).toStrictEqual([
      'input.hcl:5,6-7: Invalid character; The ";" character is not valid. Use newlines to separate arguments and blocks, and commas to separate items in collection values.',
      `input.hcl:2,3-4: ${item}`,
      `input.hcl:4,1-2: ${item}`,
    ])
    expect(() => parseHcl('x\ny\nz')).toThrow(`input.hcl:1,1-2: ${item}, and 2 other diagnostic(s)`)
  })

  test('an error has its parts as fields', () => {
    const error = refusal('a = ]')
    expect({ name: error.name, summary: error.summary, detail: error.detail }).toStrictEqual({
      name: 'HclError',
      summary: 'Invalid expression',
      detail: 'Expected the start of an expression, but found an invalid expression token.',
    })
    expect(error.range).toStrictEqual({
      file: 'input.hcl',
      start: { line: 1, column: 5, byte: 4, offset: 4 },
      end: { line: 1, column: 6, byte: 5, offset: 5 },
    })
  })
})

describe('Constant expressions (behaviour/scheduler#job-file-language)', () => {
  test.each([
    ['[1, -2, "x", true, null, !true]', [1, -2, 'x', true, null, false]],
    ['("${3}")', 3],
    ['"a${1}${true}"', 'a1true'],
    [
      '{ __proto__ = 1, (2) = {} }',
      new Map<string, unknown>([
        ['__proto__', 1],
        ['2', new Map()],
      ]),
    ],
  ])('%s', (text, expected) => {
    expect(constantValue(parseHclExpression(text))).toStrictEqual(expected)
  })

  test.each([
    ['a.b', 'f:1,1-4: Variables not allowed; Variables may not be used here.'],
    ['[f(1)]', 'f:1,2-6: Function calls not allowed; Functions may not be called here.'],
    ['1 + 2', 'f:1,1-6: Constant required; Only a constant value may be used here.'],
    ['-"x"', 'f:1,1-5: Invalid operand; Unsuitable value for unary operand: a number is required.'],
    ['"${[]}x"', 'f:1,4-6: Invalid value; A string is required here.'],
  ])('%s is not constant', (text, message) => {
    const read = (): unknown => constantValue(parseHclExpression(text, { file: 'f' }))
    expect(refusal(text, read).message).toBe(message)
  })
})
