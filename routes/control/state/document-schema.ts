import { controlOptions } from '../../../state/kernel/options/control-options.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { TableDefinition } from '../../../state/kernel/store/table.ts'
import {
  documentFormat,
  kernelTables,
  retiredKernelTables,
} from '../../../state/kernel/worlds/document.ts'
import type { ServiceDefinition } from '../../../state/kernel/worlds/service.ts'
import { formatSchema, worldPartSchema } from './documents.ts'

/**
 * Returns a single schema of state documents, for the OpenAPI document. `checkDocument` validates
 * the parts of a document separately, which leads to better messages.
 */
export function declaredDocument(services: readonly ServiceDefinition[]): JsonSchema {
  return closedObject({
    format: {
      ...formatSchema,
      maximum: documentFormat,
      description: 'Version of the document format; 1 if left out',
    },
    world: {
      ...worldPartSchema,
      properties: {
        ...worldPartSchema.properties,
        tables: tablesSchema(kernelTables, retiredKernelTables),
      },
    },
    options: closedObject(
      Object.fromEntries([
        ...services.map(({ name, options }) => [name, options.schema]),
        [controlOptions.service, controlOptions.schema],
      ]),
    ),
    ...Object.fromEntries(
      services.map((service) => [
        service.name,
        closedObject({
          ...service.fixtures,
          tables: tablesSchema(service.tables, service.retiredTables),
        }),
      ]),
    ),
  })
}

function tablesSchema(definitions: readonly TableDefinition[], retired: readonly string[] = []) {
  const rows = definitions.map(({ name, schema }) => [
    name,
    { type: 'object', additionalProperties: schema, description: 'Rows by key' },
  ])
  const ignored = retired.map((name) => [
    name,
    { deprecated: true, description: 'Ignored; documents of earlier versions have this member' },
  ])
  return closedObject(Object.fromEntries([...rows, ...ignored]))
}

function closedObject(properties: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: false, properties }
}
