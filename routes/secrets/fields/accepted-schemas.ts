import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'

/**
 * JSON types that can be converted to text, and therefore also to every type to which text can be
 * converted.
 */
const scalarTypes = ['string', 'number', 'boolean', 'null'] as const

const integerTypes = ['integer', 'string', 'boolean', 'null'] as const

/**
 * Returns the JSON Schema of all values that the converter of a field accepts
 * (behaviour/secrets#weak-typing). The schema does not restrict the form of texts, because the
 * service refuses an invalid text with its own message. Throws an error for a shape that fields
 * cannot have.
 */
export function acceptedFieldSchema(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case 'text':
      return { type: scalarTypes, ...(shape.format === 'lower' ? { format: 'lowercase' } : {}) }
    case 'int':
      return shape.format === undefined
        ? { type: integerTypes }
        : { type: ['number', 'string', 'null'], format: 'duration' }
    case 'float':
      return { type: ['number', 'string', 'boolean', 'null'] }
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

/**
 * Returns the schema of all values that count as a list: an array, comma-separated text, or a
 * single item. An empty object counts as an empty list.
 */
function listSchema(itemShape: Shape): JsonSchema {
  return {
    type: ['array', 'object', ...scalarTypes],
    items: { type: itemShape.kind === 'text' ? scalarTypes : integerTypes },
    maxProperties: 0,
  }
}

function mapSchema(valueShape: Shape): JsonSchema {
  // A list of objects is merged into one object.
  if (valueShape.kind === 'any') return { type: ['object', 'array', 'null'] }
  // A string, or a string in an array, contains pairs such as `name=value`. Headers may also be a
  // JSON object in a string.
  return { type: ['object', 'array', 'string', 'null'] }
}
