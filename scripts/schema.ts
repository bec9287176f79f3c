import { declaredDocument } from '../routes/control/state/document-schema.ts'
import { services } from '../src/services.ts'
import type { JsonSchema } from '../state/kernel/schema.ts'

/**
 * Returns the JSON Schema of fixtures and world options for editors:
 * `infra-understudy/schema.json`. The schema of the options is `#/$defs/options`.
 */
export function fixturesSchema(): JsonSchema {
  const document = declaredDocument(services.map(({ state }) => state))
  const { options, ...parts } = document['properties'] as JsonSchema
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Fixtures of infra-understudy',
    ...document,
    properties: { ...parts, options: { $ref: '#/$defs/options' } },
    $defs: { options },
  }
}
