import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'

/** What converts to one text, and so to whatever one text converts to. */
const scalarTypes = ['string', 'number', 'boolean', 'null'] as const

const integerTypes = ['integer', 'string', 'boolean', 'null'] as const

/**
 * The JSON Schema of what a field takes: all that its converter in fields.ts converts
 * (behaviour/secrets#weak-typing). What a text must look like is not said: a bad one is
 * refused in the service's own words.
 */
export function acceptedFieldSchema(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case 'text':
      return { type: scalarTypes, ...(shape.format === 'lower' ? { format: 'lowercase' } : {}) }
    case 'int':
      return shape.format === undefined
        ? { type: integerTypes }
        : { type: ['number', 'string', 'null'], format: 'duration' }
    case 'bool':
      return { type: ['boolean', 'string', 'integer', 'null'] }
    case 'list':
      return shape.of.kind === 'any' ? {} : listSchema(shape.of)
    case 'map':
      return mapSchema(shape.of)
    default:
      throw new Error(`fields have no ${shape.kind}`)
  }
}

/** A list, text with commas, or one item alone; an empty object is an empty list. */
function listSchema(of: Shape): JsonSchema {
  return {
    type: ['array', 'object', ...scalarTypes],
    items: { type: of.kind === 'text' ? scalarTypes : integerTypes },
    maxProperties: 0,
  }
}

function mapSchema(of: Shape): JsonSchema {
  // A list of objects is their union.
  if (of.kind === 'any') return { type: ['object', 'array', 'null'] }
  // Texts are `name=value`, or objects as JSON; so are the items of lists.
  return { type: ['object', 'array', 'string', 'null'] }
}
