import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { StructShape } from '../../../state/kernel/shape/kinds.ts'
import {
  inputSchema,
  parsedSchema,
  type ScalarSchemas,
} from '../../../state/kernel/shape/schema.ts'
import type { DialectName } from '../declare/dialect.ts'
import type { Replies } from '../declare/operation.ts'
import {
  inputSchemaOf,
  isStruct,
  replySchemaOf,
  type ShapeOrSchema,
} from '../declare/shape-or-schema.ts'
import { type BodyDescription, ignoredBody } from './openapi.ts'
import { operationsDocument, type RestOperation } from './openapi-operations.ts'
import { type GoDecoding, memoizeByIdentity, requestSchema } from './openapi-schema.ts'

/** An operation of an API whose failures are plain text. */
interface TextApiOperation extends RestOperation<unknown> {
  /** Shape of the body, which a Go decoder reads. */
  readonly body?: unknown
  /** True if the operation receives the body as raw bytes. */
  readonly rawBody?: boolean
}

/** The content of the document of an API whose failures are plain text. */
interface TextApiDocument<O extends TextApiOperation> {
  readonly dialect: DialectName
  readonly version: string
  readonly title: string
  readonly basePath: string
  /** Name of the header that contains the token. */
  readonly tokenHeader: string
  /**
   * Rules for decoding bodies. `scalarSchemas` has the schemas of the scalars that the API decodes
   * in its own way.
   */
  readonly bodies: GoDecoding & { readonly scalarSchemas?: ScalarSchemas }
  /** Schemas of the scalars that the API parses differently in parameters, by kind of scalar. */
  readonly parameterScalarSchemas?: ScalarSchemas
  /** Returns additional members of a path's description, for paths outside the base path. */
  pathExtensions?(path: string): object
  /** Returns query parameters that many operations share, in addition to the declared ones. */
  parameters(operation: O): readonly ShapeOrSchema[]
  /** Returns the replies of an operation. Without this function, the declared replies apply. */
  replies?(operation: O): Replies
  /** Returns the text about the rights that an operation needs. */
  access?(operation: O): string
  /** Returns true if an operation needs no token. */
  isOpen?(operation: O): boolean
  /** Returns the failure statuses that follow from the API's conventions. */
  failures(operation: O): readonly number[]
}

const methodsWithBody: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Builds the document of an API whose replies are JSON and whose failures are plain text
 * (text-api.ts).
 */
export function textApiDocument<O extends TextApiOperation>(
  operations: readonly O[],
  options: TextApiDocument<O>,
): JsonSchema {
  const { dialect, version, title, basePath, tokenHeader, bodies, parameterScalarSchemas } = options
  // Documents compare schemas by identity, so each shape must have a single schema object.
  const bodySchemaOf = memoizeByIdentity((shape: StructShape) =>
    requestSchema(parsedSchema(shape, dialect, bodies.scalarSchemas), bodies),
  )

  function bodyOf({ body, bodyOptional, rawBody, method }: O): BodyDescription | undefined {
    if (!methodsWithBody.has(method) && !(method === 'DELETE' && isStruct(body))) return undefined
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
      token: {
        type: 'apiKey',
        in: 'header',
        name: tokenHeader,
        description: 'Required if ACLs are on',
      },
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
