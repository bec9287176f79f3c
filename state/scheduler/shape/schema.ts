import type { JsonSchema } from '../../kernel/schema.ts'
import type { Shape, StructShape } from './kinds.ts'

/** The schema of stored values of a shape: rows are checked against it on import, replies in tests. */
export function storedSchema(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case 'text':
    case 'time':
      return { type: 'string' }
    case 'bytes':
      return { type: ['string', 'null'] }
    case 'bool':
      return { type: 'boolean' }
    case 'float':
      return { type: 'number' }
    case 'int':
    case 'duration':
      return { type: 'integer' }
    case 'uint':
      return { type: 'integer', minimum: 0 }
    case 'list':
      return { type: ['array', 'null'], items: storedSchema(shape.of) }
    case 'map':
      return { type: ['object', 'null'], additionalProperties: storedSchema(shape.of) }
    case 'pointer':
      return { anyOf: [{ type: 'null' }, storedSchema(shape.to)] }
    case 'any':
      return {}
    case 'struct':
      return structSchema(shape, storedSchema, {})
  }
}

/** The schema of requests and of the parser's output: whatever was not said is null. */
export function sentSchema(shape: Shape): JsonSchema {
  if (shape.kind === 'struct') return structSchema(shape, nullable, { sent: true })
  if (shape.kind === 'list') return { type: ['array', 'null'], items: sentSchema(shape.of) }
  if (shape.kind === 'map') {
    return { type: ['object', 'null'], additionalProperties: sentSchema(shape.of) }
  }
  return shape.kind === 'pointer' ? nullable(shape.to) : storedSchema(shape)
}

function nullable(shape: Shape): JsonSchema {
  return { anyOf: [{ type: 'null' }, sentSchema(shape)] }
}

function structSchema(
  { fields }: StructShape,
  schemaOf: (shape: Shape) => JsonSchema,
  { sent = false }: { readonly sent?: boolean },
): JsonSchema {
  const members = Object.entries(fields).filter(([, { presence }]) => sent || presence !== 'sent')
  return {
    type: 'object',
    required: members.filter(([, { presence }]) => presence !== 'echoed').map(([name]) => name),
    additionalProperties: false,
    properties: Object.fromEntries(members.map(([name, { shape }]) => [name, schemaOf(shape)])),
  }
}
