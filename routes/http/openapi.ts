import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { Operation } from './operation.ts'

/** What an OpenAPI document says beside its operations. */
export interface OpenApiFacts {
  readonly title: string
  readonly version: string
  readonly description?: string
  /** Where the operations' paths begin: `/_mock`. */
  readonly basePath: string
  /** The body of every failure and its media type. */
  readonly failure: { readonly mediaType: string; readonly schema: JsonSchema }
  /** Goes to `components/schemas`. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>
  /** Bodies that are referred to by the name of a component, by the object that operations declare. */
  readonly named?: ReadonlyMap<JsonSchema, string>
  readonly securitySchemes?: Readonly<Record<string, object>>
}

/** Describes a table of operations as an OpenAPI 3.1 document, paths in the order of the table. */
export function openApiDocument(
  operations: readonly Operation<never>[],
  facts: OpenApiFacts,
): JsonSchema {
  const content = (schema: JsonSchema): object => {
    const name = facts.named?.get(schema)
    return {
      'application/json': {
        schema: name === undefined ? schema : { $ref: `#/components/schemas/${name}` },
      },
    }
  }
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of operations) {
    const path = operation.path.replace(/:([^/]+)/g, '{$1}').replace(/\*$/, '{rest}')
    const item = paths[path] ?? {}
    item[operation.method.toLowerCase()] = describeOperation(operation, content)
    paths[path] = item
  }
  const { title, version, description, failure, securitySchemes } = facts
  return {
    openapi: '3.1.0',
    info: { title, version, ...(description === undefined ? {} : { description }) },
    servers: [{ url: facts.basePath }],
    paths,
    components: {
      schemas: { ...facts.schemas, Failure: failure.schema },
      responses: {
        Failure: {
          description: 'The request failed and changed nothing.',
          content: { [failure.mediaType]: { schema: { $ref: '#/components/schemas/Failure' } } },
        },
      },
      ...(securitySchemes === undefined ? {} : { securitySchemes }),
    },
    ...(securitySchemes === undefined
      ? {}
      : { security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })) }),
  }
}

/** A body's media types. */
export type Content = (schema: JsonSchema) => object

function describeOperation(operation: Operation<never>, content: Content): object {
  const { id, summary, spec, body, reply } = operation
  const parameters = [...pathParameters(operation), ...queryParameters(operation.query)]
  return {
    operationId: id,
    summary,
    'x-spec': spec,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: requiredNames(body).length > 0,
            content: content(body),
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(reply).map(([status, schema]) => [
          status,
          describeReply(status, schema, content),
        ]),
      ),
      default: { $ref: '#/components/responses/Failure' },
    },
  }
}

/** A reply as an OpenAPI response; null means no body. */
export function describeReply(status: string, schema: JsonSchema | null, content: Content): object {
  const description = descriptions[status] ?? (Number(status) < 400 ? 'Done.' : 'Not done.')
  if (schema === null) return { description }
  return { description, content: content(schema) }
}

const descriptions: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; it happens after the answer.',
  204: 'Done; there is nothing to say.',
}

function pathParameters({ path, params }: Operation<never>): object[] {
  const schemas = propertiesOf(params)
  const names = path.split('/').flatMap((segment) => {
    if (segment === '*') return ['*']
    return segment.startsWith(':') ? [segment.slice(1)] : []
  })
  return names.map((name) => ({
    name: name === '*' ? 'rest' : name,
    in: 'path',
    required: true,
    schema: schemas[name] ?? { type: 'string' },
  }))
}

function queryParameters(query: JsonSchema | undefined): object[] {
  const required = new Set(requiredNames(query))
  return Object.entries(propertiesOf(query)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema,
  }))
}

function propertiesOf(schema: JsonSchema | undefined): Record<string, unknown> {
  const properties = schema?.['properties']
  return typeof properties === 'object' && properties !== null ? { ...properties } : {}
}

function requiredNames(schema: JsonSchema | undefined): readonly unknown[] {
  const required = schema?.['required']
  return Array.isArray(required) ? required : []
}
