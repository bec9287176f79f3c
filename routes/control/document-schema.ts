import { kernelTables } from '../../state/kernel/document.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { ServiceDefinition } from '../../state/kernel/service.ts'
import type { TableDefinition } from '../../state/kernel/table.ts'
import { worldPartSchema } from './documents.ts'

/**
 * The state document as one schema, for readers of the OpenAPI document. `checkDocument` checks the
 * same parts one by one, which names mistakes better.
 */
export function declaredDocument(services: readonly ServiceDefinition[]): JsonSchema {
  return closed({
    world: {
      ...worldPartSchema,
      properties: { ...worldPartSchema.properties, tables: tables(kernelTables) },
    },
    options: closed(
      Object.fromEntries(services.map(({ name, options }) => [name, options.schema])),
    ),
    ...Object.fromEntries(
      services.map((service) => [
        service.name,
        closed({ ...service.fixtures, tables: tables(service.tables) }),
      ]),
    ),
  })
}

function tables(definitions: readonly TableDefinition[]): JsonSchema {
  return closed(
    Object.fromEntries(
      definitions.map(({ name, schema }) => [
        name,
        { type: 'object', additionalProperties: schema, description: 'Rows by key' },
      ]),
    ),
  )
}

function closed(properties: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: false, properties }
}
