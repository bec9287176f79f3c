import { describe, expect, test } from 'vitest'
import { parseJobFile } from '../../../../state/scheduler/job-file/parse.ts'
import { parse, refusal, UUID } from './support.ts'

const inJob = (inside: string): string => `job "j" {\n${inside}\n}`
const inTask = (inside: string): string =>
  `job "j" {\n group "g" {\n task "t" {\n${inside}\n}\n}\n}`
const taskOf = (inside: string) => parse(inTask(inside)).TaskGroups?.[0]?.Tasks?.[0]

/** Returns the name of a job whose name is an expression. */
const named = (expression: string, before = '') =>
  parse(`${before}\n${inJob(`name = ${expression}`)}`).Name
/** Returns the value of a template that contains an expression. */
const written = (expression: string) => named(`"\${${expression}}!"`)
/** Returns the first line of the refusal of an expression. */
const refused = (expression: string, before = '') =>
  refusal(`${before}\n${inJob(`name = ${expression}`)}`).split('\n')[0]

describe('behaviour/scheduler#job-files: behaviour that the reference leaves open or does not document', () => {
  // choice/scheduler#job-file-order-of-problems
  test('arguments of a body are reported first, then unknown blocks, then the content of the others', () => {
    const text = inJob(`counts = 1
      group "a" {
        counts = 2
        task "t" {
          drivr = 3
        }
      }
      nonsense {
      }
      update {
        counts = 4
      }
      group "b" {
        counts = 5
      }
      countz = 6`)
    const places = refusal(text).match(/input\.hcl:\d+/g)
    expect(places).toEqual([2, 17, 9, 4, 6, 15, 12].map((line) => `input.hcl:${line}`))
  })

  // choice/scheduler#job-file-config-problems
  test('driver configuration is evaluated last: one problem is reported, the others are counted', () => {
    const config = 'config {\n a = upper()\n b = upper()\n}'
    expect(refusal(inTask(config))).toMatch(/Missing value for "str"\., and 1 other diagnostic/)
    expect(refusal(inTask(`${config}\n driverr = "x"`))).not.toContain('upper')
  })

  test('members that only Canonicalize fills are null', () => {
    const text = inTask('template {\n}\n').replace('task "t"', 'scaling {\n max = 3\n}\n task "t"')
    const [group] = parse(text).TaskGroups ?? []
    expect(group?.Scaling).toMatchObject({ Type: 'horizontal', Min: null, Max: 3 })
    const [template] = group?.Tasks?.[0]?.Templates ?? []
    expect(template).toMatchObject({ ErrMissingKey: false, SourcePath: null })
  })

  // choice/scheduler#job-file-short-constraints
  test.each([
    ['distinct_hosts = false', { LTarget: null, RTarget: 'false', Operand: 'distinct_hosts' }],
    ['distinct_property = ""', { LTarget: null, RTarget: null, Operand: '=' }],
    ['attribute = "a"\n is_set = true', { LTarget: 'a', RTarget: null, Operand: '=' }],
    ['attribute = "a"\n is_not_set = true', { LTarget: 'a', RTarget: null, Operand: '=' }],
    ['attribute = "a"\n value = "b"\n regexp = ""', { LTarget: 'a', RTarget: 'b', Operand: '=' }],
  ])('the constraint %j', (inside, expected) => {
    expect(parse(inJob(`constraint {\n${inside}\n}`)).Constraints).toStrictEqual([expected])
  })

  test('the block ui has all its members', () => {
    const UI = { Description: 'd', Links: null }
    expect(parse(inJob('ui {\n description = "d"\n}'))).toHaveProperty('UI', UI)
  })

  // choice/scheduler#job-file-identities
  test('the identity without a name is Identity, the others are Identities', () => {
    const text =
      'identity {\n name = "x"\n}\nidentity {\n env = true\n}\nidentity {\n name = "y"\n}'
    expect(taskOf(text)).toMatchObject({
      Identity: { Env: true },
      Identities: [{ Name: 'x' }, { Name: 'y' }],
    })
  })

  // choice/scheduler#job-file-dropped-blocks
  test('secrets_grace is accepted, members of later releases are refused', () => {
    const [template] = taskOf('template {\nsecrets_grace = "5m"\n}')?.Templates ?? []
    expect(template?.SecretsGrace).toBe(300_000_000_000)
    expect(refusal(inTask('secret "s" {\n}'))).toContain('Blocks of type "secret"')
  })

  // choice/scheduler#job-file-secrets-of-group
  test('two secrets blocks are lost in a group and refused elsewhere', () => {
    const two = 'secrets {\n role = "a"\n}\nsecrets {\n role = "b"\n}'
    const inGroup = `job "j" {\n group "g" {\n ${two}\n task "t" {\n}\n}\n}`
    expect(parse(inGroup).TaskGroups?.[0]?.Tasks?.[0]?.Secrets).toBeNull()
    for (const text of [inJob(two), inTask(two)]) {
      expect(refusal(text)).toContain('Duplicate secrets block')
    }
  })

  // choice/scheduler#job-file-dynamic-config
  test('iterators of dynamic blocks around it are known in config', () => {
    const task = 'task "t" {\n config {\n x = group.value\n}\n}'
    const dynamic = `dynamic "group" {\n for_each = ["a"]\n labels = ["g"]\n content {\n${task}\n}\n}`
    expect(parse(inJob(dynamic)).TaskGroups?.[0]?.Tasks?.[0]?.Config).toStrictEqual({ x: 'a' })
  })

  // choice/scheduler#job-file-null-arguments
  test('null counts as absent where the argument is optional, and is refused elsewhere', () => {
    expect(parse(inJob('name = null')).Name).toBe('j')
    expect(refusal(inTask('driver = null'))).toContain('null value is not allowed')
  })

  // choice/scheduler#job-file-neutral-names
  test('both names of blocks and arguments are read in either dialect', () => {
    for (const vendor of [false, true]) {
      for (const name of ['secrets', 'vault']) {
        const text = inTask(`${name} {\n role = "r"\n}`)
        const [group] = parseJobFile(text, { uuid: () => UUID, isVendor: vendor }).TaskGroups ?? []
        expect(group?.Tasks?.[0]?.Secrets?.Role).toBe('r')
      }
    }
  })
})

describe('behaviour/scheduler#job-files: results of expressions', () => {
  // choice/scheduler#language-numbers
  test('numbers are doubles without a binary tail', () => {
    const expressions = ['0.1 + 0.2', '1.1 * 3', '9007199254740993 + 0', '9007199254740993']
    expect(expressions.map(written)).toEqual([
      '0.3!',
      '3.3!',
      '9007199254740992!',
      '9007199254740993!',
    ])
    expect(refused('1 / 0')).toContain('division by zero')
    expect(refused('"${0 / 0}"')).toContain("can't divide zero by zero or infinity by infinity")
  })

  // choice/scheduler#language-logic
  test('both sides are evaluated, and errors in the side that does not decide are dropped', () => {
    expect(['true || 1 / 0 > 0', '1 / 0 > 0 || true', 'false && 1 / 0 > 0'].map(written)).toEqual([
      'true!',
      'true!',
      'false!',
    ])
    expect(refused('"${false || 1 / 0 > 0}"')).toContain('division by zero')
    expect(refused('"${true || "x"}"')).toContain('Unsuitable value for right operand')
  })

  // choice/scheduler#language-empty-types
  test('null agrees with any type, an empty collection with any of its kind', () => {
    for (const [expression, expected] of [
      ['true ? null : ["a"]', 'null'],
      ['false ? null : { a = 1 }', '{"a":1}'],
      ['true ? [] : ["a"]', '[]'],
      ['true ? {} : { a = 1 }', '{}'],
    ]) {
      expect(named(`jsonencode(${expression})`)).toBe(expected)
    }
    expect(refused('jsonencode(true ? ["a"] : {})')).toContain('Inconsistent conditional result')
  })

  // choice/scheduler#language-unset-variable
  test('a variable without a value is the only reported error', () => {
    const text = `variable "dc" {\n}\n${inJob('name = var.dc\n nonsense = 1')}`
    expect(refusal(text)).toBe(
      'Failed to parse job: <nil>: Unset variable "dc"; A used variable must be set or have a default value; see https://example.com/docs/job-specification/hcl2/variables for details.',
    )
  })

  // choice/scheduler#language-circular-locals
  test('circular locals lack the attribute; of failing locals, the first is reported', () => {
    expect(refused('local.a', 'locals {\n a = local.b\n b = local.a\n}')).toContain(
      'Unsupported attribute; This object does not have an attribute named "a".',
    )
    const failing = 'locals {\n b = 1 / 0\n a = upper()\n}'
    expect(refusal(`${failing}\n${inJob('name = local.a')}`)).toMatch(/^[^\n]*division by zero\.$/)
  })

  // choice/scheduler#language-variable-types
  test.each([
    ['any', undefined],
    ['list(any)', undefined],
    ['object({ a = optional(string) })', undefined],
    ['object({ a = optional(string, "x") })', 'expects only one argument: the attribute type'],
    ['optional(string)', 'valid only as a modifier for object type attributes'],
    ['text', 'is not a valid type specification'],
  ])('a variable of type %s', (type, problem) => {
    const text = `variable "v" {\n type = ${type}\n default = null\n}\n${inJob('')}`
    if (problem === undefined) expect(parse(text).ID).toBe('j')
    else expect(refusal(text)).toContain(problem)
  })

  // choice/scheduler#language-unknown-roots
  test('references to unknown names are written back in one form', () => {
    for (const [reference, form] of [
      ['attr.a . b', 'attr.a.b'],
      ['node.x[ 0 ].y', 'node.x[0].y'],
      ['device.0.model', 'device.0.model'],
      ['env[ "A" ]', 'env["A"]'],
    ]) {
      expect(named(`"\${ ${reference} }"`)).toBe(`\${${form}}`)
    }
  })

  // choice/scheduler#language-json-files
  test('only the first syntax error of JSON is reported, and the last of repeated keys counts', () => {
    expect(refusal('{"job": {"j": {"name": x, "type": y}}}').split('\n')).toEqual([
      expect.stringContaining('"x" is not a valid JSON keyword.'),
    ])
    expect(parse('{"job": {"j": {"meta": {"a": "1", "a": "2"}}}}').Meta).toEqual({ a: '2' })
  })

  // choice/scheduler#function-limits
  test.each([
    ['regex_replace("a", "(abcdefghijkl){1000}", "x")', 'expression too large'],
    [`jsondecode("${'['.repeat(201)}${']'.repeat(201)}")`, 'exceeded max depth'],
    [`yamldecode("${'['.repeat(51)}${']'.repeat(51)}")`, 'too long or nests too deeply'],
    [`yamldecode("${'x'.repeat(32 * 1024 + 1)}")`, 'too long or nests too deeply'],
  ])('a function refuses an argument that is too large: %.30s', (expression, problem) => {
    expect(refused(`jsonencode(${expression})`)).toContain(problem)
  })

  test('and accepts the largest allowed argument', () => {
    const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(named(`jsonencode(jsondecode("${lists(200)}"))`)).toBe(lists(200))
    expect(named(`jsonencode(yamldecode("${lists(50)}"))`)).toBe(lists(50))
  })

  // choice/scheduler#function-faults
  test('negative indentation and keys of null are faults', () => {
    expect(refused('indent(-1, "a")')).toContain('the number of spaces must not be negative')
    expect(refused('jsonencode({ (null) = 1 })')).toContain("Can't use a null value as a key")
    expect(refused('jsonencode(yamldecode("a: [b"))')).toContain("did not find expected ',' or ']'")
  })

  // choice/scheduler#function-left-out
  test.each(['bcrypt("a")', 'rsadecrypt("a", "b")', 'regex("a", "b")', 'templatefile("a", {})'])(
    '%s is not a function',
    (expression) => {
      expect(refused(expression)).toContain('Call to unknown function')
    },
  )
})

// behaviour/scheduler#job-file-language
describe('names of loops hide the roots of references', () => {
  test.each([
    ['a value', 'locals {\n a = [for local in [{ a = "x" }] : local.a][0]\n}'],
    ['a key', 'locals {\n a = [for local, v in { x = 1 } : local][0]\n}'],
    ['a condition', 'locals {\n a = [for local in ["x", "y"] : "x" if local == "x"][0]\n}'],
    ['a nested loop', 'locals {\n a = [for local in ["x"] : [for v in [local] : v][0]][0]\n}'],
  ])('local as the name of %s does not refer to the local that the loop defines', (_, before) => {
    expect(named('local.a', before)).toBe('x')
  })

  test('var as the name of a loop does not count as another variable in a validation', () => {
    const variable = (condition: string) =>
      `variable "x" {\n default = "x"\n validation {\n condition = ${condition}\n error_message = "No."\n }\n}`
    const own = '[for var in [{ y = "x" }] : var.y][0]'
    expect(named('var.x', variable(`var.x == ${own}`))).toBe('x')
    // Outside the loop, `var` refers to the variables.
    expect(refused('var.x', variable(`var.x == ${own} && var.y == 1`))).toContain(
      'Invalid reference in variable validation',
    )
    expect(refused('var.x', variable('var.x == [for var in [var.y] : "x"][0]'))).toContain(
      'Invalid reference in variable validation',
    )
  })
})
