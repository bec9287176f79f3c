import type { JsonSchema } from '../../state/kernel/schema.ts'
import { text, uint } from '../../state/kernel/shape/kinds.ts'
import { described } from '../../state/kernel/shape/members.ts'
import { sentSchema } from '../../state/kernel/shape/schema.ts'
import { answeredSchema } from '../http/described.ts'
import type { DialectName } from '../http/dialect.ts'
import { operationsDocument } from '../http/openapi-operations.ts'
import { requestSchema } from '../http/openapi-schema.ts'
import { parameters } from '../http/parameters.ts'
import { apiPrefix } from './coverage.ts'
import type { MeshOperation } from './operation.ts'
import { meshOperations } from './operations.ts'

/** Parameters that any request may have (3a-mesh-decisions.md sections 1, 2 and 5). */
const common = parameters({
  ns: described(text, 'The namespace'),
  partition: described(text, '`default`'),
  dc: described(text, 'The only datacenter there is'),
  token: described(text, 'The token, before the one of the header'),
  pretty: described(text, 'The reply in lines; any value'),
})

/** Parameters of reads (section 4). */
const reading = parameters({
  index: described(uint, 'Wait for something newer'),
  wait: described(text, 'For so long at most: a Go duration'),
  stale: described(text, 'Any server may answer; any value'),
  consistent: described(text, 'The leader asks the others first; any value'),
  cached: described(text, 'Means nothing here; any value'),
  max_stale: described(text, 'A Go duration'),
})

/** The mesh API as an OpenAPI document. */
export function meshDocument(dialect: DialectName, version: string): JsonSchema {
  const bodies = new Map<MeshOperation['body'], JsonSchema>()

  function bodyOf({ body, rawBody }: MeshOperation) {
    if (rawBody === true) {
      return { schema: {}, required: false, mediaType: 'application/octet-stream' }
    }
    if (body === undefined) return undefined
    const made = bodies.get(body) ?? requestSchema(sentSchema(body, dialect), { passesOver: false })
    bodies.set(body, made)
    return { schema: made, required: true, mediaType: 'application/json' }
  }

  return operationsDocument(meshOperations, {
    title: dialect === 'vendor' ? 'Consul HTTP API' : 'Service Mesh API',
    version,
    basePath: apiPrefix,
    failure: { mediaType: 'text/plain', schema: { type: 'string' } },
    securitySchemes: {
      token: {
        type: 'apiKey',
        in: 'header',
        name: dialect === 'vendor' ? 'X-Consul-Token' : 'X-Mesh-Token',
        description: 'Where ACLs are on',
      },
    },
    manner: {
      mediaType: (status) => (Number(status) < 400 ? 'application/json' : 'text/plain'),
      convert: (described) => answeredSchema(described, dialect),
      parameters({ method }) {
        return [...(method === 'GET' ? [reading] : []), common]
      },
      body: bodyOf,
      failures: ({ path }) => [400, ...(path.startsWith('/acl/') ? [401] : []), 403, 500],
      isOpen: () => false,
    },
  })
}
