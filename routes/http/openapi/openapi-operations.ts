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

/** An operation of an API that is called by methods. */
export type RestOperation<Input = ShapeOrSchema> = OperationDeclaration<string, Input> & {
  readonly method: Method
}

/** The facts of an API's document beside its operations. */
interface ApiDocumentOptions<O> {
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
  readonly componentNames?: ReadonlyMap<ShapeOrSchema, string>
  readonly securitySchemes?: Readonly<Record<string, object>>
  /** The manner of an API that is played, which differs from the control plane's. */
  readonly style?: DocumentStyle<O>
}

/** The manner in which an API that is played is described. */
interface DocumentStyle<O> {
  /** Returns what a path says of itself. */
  pathExtensions?(path: string): object
  /** The media type of a reply with a body. */
  mediaType(status: string, operation: O): string
  /** The schema of what is declared in the names of the dialect, the same for the same one. */
  convert(described: ShapeOrSchema): JsonSchema
  /** The replies, where not as they are declared. */
  replies?(operation: O): Replies
  /** The schema of a query's declaration, where parameters are not written as JSON is. */
  query?(declared: ShapeOrSchema): JsonSchema
  /** Returns what operations take in the query, beside what they declare because many take it. */
  parameters(operation: O): readonly ShapeOrSchema[]
  /** The body of a request; undefined for none. */
  body(operation: O): BodyDescription | undefined
  /** The statuses of failures that any operation of its kind may answer, besides those it declares. */
  failures(operation: O): readonly number[]
  /** Says who may ask, where rights decide. */
  access?(operation: O): string | undefined
  /** Tells whether a caller needs no token. */
  isOpen(operation: O): boolean
}

/** The component that the response of every failure is. */
export const failureName = 'Failure'

/** Describes a table of operations as an OpenAPI 3.1 document, paths in the order of the table. */
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

/** A path as documents write it: `/jobs/{id}`. */
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
    method: lowerCase[method],
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
 * The statuses of failures that an operation documents, in order.
 *
 * @param common those that any operation of its kind has
 */
export function failuresOf(
  { failures = [] }: Pick<OperationDeclaration, 'failures'>,
  common: readonly number[] = [],
): readonly number[] {
  return [...new Set([...common, ...failures])].sort((a, b) => a - b)
}

const lowerCase = {
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
  // Where both are the same, documents may call it by a name.
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

/** The members of an object schema as parameters of a query. */
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
