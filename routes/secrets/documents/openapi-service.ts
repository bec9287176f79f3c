import { goBooleanTexts } from '../../../state/go/booleans.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import { replySchemaOf, type ShapeOrSchema } from '../../http/declare/shape-or-schema.ts'
import {
  type BodyDescription,
  Components,
  describeReply,
  openApiDocument,
  type PathDescription,
} from '../../http/openapi/openapi.ts'
import { failureName, failuresOf } from '../../http/openapi/openapi-operations.ts'
import { memoizeByIdentity, translateSchema } from '../../http/openapi/openapi-schema.ts'
import { type OperationStatuses, statusesOf } from '../../http/openapi/operation-statuses.ts'
import { createRouter } from '../../http/router/router.ts'
import { formatAccess } from '../access.ts'
import { mountPathOf } from '../coverage.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { secretsEngines } from '../engines.ts'
import { errorSchema } from '../envelope/schemas.ts'
import type { SecretsOperation, SecretsRoute } from '../operation.ts'
import { routeText } from './help.ts'
import { pathParameters, secretsInfo, sharedSchemas, tokenScheme } from './openapi.ts'
import { describeRoute } from './openapi-rows.ts'
import { segmentsOf } from './paths-below.ts'

/**
 * Returns one OpenAPI 3.1 document of the whole API, which does not depend on the mounts of a
 * world. The document contains every operation, with its own id, at the usual mount of its engine.
 * The path of a list operation ends with a slash, to distinguish it from the path of a read.
 */
export function secretsDocument(dialect: SecretsDialect, version: string): JsonSchema {
  const { fieldName } = dialect
  const convert = memoizeByIdentity((described: ShapeOrSchema) =>
    translateSchema(replySchemaOf(described), { name: fieldName }),
  )
  const components = new Components(
    sharedSchemas.map(([name, schema]) => [convert(schema), name]),
    true,
  )
  const failure = components.reference(convert(errorSchema), 'Error')

  function pathOf(mount: string, operation: SecretsOperation, { operations }: SecretsRoute) {
    const alsoLists = operation.verb === 'read' && operations.has('list')
    const { id, verb, path, spec } = operation
    const route = { path, operations: new Map([[verb, operation]]), first: operation }
    const segments = segmentsOf(path)
    return {
      path: `/${mount}/${routeText(segments)}${verb === 'list' ? '/' : ''}`,
      parameters: pathParameters({ segments, mountParameter: undefined }),
      methods: describeRoute(route, convert, { fieldName, acceptsAllForms: true }).map(
        (method) => ({
          ...method,
          id,
          parameters: [...method.parameters, ...(alsoLists ? [noListParameter] : [])],
          body: method.body ?? (verb === 'write' ? bodyWithoutFields(operation) : undefined),
          spec,
          access: formatAccess(operation),
          tags: [mount],
          security: operation.access === 'anyone' ? [] : undefined,
          failures: failuresOf(operation, defaultFailures(operation)),
        }),
      ),
    }
  }

  const paths = new Map<string, PathDescription>()
  for (const { type, operations } of secretsEngines) {
    const mount = mountPathOf(type, dialect.name)
    const { routes } = createRouter(operations, 'mounts', ({ verb }) => verb)
    for (const route of routes) {
      for (const operation of route.operations.values()) {
        const description = pathOf(mount, operation, route)
        const known = paths.get(description.path)
        const methods = [...(known?.methods ?? []), ...description.methods]
        paths.set(description.path, { ...description, methods })
      }
    }
  }
  return openApiDocument([...paths.values()], {
    openapi: '3.1.0',
    info: secretsInfo(dialect, version),
    basePath: '/v1',
    security: [{ token: [] }],
    securitySchemes: tokenScheme(dialect),
    components,
    failure: { $ref: `#/components/responses/${failureName}` },
    responses: { [failureName]: describeReply('400', failure, 'application/json') },
  })
}

/** Returns the statuses that the OpenAPI document declares, by operation. */
export function secretsOperationStatuses(): OperationStatuses {
  const operations = secretsEngines.flatMap((engine) => engine.operations)
  return statusesOf(operations, defaultFailures)
}

/** Query parameter `list` of a read whose path can also be listed. */
const noListParameter = {
  name: 'list',
  in: 'query',
  description: 'Must be false or left out',
  schema: { type: 'string', enum: goBooleanTexts(false) },
}

/** Body of a write that has no fields. Members of the body have no effect. */
const ignoredBody: BodyDescription = {
  schema: { type: ['object', 'null'] },
  required: false,
  mediaType: 'application/json',
  description: 'The body is ignored.',
  anonymous: true,
}

function bodyWithoutFields({ binaryBody: mediaType }: SecretsOperation): BodyDescription {
  if (mediaType === undefined) return ignoredBody
  return { schema: { type: 'string' }, required: false, mediaType, anonymous: true }
}

/**
 * Returns the failure statuses that all operations with these properties have
 * (behaviour/secrets#api-errors): 400; 403 if a token is required; 404, also for a missing
 * namespace; 405 if the path checks the verb first; and 503 unless the operation works while the
 * service is sealed.
 */
function defaultFailures(operation: SecretsOperation): readonly number[] {
  const { access, unenveloped, methods, worksWhileSealed } = operation
  return [
    400,
    ...(access === 'anyone' ? [] : [403]),
    404,
    ...(unenveloped === true || methods === 'checked-first' ? [405] : []),
    ...(worksWhileSealed === true ? [] : [503]),
  ]
}
