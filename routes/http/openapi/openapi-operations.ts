import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { Method, OperationDeclaration, Replies } from '../declare/operation.ts'
import { inputSchemaOf, replySchemaOf, type ShapeOrSchema } from '../declare/shape-or-schema.ts'
import {
  type BodyDescription,
  Components,
  type OperationDescription,
  openApiDocument,
  type PathDescription,
} from './openapi.ts'
import { memoizeByIdentity } from './openapi-schema.ts'

/** An operation of an API whose operations are called by HTTP methods. */
export type RestOperation<Input = ShapeOrSchema> = OperationDeclaration<string, Input> & {
  readonly method: Method
}

/** Members of an API's OpenAPI document, except its operations. */
interface ApiDocumentOptions<O> {
  readonly title: string
  readonly version: string
  readonly description?: string
  /** Path prefix of all operations, such as `/_mock`. */
  readonly basePath: string
  /** Media type and body schema of every failure. */
  readonly failure: { readonly mediaType: string; readonly schema: JsonSchema }
  /** Schemas for `components/schemas`. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>
  /**
   * Component names of body schemas. The keys are the objects that operations declare as `body`.
   */
  readonly componentNames?: ReadonlyMap<ShapeOrSchema, string>
  readonly securitySchemes?: Readonly<Record<string, object>>
  /** Style of the document of a mocked API; left out for the control plane. */
  readonly style?: DocumentStyle<O>
}

/** Parts in which the document of a mocked API differs from the document of the control plane. */
interface DocumentStyle<O> {
  /** Returns additional members of a path's description. */
  pathExtensions?(path: string): object
  /** Returns the media type of a reply with a body. */
  mediaType(status: string, operation: O): string
  /**
   * Returns the schema of a declaration, with the names of the dialect. Repeated calls with an
   * object return the same schema object.
   */
  convert(described: ShapeOrSchema): JsonSchema
  /** Returns the replies of an operation. Without this function, the declared replies apply. */
  replies?(operation: O): Replies
  /** Returns the schema of a query; for APIs whose query parameters are not encoded like JSON. */
  query?(declared: ShapeOrSchema): JsonSchema
  /** Returns query parameters that many operations share, in addition to the declared ones. */
  parameters(operation: O): readonly ShapeOrSchema[]
  /** Returns the body of a request; undefined if the operation takes no body. */
  body(operation: O): BodyDescription | undefined
  /**
   * Returns the failure statuses that follow from the API's conventions, in addition to the
   * declared ones.
   */
  failures(operation: O): readonly number[]
  /** Returns the text about the rights that an operation needs; undefined if none are declared. */
  access?(operation: O): string | undefined
  /** Returns true if an operation needs no token. */
  isOpen(operation: O): boolean
}

/** Name of the response component that all failures share. */
export const failureName = 'Failure'

/** Builds an OpenAPI 3.1 document from a table of operations. Paths have the order of the table. */
export function operationsDocument<O extends RestOperation<unknown>>(
  operations: readonly O[],
  options: ApiDocumentOptions<O>,
): JsonSchema {
  const { title, version, description, failure, securitySchemes, schemas, componentNames, style } =
    options
  const convert = memoizeByIdentity(
    (each: ShapeOrSchema) => style?.convert(each) ?? replySchemaOf(each),
  )
  const names = [...(componentNames ?? [])].map(([each, name]) => [convert(each), name] as const)
  const components = new Components(names, style !== undefined)
  Object.assign(components.schemas, schemas)
  const methods = new Map<string, OperationDescription[]>()
  for (const operation of operations) {
    const path = documentPath(operation.path)
    methods.set(path, [...(methods.get(path) ?? []), describe(operation, convert, style)])
  }
  const paths = [...methods].map(
    ([path, each]): PathDescription => ({
      path,
      pathExtensions: style?.pathExtensions?.(path) ?? {},
      methods: each,
    }),
  )
  const response = { $ref: `#/components/responses/${failureName}` }
  const document = openApiDocument(paths, {
    openapi: '3.1.0',
    info: { title, version, ...(description === undefined ? {} : { description }) },
    basePath: options.basePath,
    security: securitySchemes && Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    securitySchemes,
    components,
    failure: response,
    responses: {
      [failureName]: {
        description: 'The request failed and changed nothing.',
        content: {
          [failure.mediaType]: { schema: { $ref: `#/components/schemas/${failureName}` } },
        },
      },
    },
  })
  components.schemas[failureName] = failure.schema
  return document
}

/** Converts a path to the syntax of OpenAPI, such as `/jobs/{id}`. */
function documentPath(path: string): string {
  return path.replace(/:([^/]+)/g, '{$1}').replace(/\*$/, '{rest}')
}

function describe<O extends RestOperation<unknown>>(
  operation: O,
  convert: (described: ShapeOrSchema) => JsonSchema,
  style: DocumentStyle<O> | undefined,
): OperationDescription {
  const { id, method, summary, spec, defaultReply } = operation
  const replies = Object.entries(style?.replies?.(operation) ?? operation.reply).map(
    ([status, schema]) => [status, schema === null ? [] : [convert(schema)]] as const,
  )
  return {
    method: lowerCaseMethods[method],
    id,
    summary,
    spec,
    access: style?.access?.(operation),
    ...(style?.isOpen(operation) === true ? { security: [] } : {}),
    parameters: [
      ...pathParameters(operation),
      ...[operation.query, ...(style?.parameters(operation) ?? [])].flatMap((each) =>
        queryParameters(each, style?.query),
      ),
    ],
    body: bodyOf(operation, convert, style),
    replies: new Map<string, readonly JsonSchema[]>([
      ...replies,
      ...(defaultReply === undefined ? [] : [['default', [convert(defaultReply)]] as const]),
    ]),
    failures: failuresOf(operation, style?.failures(operation)),
    ...(operation.mediaType && { mediaType: () => String(operation.mediaType) }),
    ...(style && { mediaType: (status) => style.mediaType(status, operation) }),
    alternativeMediaTypes: operation.alternativeMediaTypes,
  }
}

/**
 * Returns the failure statuses that an operation documents, in ascending order.
 *
 * @param common statuses that follow from the API's conventions
 */
export function failuresOf(
  { failures = [] }: Pick<OperationDeclaration, 'failures'>,
  common: readonly number[] = [],
): readonly number[] {
  return [...new Set([...common, ...failures])].sort((a, b) => a - b)
}

const lowerCaseMethods = {
  GET: 'get',
  PUT: 'put',
  POST: 'post',
  PATCH: 'patch',
  DELETE: 'delete',
} as const

function bodyOf<O extends RestOperation<unknown>>(
  operation: O,
  convert: (described: ShapeOrSchema) => JsonSchema,
  style: DocumentStyle<O> | undefined,
): OperationDescription['body'] {
  if (style !== undefined) return style.body(operation)
  const { body } = operation
  if (!isObject(body)) return undefined
  const bodySchema = inputSchemaOf(body)
  // A body whose schema is unchanged can be referenced by the name of its component.
  const schema = bodySchema === body ? convert(body) : bodySchema
  return { schema, required: requiredNames(bodySchema).length > 0, mediaType: 'application/json' }
}

function pathParameters({ path, params }: RestOperation<unknown>): object[] {
  const schemas = propertiesOf(params && inputSchemaOf(params))
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

/** Returns the members of an object schema as query parameters. */
function queryParameters(
  query: unknown,
  schemaOf: (declared: ShapeOrSchema) => JsonSchema = (declared) => inputSchemaOf(declared),
): object[] {
  if (!isObject(query)) return []
  const schema = schemaOf(query)
  const required = new Set(requiredNames(schema))
  return Object.entries(propertiesOf(schema)).map(([name, each]) => ({
    name,
    in: 'query',
    required: required.has(name),
    schema: each,
  }))
}

function propertiesOf(schema: JsonSchema | undefined): Record<string, unknown> {
  const properties = schema?.['properties']
  return typeof properties === 'object' && properties !== null ? { ...properties } : {}
}

function requiredNames(schema: JsonSchema): readonly unknown[] {
  const required = schema['required']
  return Array.isArray(required) ? required : []
}

function isObject(value: unknown): value is ShapeOrSchema {
  return typeof value === 'object' && value !== null
}
