import { describe, expect, test } from 'vitest'
import {
  InputError,
  pointerName,
  sharedValidator,
} from '../../../../routes/http/declare/validate.ts'

const { check, checkQuery } = sharedValidator

const policies = {
  type: 'object',
  required: ['name'],
  additionalProperties: false,
  properties: {
    name: { type: 'string' },
    secrets: {
      type: 'object',
      properties: {
        policies: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    level: { enum: ['low', 'high', 3] },
    kind: { const: 'x' },
    count: { type: 'integer', minimum: 1, default: 5 },
    tags: { type: 'array', items: { type: 'string' } },
    either: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    named: { type: 'object', propertyNames: { pattern: '^[a-z]+$' } },
  },
} as const

const problems = (value: unknown) => check(policies, value, 'body')

describe('behaviour/program#declared-once: bodies', () => {
  test('without mistakes have no problems', () => {
    expect(problems({ name: 'x', level: 3, tags: [], either: null })).toEqual([])
  })

  test.each([
    ['a value of another type', { name: 1 }, ['/name must be string']],
    [
      'a place deep inside',
      { name: 'x', secrets: { policies: { reader: 1 } } },
      ['/secrets/policies/reader must be string'],
    ],
    ['an array item', { name: 'x', tags: ['a', 2] }, ['/tags/1 must be string']],
    ['a member that is missing', {}, ['/name is missing']],
    ['a member that nobody knows', { name: 'x', nmae: 'y' }, ['/nmae is unknown']],
    ['a name that needs escaping in a pointer', { name: 'x', 'a/b~c': 1 }, ['/a~1b~0c is unknown']],
    ['none of the words', { name: 'x', level: 'mid' }, ['/level must be one of "low", "high", 3']],
    ['not the one word', { name: 'x', kind: 'y' }, ['/kind must be "x"']],
    ['a number out of range', { name: 'x', count: 0 }, ['/count must be >= 1']],
    ['none of several shapes', { name: 'x', either: 1 }, ['/either must be string or null']],
    [
      'a member name that is not allowed',
      { name: 'x', named: { A: 1 } },
      ['/named/A is named wrongly: it must match pattern "^[a-z]+$"'],
    ],
    ['another thing altogether', 'text', ['body must be object']],
    [
      'several mistakes at once',
      { count: 'x', z: 1 },
      ['/name is missing', '/z is unknown', '/count must be integer'],
    ],
  ])('%s is named by its position', (_, value, expected) => {
    expect(problems(value)).toEqual(expected)
  })

  test('are never converted, truncated or filled in', () => {
    const body = { name: 'x', count: '5', extra: 1 }
    expect(problems(body)).toEqual(['/extra is unknown', '/count must be integer'])
    expect(body).toEqual({ name: 'x', count: '5', extra: 1 })
    const short = { name: 'x' }
    expect(problems(short)).toEqual([])
    expect(short).toEqual({ name: 'x' })
  })

  test('count inherited member names only if they were sent', () => {
    const schema = {
      type: 'object',
      required: ['constructor'],
      additionalProperties: false,
    } as const
    expect(check(schema, {}, 'body')).toEqual(['/constructor is missing'])
    expect(problems(JSON.parse('{"name": "x", "__proto__": {}}'))).toEqual([
      '/__proto__ is unknown',
    ])
  })

  test('of several kinds are judged by the kind that they name', () => {
    const schema = {
      type: 'object',
      required: ['mode'],
      discriminator: { propertyName: 'mode' },
      oneOf: [
        { type: 'object', properties: { mode: { const: 'a' }, n: { type: 'number' } } },
        { type: 'object', properties: { mode: { const: 'b' } }, required: ['m'] },
      ],
    } as const
    expect(check(schema, { mode: 'a', n: 'x' }, 'body')).toEqual(['/n must be number'])
    expect(check(schema, { mode: 'b' }, 'body')).toEqual(['/m is missing'])
    expect(check(schema, { mode: 'c' }, 'body')).toEqual(['/mode has the unknown value "c"'])
    expect(check(schema, {}, 'body')).toEqual(['/mode is missing'])
  })

  test('inside a larger value are named from its root', () => {
    expect(check(policies, { name: 1 }, '/a', '/a')).toEqual(['/a/name must be string'])
    expect(check(policies, 1, '/a', '/a')).toEqual(['/a must be object'])
  })

  test('may have formats, which are annotations only', () => {
    expect(check({ type: 'string', format: 'date-time' }, 'never', 'body')).toEqual([])
  })
})

describe('behaviour/program#http: query strings', () => {
  const paging = {
    type: 'object',
    required: ['page'],
    properties: {
      page: { type: 'integer', minimum: 1 },
      all: { type: 'boolean' },
      ratio: { type: 'number' },
      name: { type: 'string' },
      ids: { type: 'array', items: { type: 'string' } },
    },
  } as const

  test('are converted by the schema, in a copy', () => {
    const sent = { page: '2', all: 'true', ratio: '1.5', name: '7', ids: 'a', other: '1' }
    const { problems: found, query } = checkQuery(paging, sent)
    expect(found).toEqual([])
    expect(query).toEqual({ page: 2, all: true, ratio: 1.5, name: '7', ids: ['a'], other: '1' })
    expect(sent.page).toBe('2')
  })

  test.each([
    [{ page: 'x' }, ['query parameter page must be integer']],
    [{ page: '0' }, ['query parameter page must be >= 1']],
    [{ page: '' }, ['query parameter page must be integer']],
    [{ page: ['1', '2'] }, ['query parameter page must be integer']],
    [{ page: '1', all: 'yes' }, ['query parameter all must be boolean']],
    [{}, ['query parameter page is missing']],
  ])('%j is refused with the name of the parameter', (query, expected) => {
    expect(checkQuery(paging, query).problems).toEqual(expected)
  })
})

describe('behaviour/program#declared-once: schemas', () => {
  test('are compiled once per object', () => {
    let reads = 0
    const schema = {
      type: 'string',
      get maxLength() {
        reads += 1
        return 9
      },
    }
    expect(reads).toBe(0)
    check(schema, 1, 'body')
    const once = reads
    expect(once).toBeGreaterThan(0)
    expect(check(schema, 2, 'body')).toEqual(['body must be string'])
    expect(reads).toBe(once)
  })

  test('with mistakes throw an error', () => {
    expect(() => check({ tpye: 'string' }, 1, 'body')).toThrow('unknown keyword: "tpye"')
  })
})

describe('behaviour/program#fresh-world: suggestions for misspelled names', () => {
  const schema = {
    properties: { edition: { enum: ['community', 'enterprise'] }, ttl: { type: 'string' } },
    additionalProperties: false,
  }

  test.each([
    [{ editon: 1 }, '/editon is unknown; did you mean edition?'],
    [{ anything: 1 }, '/anything is unknown'],
    // A short word is almost as close to any other.
    [{ tls: 1 }, '/tls is unknown'],
    [{ [`edition${'n'.repeat(80)}`]: 1 }, `/edition${'n'.repeat(80)} is unknown`],
    [
      { edition: 'comunity' },
      '/edition must be one of "community", "enterprise"; did you mean community?',
    ],
    [{ edition: 7 }, '/edition must be one of "community", "enterprise"'],
  ])('%j', (value, problem) => {
    expect(check(schema, value, 'body')).toEqual([problem])
  })
})

test('behaviour/program#worlds, Errors: invalid input is a refusal with a line for each mistake', () => {
  const error = new InputError(['/a is missing', '/b is unknown'])
  expect(error.kind).toBe('invalid')
  expect(error.message).toBe('/a is missing; /b is unknown')
  expect(error.detail).toEqual({ problems: ['/a is missing', '/b is unknown'] })
})

test('RFC 6901: names in pointers', () => {
  expect(pointerName('a/b~c')).toBe('a~1b~0c')
})

test('a thousand mistakes are reported, with the number of the others (behaviour/program#bounds)', () => {
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`k${at}`, at]))
  const problems = check(policies, { name: 'x', ...many }, 'it')
  expect([problems.length, problems[0], problems.at(-1)]).toEqual([
    1001,
    '/k0 is unknown',
    '19000 more mistakes',
  ])
})
