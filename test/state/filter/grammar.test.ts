import { describe, expect, test } from 'vitest'
import { FilterError, message, runPageStep } from '../../../state/filter/errors.ts'
import { compileFilter } from '../../../state/filter/filter.ts'
import { jobShape } from '../../../state/scheduler/job/job-shape.ts'
import { evaluateFilter, thing, thingShape } from './support.ts'

const unread = (problem: string) => `failed to read filter expression: ${problem}`

describe('behaviour/scheduler#filters, grammar', () => {
  test.each([
    ['and binds tighter than or', 'Bool == true or Bool == false and Bool == false', true],
    ['parentheses', '(Bool == true or Bool == false) and Bool == false', false],
    ['not binds tighter than and', 'not Bool == false and Bool == true', true],
    ['not of a group', 'not (Bool == false and Bool == true)', true],
    ['not not', 'not not Bool == true', true],
    ['three times not', 'not not not Bool == true', false],
    ['parentheses in parentheses', '((Bool == true))', true],
    ['blanks in parentheses', ' ( \t\r\n Bool == true ) ', true],
    ['no blanks around ==', 'Bool==true', true],
    ['no blanks around !=', 'Int!=4', true],
    ['blanks everywhere', '\t\r\n Text \n not \t contains \r\n x \n', true],
    ['blanks around and', 'Bool == true\nand\tInt == -5', true],
    ['a chain', 'Int == 1 or Int == 2 or Int == -5', true],
    ['and chain', 'Int == -5 and Bool == true and Uint == 50', true],
    ['a bare value is its text', 'Map.team == core', true],
    ['a bare value like a selector is its text', 'Text != Map.team', true],
    ['a bare value with an index', 'Text == a["b c"].d', false],
    ['zero', 'Int == 0', false],
    ['a negative number', 'Int == -5', true],
    ['a point', 'Float == 1.5', true],
    ['quotes', 'Text == "web-1"', true],
    ['quotes with escapes', 'Text == "\\x77eb\\u002d\\061"', true],
    ['quotes with a slash in front are text', 'Map.team == "/usr/bin"', false],
    ['backquotes', 'Text == `web-1`', true],
    ['no escapes in backquotes', 'Text == `web\\x2d1`', false],
    ['several lines in backquotes', 'Text == `web\n1`', false],
    ['an empty text', 'Empty == ""', true],
  ])('%s', (_, expression, expected) => {
    expect(evaluateFilter(expression)).toBe(expected)
  })

  // choice/scheduler#filter-quoted-values
  test('a quoted value is a plain string, even if it begins with a slash', () => {
    expect(evaluateFilter('Text == "/usr/bin"', { ...thing, Text: '/usr/bin' })).toBe(true)
    expect(evaluateFilter('Text == ""', { ...thing, Text: '' })).toBe(true)
  })

  test.each(['in', 'not', 'any', 'all', 'is', 'contains', 'or', 'and', 'matches', 'nil', 'empty'])(
    'the word %s can be a key and a value',
    (word) => {
      const value = { ...thing, Map: { [word]: word } }
      expect(evaluateFilter(`Map.${word} == ${word}`, value)).toBe(true)
      expect(evaluateFilter(`${word} in Map`, value)).toBe(true)
      expect(evaluateFilter(`Map contains ${word}`, value)).toBe(true)
    },
  )

  test('an error is raised only if its operand is evaluated', () => {
    expect(() => compileFilter('Foo == x', thingShape)).not.toThrow()
    expect(() => compileFilter('Text matches `(`', thingShape)).not.toThrow()
    expect(evaluateFilter('Bool == true or Foo == x')).toBe(true)
    expect(evaluateFilter('Bool == false and Foo == x')).toBe(false)
    expect(evaluateFilter('Bool == true and Foo == x')).toMatch(/^error finding value/)
    expect(evaluateFilter('not Foo == x')).toMatch(/^error finding value/)
  })

  test('__proto__ and constructor are keys like others', () => {
    const value = { ...thing, Map: JSON.parse('{"__proto__": "a", "constructor": "b"}') }
    expect(evaluateFilter('Map["__proto__"] == a', value)).toBe(true)
    expect(evaluateFilter('Map.constructor == b', value)).toBe(true)
    expect(evaluateFilter('`__proto__` in Map', value)).toBe(true)
    expect(evaluateFilter('`__proto__` in Map')).toBe(false)
  })

  test('a filter works on the shape of a job', () => {
    const filter = compileFilter('Priority == 50 and "dc1" in Datacenters', jobShape)
    expect(filter.matches({ Priority: 50, Datacenters: ['dc1'] })).toBe(true)
    expect(filter.matches({ Priority: 50, Datacenters: null })).toBe(false)
    const task = 'any TaskGroups as g { any g.Tasks as t { t.Config.image matches `^redis` } }'
    const Config = { image: 'redis:7' }
    const job = { TaskGroups: [{ Tasks: [{ Config }] }] }
    expect(compileFilter(task, jobShape).matches(job)).toBe(true)
  })
})

const start = '"(", "-", "0", "\\"", "`", "all", "any", "not", [ \\t\\r\\n], [1-9] or [a-zA-Z]'
const operators = '"!=", "==", "contains", "in", "is", "matches", "not"'

describe('behaviour/scheduler#filters, Errors: expressions that cannot be parsed', () => {
  test.each([
    ['', `1:1 (0): no match found, expected: ${start}`],
    ['  ', `1:3 (2): no match found, expected: ${start}`],
    [
      'Foo',
      `1:4 (3): no match found, expected: "!=", ".", "==", "[", [ \\t\\r\\n] or [a-zA-Z0-9_/]`,
    ],
    ['Foo ', `1:5 (4): no match found, expected: ${operators} or [ \\t\\r\\n]`],
    ['Priority = 50', `1:10 (9): no match found, expected: ${operators} or [ \\t\\r\\n]`],
    [
      'Foo == a-b',
      '1:9 (8): no match found, expected: ".", "[", [ \\t\\r\\n], [a-zA-Z0-9_/] or EOF',
    ],
    ['x in foo abc', '1:10 (9): no match found, expected: "and", "or", [ \\t\\r\\n] or EOF'],
    ['x in foo and ', `1:14 (13): no match found, expected: ${start}`],
    ['32 == 32', '1:4 (3): no match found, expected: "in", "not" or [ \\t\\r\\n]'],
    ['32 is empty', '1:4 (3): no match found, expected: "in", "not" or [ \\t\\r\\n]'],
    ['"/hy-phen/pi|pe/" == 3', '1:19 (18): no match found, expected: "in", "not" or [ \\t\\r\\n]'],
    ['foo == "12x', '1:12 (11): rule "string": Unterminated string literal'],
    ['foo == `12x', '1:12 (11): rule "string": Unterminated string literal'],
    ['foo == "\\q"', '1:8 (7): rule "string": invalid syntax'],
    ['foo == "a\\"b"', '1:8 (7): rule "string": invalid syntax'],
    ['foo == "a\nb"', '1:8 (7): rule "string": invalid syntax'],
    ['foo == 3x', '1:9 (8): rule "number": Invalid number literal'],
    ['foo == 0x32', '1:9 (8): rule "number": Invalid number literal'],
    ['foo == 007', '1:9 (8): rule "number": Invalid number literal'],
    ['any foo as x { x == 3}', '1:22 (21): rule "number": Invalid number literal'],
    ['foo[3] == abc', '1:5 (4): rule "index": Invalid index'],
    ['x in foo["abc"', '1:15 (14): rule "index": Unclosed index expression'],
    ['foo["abc" == 3', '1:11 (10): rule "index": Unclosed index expression'],
    ['x in 32', '1:6 (5): rule "match": Invalid selector'],
    ['(foo == 4', '1:10 (9): rule "grouping": Unmatched parentheses'],
    ['foo == 4)', '1:9 (8): no match found, expected: ".", [ \\t\\r\\n], [0-9] or EOF'],
    ['foo == 4\nand bar = 5', '2:9 (17): no match found, expected: '],
    ['é == 4', `1:1 (0): no match found, expected: ${start}`],
    ['foo == "é" x', '1:12 (12): no match found, expected: "and", "or", [ \\t\\r\\n] or EOF'],
    ['foo == "💡" x', '1:12 (14): no match found, expected: "and", "or", [ \\t\\r\\n] or EOF'],
    ['foo EQUALS 4', `1:5 (4): no match found, expected: ${operators} or [ \\t\\r\\n]`],
    ['NOT foo == 4', `1:5 (4): no match found, expected: ${operators} or [ \\t\\r\\n]`],
    ['any foo as { x == 1 }', '1:12 (11): no match found, expected: "_", [ \\t\\r\\n] or [a-zA-Z]'],
    ['any foo as x x == 1', '1:14 (13): no match found, expected: ",", "{" or [ \\t\\r\\n]'],
    [
      'any foo as x { x == 1 ',
      '1:23 (22): no match found, expected: "and", "or", "}" or [ \\t\\r\\n]',
    ],
    ['foo is', '1:7 (6): no match found, expected: [ \\t\\r\\n]'],
    ['foo is good', '1:8 (7): no match found, expected: "empty", "nil", "not" or [ \\t\\r\\n]'],
  ])('%j: %s', (expression, expected) => {
    const found = evaluateFilter(expression)
    if (expected.endsWith(': ')) expect(String(found).startsWith(unread(expected))).toBe(true)
    else expect(found).toBe(unread(expected))
  })
})

describe('filters are bounded', () => {
  const many = 'max number of expressions parsed'
  const nested = (depth: number) => `${'('.repeat(depth)}Bool == true${')'.repeat(depth)}`

  // choice/scheduler#filter-limits
  test('deep nesting is read up to a limit and refused beyond it', () => {
    expect(evaluateFilter(nested(90))).toBe(true)
    expect(evaluateFilter(nested(101))).toBe(unread(`1:101 (100): rule "grouping": ${many}`))
    expect(evaluateFilter('('.repeat(60_000))).toBe(unread(`1:101 (100): rule "grouping": ${many}`))
    const any = (depth: number): string =>
      depth === 0 ? 'Bool == true' : `any Any as x { ${any(depth - 1)} }`
    expect(evaluateFilter(any(50))).toBe(true)
    expect(evaluateFilter(any(200))).toContain(many)
  })

  // choice/scheduler#filter-limits
  test('long expressions are read, longer ones refused', () => {
    const chain = (word: string, times: number) => `Int == 1${` ${word} Int == 1`.repeat(times)}`
    expect(evaluateFilter(chain('or', 4000))).toBe(false)
    expect(evaluateFilter(chain('and', 4000))).toBe(false)
    expect(evaluateFilter(`${'not '.repeat(16_000)}Bool == true`)).toBe(true)
    expect(evaluateFilter(`Text == \`${'x'.repeat(60_000)}\``)).toBe(false)
    expect(evaluateFilter(`Text == \`${'x'.repeat(66_000)}\``)).toBe(unread(`1:1 (0): ${many}`))
  })
})

describe('behaviour/scheduler#filters, Errors: prefixes that lists add', () => {
  test('depends on the step that failed', () => {
    const read = () => runPageStep('create result paginator', () => compileFilter('x', jobShape))
    expect(read).toThrow(
      'failed to create result paginator: failed to read filter expression: 1:2 (1): no match found, expected: ',
    )
    const filter = runPageStep('create result paginator', () => compileFilter('Foo == 1', jobShape))
    expect(() => runPageStep('read result page', () => filter.matches({}))).toThrow(
      'failed to read result page: error finding value in datum: /Foo at part 0: couldn\'t find key: struct field with name "Foo"',
    )
  })

  test('a FilterError is a mistake of the caller; other errors are rethrown', () => {
    expect(new FilterError(message('filter-element-mistyped')).kind).toBe('invalid')
    const other = new TypeError('other')
    const fail = () => {
      throw other
    }
    expect(() => runPageStep('read result page', fail)).toThrow(other)
  })
})
