import { describe, expect, test } from 'vitest'
import { readAttributes } from '../../../../state/hcl/language/content.ts'
import { evaluate } from '../../../../state/hcl/language/evaluate.ts'
import { decodeError, loadModule } from '../../../../state/hcl/language/module.ts'
import { formatDiagnostic } from '../../../../state/hcl/syntax/error.ts'
import { FUNCTIONS, plain, refusal, value } from './support.ts'

const OPTIONS = { functions: FUNCTIONS, uuid: () => 'uuid' }

/** Returns the values of a job's attributes, and the problems found before. */
function read(text: string, variables?: string): { values: unknown; problems: string[] } {
  const { jobs, scope, problems } = loadModule(
    { text, ...(variables !== undefined && { variables }) },
    OPTIONS,
  )
  const attributes = jobs.flatMap(({ body }) => [...readAttributes(body).attributes.values()])
  const values = attributes.map(({ name, expression }) => [
    name,
    plain(evaluate(expression, scope)),
  ])
  return { values: Object.fromEntries(values), problems: problems.map(formatDiagnostic) }
}

function problems(text: string, variables?: string): string[] {
  const source = { text, ...(variables !== undefined && { variables }) }
  return loadModule(source, OPTIONS).problems.map(formatDiagnostic)
}

// behaviour/scheduler#job-file-language.
describe('variables', () => {
  const TEXT = `
variable "region" {
  type        = string
  default     = "global"
  description = "Where."
}
variable "ports" {
  type = list(number)
  default = ["80", 443]
}
variable "free" {}
variables {
  count = 2
  tags  = ["a", "b"]
}
variable "shape" {
  type = object({ a = string, b = optional(number) })
  default = { a = 1, c = true }
}
job "j" {
  region = var.region
  ports  = var.ports
  free   = var.free
  count  = var.count
  tags   = var.tags
  shape  = var.shape
  text   = "\${var.region}-\${attr.kernel.name}"
  meta   = meta.owner
}
`

  test('have defaults, and values that take precedence, converted to their types', () => {
    expect(read(TEXT, 'free = [1]\nregion = 5\ncount = "3"\nunknown = 1\n')).toEqual({
      values: {
        region: '5',
        ports: { '<list>': [80, 443] },
        free: [1],
        count: 3,
        tags: ['a', 'b'],
        shape: { a: '1', b: null },
        text: '5-${attr.kernel.name}',
        meta: '${meta.owner}',
      },
      problems: [],
    })
  })

  test('take values from JSON, whose strings are not templates', () => {
    const values = '{"free": {"x": ["${a}", null]}, "region": "$${b}", "//": "comment"}'
    expect(read(TEXT, values)).toEqual({
      values: expect.objectContaining({
        free: { x: ['${a}', null] },
        region: '$${b}',
        text: '$${b}-${attr.kernel.name}',
      }),
      problems: [],
    })
  })

  test('a variable without a value is reported even if it is not used', () => {
    expect(problems('variable "x" {}\njob "j" {}\n')).toEqual([
      '<nil>: Unset variable "x"; A used variable must be set or have a default value; see https://example.com/docs/job-specification/hcl2/variables for details.',
    ])
  })

  test('a variable without a value is also reported where it is used', () => {
    const text = 'variable "x" {}\nlocals {\n  y = [var.x]\n}\njob "j" {\n  a = local.y[0]\n}\n'
    expect(refusal(() => read(text)).message).toBe(
      'input.hcl:6,7-17: Unsuitable value type; Unsuitable value: value must be known',
    )
  })

  test('a variable that is not declared is reported where it is used', () => {
    const found = refusal(() => read('job "j" {\n  region = var.regoin\n}\n'))
    expect(found.message).toBe(
      'input.hcl:2,15-22: Unsupported attribute; This object does not have an attribute named "regoin".',
    )
  })

  test.each<[string, string, string | undefined, string[]]>([
    [
      'a value of the wrong type',
      'variable "x" {\n  type = number\n}\n',
      'x = "a"\n',
      [
        "input.hcl:1,5-8: Invalid value for variable; The value for x is not compatible with the variable's type constraint: a number is required.",
      ],
    ],
    [
      'a default of the wrong type',
      'variable "x" {\n  type    = list(string)\n  default = 1\n}\n',
      undefined,
      [
        "input.hcl:3,13-14: Invalid default value for variable; This default value is not compatible with the variable's type constraint: list of string required.",
      ],
    ],
    [
      'a value that uses variables',
      'variable "x" {}\n',
      'x = var.y\n',
      ['input.hcl:1,5-8: Variables not allowed; Variables may not be used here.'],
    ],
    [
      'a default that calls a function',
      'variable "x" {\n  default = upper("a")\n}\n',
      undefined,
      ['input.hcl:2,13-23: Function calls not allowed; Functions may not be called here.'],
    ],
    [
      'a short declaration that uses variables',
      'variables {\n  x = y\n}\n',
      undefined,
      ['input.hcl:2,7-8: Variables not allowed; Variables may not be used here.'],
    ],
    [
      'a declaration among the values',
      'variable "x" {}\n',
      'variable "x" {\n  default = 1\n}\n',
      [
        'input.hcl:1,1-9: Variable declaration in a .var file; A .var file is used to assign values to variables that have already been declared in job files, not to declare new variables. To declare variable "x", place this block in one of your job files\n\nTo set a value for this variable in input.hcl, use the definition syntax instead:\n    x = <value>',
        '<nil>: Unset variable "x"; A used variable must be set or have a default value; see https://example.com/docs/job-specification/hcl2/variables for details.',
      ],
    ],
    [
      'another block among the values',
      '',
      'job "x" {}\n',
      ['input.hcl:1,1-4: Unexpected "job" block; Blocks are not allowed here.'],
    ],
    [
      'a name declared twice',
      'variable "x" {\n  default = 1\n}\nvariable "x" {}\nvariables {\n  x = 1\n}\n',
      undefined,
      [
        '<nil>: Duplicate variable; Duplicate x variable definition found.',
        'input.hcl:6,3-4: Duplicate variable; Duplicate x variable definition found.',
      ],
    ],
    [
      'a name that is none',
      'variable "a b" {\n  default = 1\n}\n',
      undefined,
      [
        'input.hcl:1,10-15: Invalid variable name; A name must start with a letter or underscore and may contain only letters, digits, underscores, and dashes.',
      ],
    ],
    [
      'a type that is none',
      'variable "x" {\n  type = text\n}\n',
      undefined,
      [
        'input.hcl:2,10-14: Invalid type specification; The keyword "text" is not a valid type specification.',
      ],
    ],
    [
      'a description that is none, and what does not belong there',
      'variable "x" {\n  default = 1\n  description = []\n  typ = 1\n  default {\n  }\n}\n',
      undefined,
      [
        'input.hcl:4,3-6: Unsupported argument; An argument named "typ" is not expected here. Did you mean "type"?',
        'input.hcl:5,3-10: Unsupported block type; Blocks of type "default" are not expected here. Did you mean to define argument "default"? If so, use the equals sign to assign it a value.',
        'input.hcl:3,17-19: Unsuitable value type; Unsuitable value: string required',
      ],
    ],
    [
      'blocks in a short declaration',
      'variables {\n  x {\n  }\n}\n',
      undefined,
      ['input.hcl:2,3-4: Unexpected "x" block; Blocks are not allowed here.'],
    ],
  ])('%s', (_, text, values, expected) => {
    expect(problems(`${text}job "j" {}\n`, values)).toEqual(expected)
  })
})

// behaviour/scheduler#job-file-language: validation.
describe('rules for variables', () => {
  const rule = (condition: string, message = '"Too small."'): string =>
    `variable "x" {\n  default = 5\n  validation {\n    condition     = ${condition}\n    error_message = ${message}\n  }\n}\njob "j" {}\n`

  test.each<[string, string | undefined, string[]]>([
    [rule('var.x > 1'), undefined, []],
    [rule('"${var.x > 1}"'), undefined, []],
    [
      rule('var.x > 5'),
      undefined,
      [
        'input.hcl:2,13-14: Invalid value for default variable; Too small.\n\nThis was checked by the validation rule at input.hcl:3,3-13.',
      ],
    ],
    [
      rule('var.x > 1'),
      'x = 0\n',
      [
        'input.hcl:1,5-6: Invalid value for varfile variable; Too small.\n\nThis was checked by the validation rule at input.hcl:3,3-13.',
      ],
    ],
    [
      rule('var.x == 1 ? true : null'),
      undefined,
      [
        'input.hcl:4,21-45: Invalid variable validation result; Validation condition expression must return either true or false, not null.',
      ],
    ],
    [
      rule('[var.x]'),
      undefined,
      [
        'input.hcl:4,21-28: Invalid variable validation result; Invalid validation condition result value: bool required.',
      ],
    ],
    [
      rule('var.x.y'),
      undefined,
      [
        "input.hcl:4,26-28: Unsupported attribute; Can't access attributes on a primitive-typed value (number).",
      ],
    ],
    [
      rule('true'),
      undefined,
      [
        'input.hcl:4,21-25: Invalid variable validation condition; The condition for variable "x" must refer to var.x in order to test incoming values.',
      ],
    ],
    [
      rule('var.x > 1 || local.y || var.z == [for q in [1] : q + var.x]'),
      undefined,
      [
        'input.hcl:4,34-41: Invalid reference in variable validation; The condition for variable "x" can only refer to the variable itself, using var.x.',
        'input.hcl:4,45-50: Invalid reference in variable validation; The condition for variable "x" can only refer to the variable itself, using var.x.',
      ],
    ],
    [
      rule('var.x > 1', '""'),
      undefined,
      [
        'input.hcl:5,21-23: Invalid validation error message; An empty string is not a valid nor useful error message.',
      ],
    ],
    [
      rule('var.x > 1', '"too small."'),
      undefined,
      [
        'input.hcl:5,21-33: Invalid validation error message; Validation error message must be at least one full sentence starting with an uppercase letter ( if the alphabet permits it ) and ending with a period or question mark.',
      ],
    ],
    [
      'variable "x" {\n  default = 5\n  validation {\n  }\n}\njob "j" {}\n',
      undefined,
      [
        'input.hcl:3,14-14: Missing required argument; The argument "condition" is required, but no definition was found.',
        'input.hcl:3,14-14: Missing required argument; The argument "error_message" is required, but no definition was found.',
        'input.hcl:3,3-13: Invalid variable validation specification; validation requires a condition.',
      ],
    ],
    [
      'variable "x" {\n  validation "l" {\n  }\n}\njob "j" {}\n',
      'x = 1\n',
      [
        'input.hcl:2,14-17: Extraneous label for validation; No labels are expected for validation blocks.',
      ],
    ],
  ])('%#: %j', (text, values, expected) => {
    expect(problems(text, values)).toEqual(expected)
  })
})

// behaviour/scheduler#job-file-language: locals.
describe('locals', () => {
  test('refer to one another in any order, and to variables', () => {
    const text = `
locals {
  c = "\${local.b}!"
  a = var.x
}
variable "x" {
  default = 1
}
locals {
  b    = local["a"] + 1
  all  = local
  node = "\${node.unique.id}"
}
job "j" {
  c    = local.c
  all  = local.all
  node = [for local in ["own"] : local]
}
`
    expect(read(text)).toEqual({
      values: {
        c: '2!',
        all: { a: 1, b: 2, c: '2!', node: '${node.unique.id}' },
        node: ['own'],
      },
      problems: [],
    })
  })

  test('loop variables named local and var hide locals and variables', () => {
    const text = `
variable "x" {}
locals {
  bad = -[]
  a   = [for local in [{ a = 1 }] : local.a]
}
job "j" {
  a = local.a
  b = [for local in [{ bad = 2 }] : local.bad]
  c = [for var in [{ x = 3 }] : var.x]
}
`
    expect(read(text)).toEqual({
      values: { a: [1], b: [2], c: [3] },
      problems: [
        expect.stringContaining('Unset variable "x"'),
        expect.stringContaining('Invalid operand'),
      ],
    })
  })

  test('the last value of a name that several blocks define wins', () => {
    const text = 'locals {\n  a = 1\n}\nlocals {\n  a = 2\n}\njob "j" {\n  c = local.a\n}\n'
    expect(read(text).values).toEqual({ c: 2 })
  })

  // choice/scheduler#language-circular-locals
  test.each<[string, string, string[]]>([
    [
      'a circle',
      'locals {\n  a = local.b\n  b = local.c\n  c = local.a\n}\n',
      [
        'input.hcl:4,12-14: Unsupported attribute; This object does not have an attribute named "a".',
      ],
    ],
    [
      'a local of itself',
      'locals {\n  a = local.a\n}\n',
      [
        'input.hcl:2,12-14: Unsupported attribute; This object does not have an attribute named "a".',
      ],
    ],
    [
      'the first that fails, not those that fail for want of it',
      'locals {\n  a = local.b\n  b = var.nothing + -[]\n}\n',
      [
        'input.hcl:3,10-18: Unsupported attribute; This object does not have an attribute named "nothing".',
        'input.hcl:3,22-24: Invalid operand; Unsuitable value for unary operand: number required.',
      ],
    ],
    [
      'blocks',
      'locals {\n  a {\n  }\n}\n',
      ['input.hcl:2,3-4: Unexpected "a" block; Blocks are not allowed here.'],
    ],
    [
      'needs of all kinds of expressions',
      `locals {
  a = -local.z == 1 ? upper(local.y) : "x\${local.x}\${(local.w)}"
  b = [local.v[local.u], { (local.t) = local.s }, local.r[*].a, tolist([1])[0]]
  c = "%{ for k, local in local.q }\${k}\${local}%{ endfor }\${[for v in local.p : v if local.o]}"
  d = { for k, v in local.n : k => v }
  n = []
  o = true
  p = [1]
  q = []
  r = [{ a = 1 }]
  s = 1
  t = "t"
  u = 0
  v = [1]
  w = 1
  x = 1
  y = "y"
  z = 1
}
`,
      [
        'input.hcl:4,61-94: Invalid template interpolation value; Cannot include the given value in a string template: string required.',
      ],
    ],
    [
      'variables without a value, which are told once',
      'variable "x" {}\nlocals {\n  a = var.x\n}\n',
      [
        '<nil>: Unset variable "x"; A used variable must be set or have a default value; see https://example.com/docs/job-specification/hcl2/variables for details.',
      ],
    ],
  ])('%s', (_, text, expected) => {
    expect(problems(`${text}job "j" {}\n`)).toEqual(expected)
  })
})

// behaviour/scheduler#job-file-errors.
describe('the top level', () => {
  test('returns the jobs', () => {
    const { jobs } = loadModule({ text: 'job "a" {}\njob b {}\n' }, OPTIONS)
    expect(jobs.map(({ labels }) => labels[0]?.value)).toEqual(['a', 'b'])
  })

  test.each<[string, string]>([
    [
      'job {}\n',
      'input.hcl:1,5-6: Missing name for job; All job blocks must have 1 labels (name).',
    ],
    [
      'job "a" "b" {}\n',
      'input.hcl:1,9-12: Extraneous label for job; Only 1 labels (name) are expected for job blocks.',
    ],
    [
      'locals "x" {}\nvariable {}\n',
      'input.hcl:1,8-11: Extraneous label for locals; No labels are expected for locals blocks.\ninput.hcl:2,10-11: Missing name for variable; All variable blocks must have 1 labels (name).',
    ],
    [
      'jobs "a" {}\nx = 1\nlocals = 2\ngroup {}\n',
      'input.hcl:2,1-2: Unsupported argument; An argument named "x" is not expected here.\ninput.hcl:3,1-7: Unsupported argument; An argument named "locals" is not expected here. Did you mean to define a block of type "locals"?\ninput.hcl:1,1-5: Unsupported block type; Blocks of type "jobs" are not expected here. Did you mean "job"?\ninput.hcl:4,1-6: Unsupported block type; Blocks of type "group" are not expected here.',
    ],
  ])('%j', (text, expected) => {
    expect(refusal(() => loadModule({ text }, OPTIONS)).message).toBe(expected)
  })

  test('texts that cannot be parsed are reported, values first', () => {
    const bad = { text: 'job "a" {\n', variables: 'x = \n' }
    const values = refusal(() => loadModule(bad, OPTIONS))
    const text = refusal(() => loadModule({ ...bad, variables: 'x = 1\n' }, OPTIONS))
    expect([values.message, text.message]).toEqual([
      'unable to parse var content: input.hcl:1,5-2,1: Invalid expression; Expected the start of an expression, but found an invalid expression token.',
      'input.hcl:1,9-10: Unclosed configuration block; There is no closing brace for this block before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.',
    ])
    const two = refusal(() => loadModule({ text: '', variables: 'a b\nc d\n' }, OPTIONS))
    expect(two.message).toBe(
      `unable to parse var content: ${formatDiagnostic(two.diagnostics[0] ?? { summary: '', detail: '' })}, and ${two.diagnostics.length - 1} other diagnostic(s)`,
    )
    expect(two.diagnostics.length).toBeGreaterThan(1)
  })

  test('problems of a document are reported in one line each', () => {
    const error = decodeError([
      { summary: 'A', detail: 'b' },
      { summary: 'C', detail: 'd' },
    ])
    expect(error.message).toBe('<nil>: A; b\n<nil>: C; d')
  })

  test('functions use clock and randomness of the world', () => {
    const functions = new Map([
      ...FUNCTIONS,
      [
        'uuidv4',
        { parameters: [], run: (_: unknown, { uuid }: { uuid: () => string }) => uuid() },
      ] as const,
    ])
    const { scope } = loadModule({ text: '' }, { ...OPTIONS, functions })
    expect(value('uuidv4()', scope)).toBe('uuid')
  })
})
