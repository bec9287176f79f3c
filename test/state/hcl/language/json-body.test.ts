import { describe, expect, test } from 'vitest'
import { bodySchema, readAttributes, readContent } from '../../../../state/hcl/language/content.ts'
import { evaluate } from '../../../../state/hcl/language/evaluate.ts'
import {
  asBlocks,
  isHclJson,
  parseHclJson,
  withoutTemplates,
} from '../../../../state/hcl/language/json-body.ts'
import { loadModule } from '../../../../state/hcl/language/module.ts'
import type { Attribute } from '../../../../state/hcl/syntax/ast.ts'
import { formatDiagnostic } from '../../../../state/hcl/syntax/error.ts'
import { formatRange } from '../../../../state/hcl/syntax/source.ts'
import { FUNCTIONS, plain, refusal, scopeOf } from './support.ts'

function attribute(text: string): Attribute {
  const [item] = parseHclJson(text).items
  if (item?.kind !== 'attribute') throw new Error('no attribute')
  return item
}

function valueOfFirst(text: string, variables = {}): unknown {
  return plain(evaluate(attribute(text).expression, scopeOf(variables)))
}

// behaviour/scheduler#job-file-language: HCL JSON.
describe('the JSON syntax', () => {
  test.each([
    ['{}', true],
    [' \n\t{', true],
    ['job "x" {}', false],
    ['', false],
    ['[{}]', false],
  ])('%j: %s', (text, expected) => {
    expect(isHclJson(text)).toBe(expected)
  })

  test.each<[string, unknown]>([
    ['{"a": 1.5e1}', 15],
    ['{"a": -0}', 0],
    ['{"a": true}', true],
    ['{"a": null}', null],
    ['{"a": "x\\ny\\u0041"}', 'x\nyA'],
    ['{"a": "${v}"}', [1, 2]],
    ['{"a": "<${v[0]}>"}', '<1>'],
    ['{"a": "%{ for x in v }${x},%{ endfor }"}', '1,2,'],
    ['{"a": "$${v} \\"${\\"q\\"}\\""}', '${v} "q"'],
    ['{"a": "line\\n${v[1]}\\n"}', 'line\n2\n'],
    ['{"a": [1, "${v[1]}", {}]}', [1, 2, {}]],
    ['{"a": {"k${v[0]}": {"//": 1}}}', { k1: { '//': 1 } }],
  ])('%s', (text, expected) => {
    expect(valueOfFirst(text, { v: [1, 2] })).toEqual(expected)
  })

  test('positions are offsets in the JSON text', () => {
    const { name, nameRange, expression, range } = attribute('{\n "a": "é ${v.x}"\n}')
    expect([name, ...[nameRange, expression.range, range].map(formatRange)]).toEqual([
      'a',
      'input.hcl:2,2-5',
      'input.hcl:2,7-17',
      'input.hcl:2,2-17',
    ])
    expect(refusal(() => evaluate(expression, scopeOf({ v: {} }))).message).toBe(
      'input.hcl:2,13-15: Unsupported attribute; This object does not have an attribute named "x".',
    )
  })

  test('without templates, strings are literal', () => {
    const { expression } = attribute('{"a": {"${k}": ["${v}", 1]}}')
    expect(plain(evaluate(withoutTemplates(expression), scopeOf()))).toEqual({
      '${k}': ['${v}', 1],
    })
  })

  test.each<[string, string]>([
    ['{', 'input.hcl:1,2-2: Missing value; The JSON data ends prematurely.'],
    [
      '{"a"}',
      'input.hcl:1,5-6: Missing object value; A JSON object attribute must have a value, introduced by a colon.',
    ],
    [
      '{"a" = 1}',
      'input.hcl:1,6-7: Missing property value colon; JSON uses a colon as its name/value delimiter, not an equals sign.',
    ],
    [
      '{"a" 1}',
      "input.hcl:1,6-7: Missing property value colon; A colon must appear between an object property's name and its value.",
    ],
    ['{a: 1}', 'input.hcl:1,2-3: Invalid JSON keyword; "a" is not a valid JSON keyword.'],
    [
      '{1: 1}',
      'input.hcl:1,2-3: Invalid object property name; A JSON object property name must be a string',
    ],
    [
      '{"a": }',
      'input.hcl:1,7-8: Missing JSON value; A JSON value must start with a brace, a bracket, a number, a string, or a keyword.',
    ],
    [
      '{"a": ]',
      'input.hcl:1,7-8: Missing array element value; A JSON value must start with a brace, a bracket, a number, a string, or a keyword.',
    ],
    [
      '{"a": ?}',
      'input.hcl:1,7-8: Invalid start of value; A JSON value must start with a brace, a bracket, a number, a string, or a keyword.',
    ],
    [
      '{"a": 1,}',
      'input.hcl:1,8-9: Trailing comma in object; JSON does not permit a trailing comma after the final property in an object.',
    ],
    [
      '{"a": [1,]}',
      'input.hcl:1,9-10: Trailing comma in array; JSON does not permit a trailing comma after the final value in an array.',
    ],
    [
      '{"a": 1',
      'input.hcl:1,1-2: Unclosed object; No closing brace was found for this JSON object.',
    ],
    [
      '{"a": [1',
      'input.hcl:1,7-8: Unclosed object; No closing bracket was found for this JSON array.',
    ],
    [
      '{"a": 1]',
      'input.hcl:1,8-9: Mismatched braces; A JSON object must be closed with a brace, not a bracket.',
    ],
    [
      '{"a": [1}',
      'input.hcl:1,9-10: Mismatched brackets; A JSON array must be closed with a bracket, not a brace.',
    ],
    [
      '{"a": ["b": 1]}',
      'input.hcl:1,11-12: Invalid array value; A colon is not used to introduce values in a JSON array.',
    ],
    [
      '{"a": 1 "b": 2}',
      'input.hcl:1,9-10: Missing attribute seperator comma; A comma must appear between each property definition in an object.',
    ],
    [
      '{"a": [1 2]}',
      'input.hcl:1,10-11: Missing attribute seperator comma; A comma must appear between each value in an array.',
    ],
    [
      '{"a": 01}',
      'input.hcl:1,7-9: Invalid JSON number; There is a syntax error in the given JSON number.',
    ],
    [
      '{"a": "\\q"}',
      'input.hcl:1,7-11: Invalid JSON string; There is a syntax error in the given JSON string.',
    ],
    [
      '{"a": "b\n}',
      'input.hcl:1,7-9: Invalid JSON string; There is a syntax error in the given JSON string.',
    ],
    [
      '{"a": "b',
      'input.hcl:1,7-9: Invalid JSON string; There is a syntax error in the given JSON string.',
    ],
    [
      '{"a": ture}',
      'input.hcl:1,7-11: Invalid JSON keyword; "ture" is not a valid JSON keyword. Did you mean "true"?',
    ],
    [
      '{"a": NaN}',
      'input.hcl:1,7-10: Invalid JSON keyword; The JavaScript identifier "NaN" cannot be used in JSON.',
    ],
    [
      '{} x',
      'input.hcl:1,4-5: Extraneous data after value; Extra characters appear after the JSON value.',
    ],
    [
      '[]',
      'input.hcl:1,1-2: Root value must be object; The root value in a JSON-based configuration must be either a JSON object or a JSON array of objects.',
    ],
    [
      '{"a": "${"}',
      'input.hcl:1,10-10: Missing expression; Expected the start of an expression, but found the end of the file.',
    ],
  ])('%s', (text, expected) => {
    expect(refusal(() => parseHclJson(text)).message).toBe(expected)
  })

  test('limits', () => {
    expect(refusal(() => parseHclJson('{}', { maxLength: 1 })).message).toBe(
      '<nil>: Document too large; The document is longer than the 1 characters allowed.',
    )
    expect(refusal(() => parseHclJson(`{"a": ${'['.repeat(1000)}`)).message).toBe(
      'input.hcl:1,256-257: Nesting too deep; More than 250 levels are nested here.',
    )
  })
})

describe('blocks of the JSON syntax', () => {
  function blocks(text: string, labels: readonly string[]): unknown {
    const found = asBlocks(attribute(text), labels)
    return {
      blocks: found.blocks.map(({ type, labels, body, range }) => [
        type,
        ...labels.map(({ value }) => value),
        body.items.map((item) => (item.kind === 'attribute' ? item.name : '?')).join(),
        formatRange(range),
      ]),
      problems: found.problems.map(formatDiagnostic),
    }
  }

  test.each<[string, string[], unknown[]]>([
    ['{"b": {"x": 1}}', [], [['b', 'x', 'input.hcl:1,7-8']]],
    ['{"b": {"//": "comment", "x": 1}}', [], [['b', 'x', 'input.hcl:1,7-8']]],
    [
      '{"b": [{"x": 1}, {}]}',
      [],
      [
        ['b', 'x', 'input.hcl:1,7-8'],
        ['b', '', 'input.hcl:1,7-8'],
      ],
    ],
    ['{"b": [[{"x": 1}, {"y": 1}]]}', [], [['b', 'x,y', 'input.hcl:1,7-8']]],
    ['{"b": null}', [], []],
    [
      '{"b": {"l": {"x": 1}, "m": [{}, {}]}}',
      ['name'],
      [
        ['b', 'l', 'x', 'input.hcl:1,13-14'],
        ['b', 'm', '', 'input.hcl:1,28-29'],
        ['b', 'm', '', 'input.hcl:1,28-29'],
      ],
    ],
    [
      '{"b": [{"l": {}}, {"l": {}}]}',
      ['name'],
      [
        ['b', 'l', '', 'input.hcl:1,14-15'],
        ['b', 'l', '', 'input.hcl:1,25-26'],
      ],
    ],
    ['{"b": {"l": {"m": {"x": 1}}}}', ['one', 'two'], [['b', 'l', 'm', 'x', 'input.hcl:1,19-20']]],
  ])('%s', (text, labels, expected) => {
    expect(blocks(text, labels)).toEqual({ blocks: expected, problems: [] })
  })

  test.each<[string, string[], string[]]>([
    [
      '{"b": 1}',
      [],
      [
        'input.hcl:1,7-8: Incorrect JSON value type; Either a JSON object or a JSON array is required, representing the contents of one or more "b" blocks.',
      ],
    ],
    [
      '{"b": [1]}',
      [],
      [
        'input.hcl:1,8-9: Incorrect JSON value type; A JSON object is required here, to define arguments and child blocks.',
      ],
    ],
    [
      '{"b": "x"}',
      ['name'],
      [
        'input.hcl:1,7-10: Incorrect JSON value type; Either a JSON object or JSON array of objects is required here, to specify name labels for this block.',
      ],
    ],
    [
      '{"b": [{"l": {}}, 1]}',
      ['name'],
      [
        'input.hcl:1,19-20: Incorrect JSON value type; A JSON object is required here, to specify name labels for this block.',
      ],
    ],
    [
      '{"b": {}}',
      ['name'],
      [
        `input.hcl:1,7-8: Missing block label; At least one object property is required, whose name represents the b block's name.`,
      ],
    ],
    [
      '{"b": null}',
      ['name'],
      [
        `input.hcl:1,7-11: Missing block label; At least one object property is required, whose name represents the b block's name.`,
      ],
    ],
  ])('%s is not a block', (text, labels, expected) => {
    expect(asBlocks(attribute(text), labels).problems.map(formatDiagnostic)).toEqual(expected)
  })

  test('a schema sorts members into attributes and blocks', () => {
    const body = parseHclJson('{"a": 1, "b": {"x": {}}, "a": 2, "naem": 3}')
    const schema = bodySchema(
      [{ name: 'a' }, { name: 'name', required: true }],
      [{ type: 'b', labels: ['label'] }],
    )
    const { attributes, blocks, problems } = readContent(body, schema)
    expect([...attributes.keys()]).toEqual(['a'])
    expect(blocks.map(({ labels }) => labels[0]?.value)).toEqual(['x'])
    expect(problems.map(formatDiagnostic)).toEqual([
      'input.hcl:1,43-44: Missing required argument; The argument "name" is required, but no definition was found.',
      'input.hcl:1,26-29: Duplicate argument; The argument "a" was already set at input.hcl:1,2-8.',
      'input.hcl:1,34-40: Extraneous JSON object property; No argument or block type is named "naem". Did you mean "name"?',
    ])
    expect(readContent(body, schema, { isPartial: true }).problems).toHaveLength(2)
  })

  test('a body of attributes may not repeat a name', () => {
    const { attributes, problems } = readAttributes(parseHclJson('{"a": 1, "//": 2, "a": 3}'))
    expect([...attributes.keys()]).toEqual(['a'])
    expect(problems.map(formatDiagnostic)).toEqual([
      'input.hcl:1,19-22: Duplicate attribute definition; The argument "a" was already set at input.hcl:1,2-8.',
    ])
  })

  test('a whole job file in JSON is read', () => {
    const text = `{
      "variable": {"x": {"type": "list(string)", "default": ["\${no}"],
        "validation": {"condition": "\${var.x != null}", "error_message": "Set it."}}},
      "locals": {"y": "\${upper(var.x[0])}"},
      "job": {"j": {"text": "\${local.y} \${NODE}", "group": {"g": {"count": 2}}}}
    }`
    const { jobs, scope, problems } = loadModule({ text }, { functions: FUNCTIONS, uuid: () => '' })
    const [job] = jobs
    if (job === undefined) throw new Error('no job')
    const found = readAttributes(job.body).attributes
    const values = [...found.values()].map(({ expression }) => plain(evaluate(expression, scope)))
    expect([problems, job.labels[0]?.value, values]).toEqual([
      [],
      'j',
      ['${NO} ${NODE}', { g: { count: 2 } }],
    ])
  })

  test.each([
    [
      '"list(text)"',
      'input.hcl:1,29-41: Invalid type specification; The keyword "text" is not a valid type specification.',
    ],
    [
      '"list("',
      'input.hcl:1,29-36: Invalid type specification; A type specification is either a primitive type keyword (bool, number, string) or a complex type constructor call, like list(string).',
    ],
  ])('the type %s is rejected', (type, expected) => {
    const text = `{"variable": {"x": {"type": ${type}, "default": 1}}, "job": {"j": {}}}`
    const { problems } = loadModule({ text }, { functions: FUNCTIONS, uuid: () => '' })
    expect(problems.map(formatDiagnostic)).toEqual([expected])
  })
})
