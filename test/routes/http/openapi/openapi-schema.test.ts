import { describe, expect, test } from 'vitest'
import { openApi30Schema, translateSchema } from '../../../../routes/http/openapi/openapi-schema.ts'

describe('behaviour/program#declared-once: JSON Schemas in the dialect of OpenAPI 3.0', () => {
  test.each([
    ['a plain type', { type: 'string', minLength: 1 }, { type: 'string', minLength: 1 }],
    ['a type or null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'null alone',
      { type: 'null', description: 'none', default: null },
      { description: 'none', nullable: true, enum: [null] },
    ],
    [
      'several types',
      { type: ['string', 'array', 'null'], description: 'x', items: { const: 1 } },
      {
        description: 'x',
        anyOf: [
          { type: 'string', items: { enum: [1] } },
          { type: 'array', items: { enum: [1] } },
          { nullable: true, enum: [null] },
        ],
      },
    ],
    ['a constant', { const: 'x' }, { enum: ['x'] }],
    ['a list of anything', { type: 'array' }, { type: 'array', items: {} }],
    ['an empty list of names', { type: 'object', required: [] }, { type: 'object' }],
    ['a list of names', { type: 'object', required: ['a'] }, { type: 'object', required: ['a'] }],
    [
      'limits that are left out of the range',
      { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 9 },
      { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
    ],
    [
      'nested schemas',
      {
        type: 'object',
        properties: { a: { type: ['object', 'null'], additionalProperties: { type: 'null' } } },
        additionalProperties: false,
        anyOf: [{ const: 1 }, true],
        not: false,
      },
      {
        type: 'object',
        properties: {
          a: {
            type: 'object',
            nullable: true,
            additionalProperties: { nullable: true, enum: [null] },
          },
        },
        additionalProperties: false,
        anyOf: [{ enum: [1] }, {}],
        not: { not: {} },
      },
    ],
    [
      'what it cannot say',
      { type: 'array', prefixItems: [{}], $comment: 'x', if: {}, contains: {} },
      { type: 'array', items: {} },
    ],
    [
      'names by pattern and no others',
      { patternProperties: { '^a': { type: 'string' } }, additionalProperties: false },
      { additionalProperties: { anyOf: [{ type: 'string' }] } },
    ],
    [
      'names by pattern and some others',
      { patternProperties: { '^a': { type: 'string' } }, additionalProperties: { const: 1 } },
      { additionalProperties: { anyOf: [{ type: 'string' }, { enum: [1] }] } },
    ],
    [
      'names by pattern and any others',
      { patternProperties: { '^a': { type: 'string' } } },
      { additionalProperties: true },
    ],
  ])('%s', (_what, schema, expected) => {
    expect(openApi30Schema(schema)).toEqual(expected)
  })

  test('descriptions and property names at every depth are translated', () => {
    const loud = (text: string) => text.toUpperCase()
    const schema = {
      description: 'a',
      required: ['b'],
      properties: {
        b: { description: 'b', items: { type: ['string', 'number'], description: 'c' } },
      },
    }
    expect(openApi30Schema(translateSchema(schema, { name: loud, text: loud }))).toEqual({
      description: 'A',
      required: ['B'],
      properties: {
        B: {
          description: 'B',
          items: { description: 'C', anyOf: [{ type: 'string' }, { type: 'number' }] },
        },
      },
    })
  })
})
