import type { JsonSchema } from '../../state/kernel/schema.ts'
import { text, uint } from '../../state/kernel/shape/kinds.ts'
import { described } from '../../state/kernel/shape/members.ts'
import { accessText } from '../http/declare/access.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import { parameters } from '../http/declare/parameters.ts'
import { textApiDocument } from '../http/openapi/text-api-document.ts'
import { apiPrefix } from './coverage.ts'
import { bodyTakes } from './decode.ts'
import { meshOperations } from './operations.ts'

/**
 * Parameters that every request accepts (behaviour/mesh#conventions, behaviour/mesh#namespace and
 * behaviour/mesh#acl).
 */
const commonParameters = parameters({
  ns: described(text, 'The namespace'),
  partition: described(text, '`default`'),
  dc: described(text, 'The only datacenter there is'),
  token: described(text, 'The token, before the one of the header'),
  pretty: described(text, 'The reply in lines; any value'),
})

/** Parameters of reads (behaviour/mesh#reads). */
const readParameters = parameters({
  index: described(uint, 'Wait for something newer'),
  wait: described(text, 'For so long at most: a Go duration'),
  stale: described(text, 'Any server may answer; any value'),
  consistent: described(text, 'The leader asks the others first; any value'),
  cached: described(text, 'Means nothing here; any value'),
  leader: described(text, 'What reads are without `stale`; any value'),
  max_stale: described(text, 'A Go duration'),
})

/** Returns the OpenAPI document of the mesh API. */
export function meshDocument(dialect: DialectName, version: string): JsonSchema {
  return textApiDocument(meshOperations, {
    dialect,
    version,
    title: dialect === 'vendor' ? 'Consul HTTP API' : 'Service Mesh API',
    basePath: apiPrefix,
    tokenHeader: dialect === 'vendor' ? 'X-Consul-Token' : 'X-Mesh-Token',
    bodies: { ignoresUnknown: false, scalarSchemas: bodyTakes },
    access: ({ access }) => accessText(access),
    isOpen: ({ access }) => access === 'anyone',
    parameters: ({ method }) => [...(method === 'GET' ? [readParameters] : []), commonParameters],
    failures: ({ path, access }) => [
      400,
      ...(path.startsWith('/acl/') ? [401] : []),
      ...(access === 'anyone' ? [] : [403]),
      500,
    ],
  })
}
