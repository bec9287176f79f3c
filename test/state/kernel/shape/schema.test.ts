import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import {
  any,
  bool,
  bytes,
  constant,
  duration,
  float,
  floatOf,
  goList,
  goMap,
  int,
  intOf,
  list,
  map,
  name,
  nullable,
  type Shape,
  tagged,
  text,
  textOf,
  time,
  translatedText,
  uint,
  uintOf,
  union,
  word,
} from '../../../../state/kernel/shape/kinds.ts'
import {
  described,
  inputOnly,
  optional,
  partial,
  struct,
  vendorNamed,
  withDefault,
  withOthers,
} from '../../../../state/kernel/shape/members.ts'
import { inputSchema, parsedSchema, storedSchema } from '../../../../state/kernel/shape/schema.ts'

const seal = word('open', { shut: 'sealed' })
const tree = struct({ kind: word('tree'), height: int })
const herb = struct({ kind: word('herb') })

describe('schemas of stored values', () => {
  const string = { type: 'string' }
  const cases: readonly (readonly [string, Shape, object])[] = [
    ['text', text, string],
    ['time', time, string],
    ['a name', name, { ...string, minLength: 1 }],
    ['rules', textOf({ pattern: '^a', maxLength: 3 }), { ...string, maxLength: 3, pattern: '^a' }],
    ['names of the API', translatedText({ a: 'b' }), string],
    ['bytes', bytes, { type: ['string', 'null'] }],
    ['bool', bool, { type: 'boolean' }],
    ['int', int, { type: 'integer' }],
    [
      'bounds',
      intOf({ minimum: 1, maximum: 9, bits: 8 }),
      { type: 'integer', minimum: 1, maximum: 9 },
    ],
    ['uint', uint, { type: 'integer', minimum: 0 }],
    ['uint with bounds', uintOf({ maximum: 9 }), { type: 'integer', minimum: 0, maximum: 9 }],
    ['duration', duration, { type: 'integer' }],
    ['float', float, { type: 'number' }],
    ['above', floatOf({ exclusiveMinimum: 0 }), { type: 'number', exclusiveMinimum: 0 }],
    ['any', any, {}],
    ['word', seal, { enum: ['open', 'shut'] }],
    ['one word', word('tree'), { const: 'tree' }],
    ['constant', constant(true), { const: true }],
    ['list', list(text), { type: 'array', items: string }],
    ['list with rules', list(text, { minItems: 1 }), { type: 'array', items: string, minItems: 1 }],
    ['list of Go', goList(text), { type: ['array', 'null'], items: string }],
    ['map', map(text), { type: 'object', additionalProperties: string }],
    ['map of Go', goMap(any), { type: ['object', 'null'], additionalProperties: {} }],
    [
      'map of names',
      map(text, textOf({ minLength: 1 })),
      { type: 'object', additionalProperties: string, propertyNames: { minLength: 1 } },
    ],
    ['nullable', nullable(text), { type: ['string', 'null'] }],
    ['nullable bytes', nullable(bytes), { type: ['string', 'null'] }],
    ['nullable word', nullable(seal), { enum: ['open', 'shut', null] }],
    ['nullable any', nullable(any), {}],
    ['one word or null', nullable(word('a')), { enum: ['a', null] }],
    ['described', described(bool, 'On or off'), { type: 'boolean', description: 'On or off' }],
    ['scalars', union(text, floatOf({ minimum: 0 })), { type: ['string', 'number'], minimum: 0 }],
    [
      'union',
      union(word('a', 'b'), list(text)),
      { anyOf: [{ enum: ['a', 'b'] }, storedSchema(list(text))] },
    ],
    [
      'union or null',
      nullable(union(word('a'), list(text))),
      { anyOf: [{ type: 'null' }, { const: 'a' }, storedSchema(list(text))] },
    ],
    [
      'tagged',
      tagged('kind', tree, herb),
      {
        type: 'object',
        required: ['kind'],
        discriminator: { propertyName: 'kind' },
        oneOf: [storedSchema(tree), storedSchema(herb)],
      },
    ],
    [
      'struct',
      struct({ a: text, b: optional(int), c: inputOnly(text), d: withDefault(bool, true) }),
      {
        type: 'object',
        required: ['a', 'd'],
        additionalProperties: false,
        properties: { a: string, b: { type: 'integer' }, d: { type: 'boolean' } },
      },
    ],
    [
      'nullable struct',
      nullable(struct({ a: text })),
      {
        type: ['object', 'null'],
        required: ['a'],
        additionalProperties: false,
        properties: { a: string },
      },
    ],
    [
      'open struct',
      withOthers(struct({ a: described(optional(text), 'It') }), any),
      {
        type: 'object',
        additionalProperties: {},
        properties: { a: { ...string, description: 'It' } },
      },
    ],
  ]

  test.each(cases)('%s', (_name, shape, expected) => {
    const schema = storedSchema(shape)
    expect(schema).toEqual(expected)
    expect(() =>
      new Ajv2020({ discriminator: true, allowUnionTypes: true }).compile(schema),
    ).not.toThrow()
  })
})

const request = struct({
  a: text,
  b: optional(int),
  c: inputOnly(text),
  d: withDefault(bool, true),
  e: vendorNamed('vendors', seal),
})

test('input may omit members with a default', () => {
  expect(inputSchema(request)).toEqual({
    type: 'object',
    required: ['a', 'c', 'e'],
    additionalProperties: false,
    properties: {
      a: { type: 'string' },
      b: { type: 'integer' },
      c: { type: 'string' },
      d: { type: 'boolean', default: true },
      e: { enum: ['open', 'shut'] },
    },
  })
  expect(inputSchema(partial(request))['required']).toBeUndefined()
})

test('sent members may all be null, and words are not checked', () => {
  expect(parsedSchema(request)).toMatchObject({
    required: ['a', 'c', 'd', 'e'],
    properties: { a: { type: ['string', 'null'] }, e: { type: ['string', 'null'] } },
  })
})

test('the vendor dialect has its own names and words', () => {
  expect(storedSchema(request, 'vendor')).toMatchObject({
    required: ['a', 'd', 'vendors'],
    properties: { vendors: { enum: ['open', 'sealed'] } },
  })
})
