import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { acceptedFieldSchema } from '../../../../routes/secrets/fields/accepted-schemas.ts'
import {
  headers,
  lowerCaseText,
  seconds,
  signedSeconds,
} from '../../../../routes/secrets/fields/field-kinds.ts'
import { compileFields, type FieldSchemas } from '../../../../routes/secrets/fields/fields.ts'
import type { Json } from '../../../../state/kernel/json.ts'
import {
  any,
  bool,
  int,
  list,
  map,
  type Shape,
  text,
} from '../../../../state/kernel/shape/kinds.ts'

const kinds = {
  text,
  lower: lowerCaseText,
  int,
  seconds,
  signedSeconds,
  bool,
  texts: list(text),
  integers: list(int),
  values: list(any),
  object: map(any),
  pairs: map(text),
  headers,
} satisfies FieldSchemas

/** Values of all sorts, some of which each kind of field accepts. */
const values = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.integer(),
  fc.constantFrom('1h', '2d', 'true', '3', 'a,b', 'a=b', 'a:b', '', '{"a":"b"}'),
  fc.array(fc.oneof(fc.constantFrom('1', 'a=b', 'a:b'), fc.integer()), { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.constantFrom('b', 1, true), { maxKeys: 3 }),
)

function converts(name: string, shape: Shape, value: Json): boolean {
  try {
    compileFields({ [name]: shape })({ [name]: value })
    return true
  } catch {
    return false
  }
}

describe('behaviour/secrets#weak-typing: schemas of fields in documents', () => {
  test.each(Object.entries<Shape>(kinds))(
    'every value that %s accepts matches its schema',
    (name, shape) => {
      const fits = new Ajv2020({ strict: false, validateFormats: false }).compile(
        acceptedFieldSchema(shape),
      )
      let taken = 0
      fc.assert(
        fc.property(values, (value) => {
          if (!converts(name, shape, value as Json)) return
          taken++
          expect([value, fits(value)]).toEqual([value, true])
        }),
        { numRuns: 300 },
      )
      expect(taken).toBeGreaterThan(0)
    },
  )

  test.each([
    ['int', int, {}],
    ['bool', bool, []],
    ['texts', list(text), { a: 1 }],
    ['object', map(any), 'x'],
    ['seconds', seconds, true],
  ] as const)('%s does not match values that it never accepts', (_name, shape, value) => {
    expect(
      new Ajv2020({ strict: false, validateFormats: false }).validate(
        acceptedFieldSchema(shape),
        value,
      ),
    ).toBe(false)
  })
})
