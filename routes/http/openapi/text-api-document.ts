import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { StructShape } from '../../../state/kernel/shape/kinds.ts'
import {
  inputSchema,
  parsedSchema,
  type ScalarSchemas,
} from '../../../state/kernel/shape/schema.ts'
import type { DialectName } from '../declare/dialect.ts'
import type { Replies } from '../declare/operation.ts'
import { inputSchemaOf, replySchemaOf, type ShapeOrSchema } from '../declare/shape-or-schema.ts'
import { type BodyDescription, ignoredBody } from './openapi.ts'
import { operationsDocument, type RestOperation } from './openapi-operations.ts'
import { type GoDecoding, memoizeByIdentity, requestSchema } from './openapi-schema.ts'

/** An operation of an API whose failures are plain text. */
interface TextApiOperation extends RestOperation<unknown> {
  /** Read by a decoder of Go. */
  readonly body?: unknown
  /** Takes the body as it comes: bytes. */
  readonly rawBody?: boolean
}

/** The content of such an API's document. */
interface TextApiDocument<O extends TextApiOperation> {
  readonly dialect: DialectName
  readonly version: string
  readonly title: string
  readonly basePath: string
  /** The header with the token. */
  readonly tokenHeader: string
  /** How bodies are read, and what of them is taken in a way of the API's own. */
  readonly bodies: GoDecoding & { readonly scalarSchemas?: ScalarSchemas }
  /** What parameters are taken in a way of the API's own. */
  readonly parameterScalarSchemas?: ScalarSchemas
  /** Returns what a path says of itself, where it is not below the base. */
  pathExtensions?(path: string): object
  /** Returns what operations take in the query, beside what they declare because many take it. */
  parameters(operation: O): readonly ShapeOrSchema[]
  /** The replies, where not as they are declared. */
  replies?(operation: O): Replies
  /** Says who may ask, where rights decide. */
  access?(operation: O): string
  /** Tells whether a caller needs no token. */
  isOpen?(operation: O): boolean
  /** The statuses of failures that any operation of its kind may answer. */
  failures(operation: O): readonly number[]
}

const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * The document of an API whose replies are JSON and whose failures are plain text (text-api.ts).
 */
export function textApiDocument<O extends TextApiOperation>(
  operations: readonly O[],
  options: TextApiDocument<O>,
): JsonSchema {
  const { dialect, version, title, basePath, tokenHeader, bodies, parameterScalarSchemas } = options
  // Documents tell schemas apart by identity: one shape has one.
  const bodySchemaOf = memoizeByIdentity((shape: StructShape) =>
    requestSchema(parsedSchema(shape, dialect, bodies.scalarSchemas), bodies),
  )

  function bodyOf({ body, bodyOptional, rawBody, method }: O): BodyDescription | undefined {
    if (!writes.has(method)) return undefined
    if (rawBody === true) {
      return { schema: {}, required: false, mediaType: 'application/octet-stream' }
    }
    if (!isStruct(body)) return ignoredBody
    return {
      schema: bodySchemaOf(body),
      required: bodyOptional !== true,
      mediaType: 'application/json',
    }
  }

  const { replies, pathExtensions } = options
  return operationsDocument(operations, {
    title,
    version,
    basePath,
    failure: { mediaType: 'text/plain', schema: { type: 'string' } },
    securitySchemes: {
      token: { type: 'apiKey', in: 'header', name: tokenHeader, description: 'Where ACLs are on' },
    },
    style: {
      mediaType: (status) => (Number(status) < 400 ? 'application/json' : 'text/plain'),
      convert: (described) => replySchemaOf(described, dialect),
      ...(pathExtensions && { pathExtensions: pathExtensions }),
      ...(replies && { replies: (operation: O) => replies(operation) }),
      query: (declared) =>
        isStruct(declared)
          ? inputSchema(declared, dialect, parameterScalarSchemas)
          : inputSchemaOf(declared),
      parameters: (operation) => options.parameters(operation),
      body: bodyOf,
      failures: (operation) => options.failures(operation),
      access: (operation) => options.access?.(operation),
      isOpen: (operation) => options.isOpen?.(operation) ?? false,
    },
  })
}

function isStruct(declared: unknown): declared is StructShape {
  return (
    typeof declared === 'object' && declared !== null && Reflect.get(declared, 'kind') === 'struct'
  )
}
