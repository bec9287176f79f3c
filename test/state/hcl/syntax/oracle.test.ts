import { parse } from '@cdktn/hcl2json'
import { describe, expect, test } from 'vitest'
import type { Body, Expression } from '../../../../state/hcl/syntax/ast.ts'
import { formatDiagnostic, HclError } from '../../../../state/hcl/syntax/error.ts'
import { parseHcl } from '../../../../state/hcl/syntax/parser.ts'
import { type ConstantValue, constantValue } from './constant.ts'

// The oracle is the real parser (Go, compiled to wasm) behind a converter to JSON that writes
// expressions it cannot evaluate as `${source}` and blocks as lists below their labels.

type Json = unknown

const agreed: readonly string[] = [
  '',
  '# nothing\n// at all\n/* here\n */',
  'a = 1',
  'a = 1\r\nb = 2\r\n',
  'a = 1.5e3\nb = -1\nc = 0.1\nd = 100000000000000000000',
  'a = true\nb = false\nc = null',
  'a = ""\nb = "x y"\nc = "}"',
  'a = "x\\ty\\r\\n\\"\\\\ \\u00e9 \\U0001F600"',
  'a = "$ % $x %x x$"',
  'a = "x${b}y"',
  'a = "${b}"',
  'a = "x${~ b ~} y"',
  'a = "x${[for y in z : "${y}!"]}w"',
  'a = [1, 2,\n 3, # three\n]\nb = []',
  'a = [[1], [[]], {}]',
  'a = {}\nb = { x = 1, "y z" = [true], 3 = null }',
  'a = {\n  x = 1\n  y : 2\n\n  z = 3,\n}',
  'a = { null = 1, true = 2, for_ = 3 }',
  'a = <<E\n  x\n y\nE\n',
  'a = <<E\nE\n',
  'a = <<-E\n\n   x\n  y\n  E\nb = 1',
  'a = <<-E\n\t\tx\n\ty\n\t\tE\n',
  'a = <<E\nfoo E\n E x\n\\n "q"\n  E  \nb = [<<F\nz\nF\n, 1]',
  'a = foo.bar[0].*.x',
  'a = foo.bar["k"][*].x[1]',
  'a = f(1, g(x), )',
  'a = f(x...)',
  'a = x ? y : z ? 1 : 2',
  'a = 1 + x * 3 == 7 || !x && -y < 2',
  'a = [for k, v in m : upper(v) if k != "x"]',
  'a = { for k, v in m : k => v... }',
  'a = x.0.y',
  'a = foo(\n  1,\n  x\n)',
  'b {}\nb {\n}',
  'b { a = 1 }',
  'b "l" m { x = 1 }\nb "l" m { x = 2 }',
  'b "x" {\n  a = 1\n  c {\n    d = "e"\n  }\n  c {}\n}',
  'b "a\\"b\\u00e9" {}',
  'a-b = 1\n_c = 2\né = "é"',
  '\ufeffa = 1',
  '__proto__ = 1\nb = { __proto__ = 2 }',
  'a = 1 /* x */ # y\nb = 2 // z\n',
]

const refused: readonly string[] = [
  'a',
  'a =',
  'a = \n1',
  'a = [1 2]',
  'a = [1,,2]',
  'a = {x=1 y=2}',
  'a = {x}',
  'a = "x',
  'a = "x\ny"',
  'a = "\\q"',
  'a = "\\u12"',
  'a = "${x y}"',
  'a = "${x"',
  'a = "%{if x}y"',
  'a = "%{else}"',
  'a = "%{foo}"',
  'a = <<E\nfoo\nE',
  'a = 1 b = 2',
  'a = 1, b = 2',
  'a = 1\na = 2',
  'a = foo(1 2)',
  'a = foo(1',
  'a = (1 2)',
  'a = x[1 2]',
  'a = x.',
  'a = x.1.2',
  'a = 1.2.3',
  'a = 1 ? 2',
  'a = [for x of y : x]',
  'a = { for x in y : x }',
  "a = 'x'",
  'a = `x`',
  'a = 1;',
  'a = 1 & 2',
  'a = @',
  'a = “x”',
  '"a" = 1',
  'a "b" = 1',
  'a "b"\n{}',
  'a "${x}" {}',
  'a {',
  'a {}}',
  'a {} b {}',
  'a { b = 1, c = 2 }',
  'a { b = 1 c = 2 }',
  'a { b = 1\n}',
  'a { b {} }',
  'a {\n b = 1 }',
  '= 1',
  '{',
]

describe('HCL2 agrees with the real parser (behaviour/scheduler#job-files)', () => {
  test.each(agreed)('%j is read alike', async (text) => {
    expect(bodyJson(text, parseHcl(text))).toStrictEqual(await parse('f.hcl', text))
  })

  test.each(refused)('%j is refused with the same first problem', async (text) => {
    const theirs = await parse('f.hcl', text).then(String, String)
    expect(theirs).toContain(firstProblem(text))
  })
})

function firstProblem(text: string): string {
  try {
    parseHcl(text, { file: 'f.hcl' })
  } catch (error) {
    if (error instanceof HclError && error.diagnostics[0]) {
      return formatDiagnostic(error.diagnostics[0])
    }
    throw error
  }
  return 'read without a problem'
}

/** Returns the document in the oracle's notation. */
function bodyJson(text: string, body: Body): Json {
  const entries = new Map<string, Json>()
  for (const item of body.items) {
    if (item.kind === 'attribute') {
      entries.set(item.name, expressionJson(text, item.expression))
      continue
    }
    // Labels become keys of nested objects, and the block itself becomes an item of a list.
    const labels = item.labels.map(({ value }) => value)
    const existing = entries.get(item.type)
    entries.set(item.type, nest(existing, labels, bodyJson(text, item.body)))
  }
  return Object.fromEntries(entries)
}

function nest(existing: Json, labels: readonly string[], body: Json): Json {
  const [label, ...others] = labels
  if (label === undefined) return [...(Array.isArray(existing) ? existing : []), body]
  const before = new Map<string, Json>(Object.entries(existing ?? {}))
  before.set(label, nest(before.get(label), others, body))
  return Object.fromEntries(before)
}

function expressionJson(text: string, expression: Expression): Json {
  const { kind, range } = expression
  const source = text.slice(range.start.offset, range.end.offset)
  switch (kind) {
    case 'literal':
      return expression.value
    case 'tuple':
      return expression.items.map((item) => expressionJson(text, item))
    case 'object':
      return Object.fromEntries(
        expression.entries.map(({ key, value }) => [
          String(constantJson(constantValue(key))),
          expressionJson(text, value),
        ]),
      )
    case 'template':
      return expression.parts.map((part) => expressionJson(text, part)).join('')
    case 'template-wrap':
      return source.slice(1, -1)
    case 'unary':
      return expression.operand.kind === 'literal'
        ? constantJson(constantValue(expression))
        : `\${${source}}`
    default:
      return `\${${source}}`
  }
}

function constantJson(value: ConstantValue): Json {
  return value instanceof Map ? Object.fromEntries(value) : value
}
