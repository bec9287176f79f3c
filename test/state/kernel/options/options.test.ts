import { expect, expectTypeOf, test } from 'vitest'
import { defineOptions, option } from '../../../../state/kernel/options/options.ts'
import { bool, constant, list, text, union, word } from '../../../../state/kernel/shape/kinds.ts'
import { struct } from '../../../../state/kernel/shape/members.ts'

const definition = defineOptions(
  'garden',
  struct({
    open: option(bool, true, 'Whether anybody comes in'),
    soil: option(word('clay', 'sand'), 'clay', 'What it grows in'),
    layers: option(union(constant(1), constant(2)), 2, 'How deep it is'),
    beds: option(list(text), ['east'], 'What there is'),
  }),
)

test('each option has a default, and the schema makes all options optional', () => {
  expectTypeOf(definition.defaults.soil).toEqualTypeOf<'clay' | 'sand'>()
  expectTypeOf(definition.defaults.layers).toEqualTypeOf<1 | 2>()
  expect(definition.defaults).toEqual({ open: true, soil: 'clay', layers: 2, beds: ['east'] })
  expect(definition.defaults).toBe(definition.defaults)
  expect(definition.schema).toEqual({
    type: 'object',
    additionalProperties: false,
    properties: {
      open: { type: 'boolean', description: 'Whether anybody comes in', default: true },
      soil: { enum: ['clay', 'sand'], description: 'What it grows in', default: 'clay' },
      layers: { enum: [1, 2], description: 'How deep it is', default: 2 },
      beds: {
        type: 'array',
        items: { type: 'string' },
        description: 'What there is',
        default: ['east'],
      },
    },
  })
})
