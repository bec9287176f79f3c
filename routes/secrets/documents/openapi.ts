import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { replySchemaOf, type ShapeOrSchema } from '../../http/declare/shape-or-schema.ts'
import {
  Components,
  describeReply,
  openApiDocument,
  type PathDescription,
  wordsOf,
} from '../../http/openapi/openapi.ts'
import {
  memoizeByIdentity,
  openApi30Schema,
  translateSchema,
} from '../../http/openapi/openapi-schema.ts'
import { namePattern } from '../../http/router/router-mounts.ts'
import { effectiveAccess, isUnauthenticated } from '../access.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { authEnvelope, errorSchema, keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { message } from '../messages.ts'
import type { SecretsRoute } from '../operation.ts'
import { describeRoute, type PathMethod } from './openapi-rows.ts'
import { isParameter } from './paths-below.ts'

/** A route of an engine to describe, with its path in the document. */
export interface DocumentedPath {
  readonly route: SecretsRoute
  /** Path in the document: `/secret/data/{path}`. */
  readonly path: string
  /** Segments of the route's pattern that the path in the document contains. */
  readonly segments: readonly string[]
  /**
   * Parameter that replaces the path of the mount in a generic document, with the actual path of
   * the mount. Undefined if the document contains the path of the mount itself.
   */
  readonly mountParameter: { readonly name: string; readonly mount: string } | undefined
  /** Path of the mount, with which operation ids begin. */
  readonly mount: string
  readonly tag: string
}

/** Function that writes an OpenAPI document and caches the descriptions of routes. */
type OpenApiWriter = (world: World, version: string, paths: readonly DocumentedPath[]) => JsonSchema

/** Schemas that documents define as named components, because many operations share them. */
export const sharedSchemas: readonly (readonly [string, Shape])[] = [
  ['Error', errorSchema],
  ['KeysEnvelope', keysEnvelope],
  ['AuthEnvelope', authEnvelope],
  ['WarningEnvelope', warningEnvelope],
]

/**
 * Creates the writer of a dialect's OpenAPI 3.0.2 documents (behaviour/secrets#help). Each declared
 * body becomes a component. The name of the component comes from `sharedSchemas` or, for other
 * bodies, from the first operation that has the body.
 */
export function openApiWriter(dialect: SecretsDialect): OpenApiWriter {
  const { fieldName } = dialect
  const convert = memoizeByIdentity((described: ShapeOrSchema) =>
    openApi30Schema(translateSchema(replySchemaOf(described), { name: fieldName })),
  )
  const methodsByRoute = new Map<SecretsRoute, readonly PathMethod[]>()

  function methodsOf(route: SecretsRoute): readonly PathMethod[] {
    const methods =
      methodsByRoute.get(route) ??
      describeRoute(route, convert, { fieldName, acceptsAllForms: false })
    methodsByRoute.set(route, methods)
    return methods
  }

  /**
   * Returns the OpenAPI extensions with which the reference describes a path, under the dialect's
   * names.
   */
  function extensionsOf(methods: readonly PathMethod[], world: World): object {
    const prefix = dialect.headerPrefix.toLowerCase()
    const needsSudo = methods.some(({ operations }) =>
      operations.some((operation) => effectiveAccess(operation, world) === 'sudo'),
    )
    const areUnauthenticated = methods.every((method) => needsNoToken(method, world))
    return {
      ...(needsSudo ? { [`${prefix}sudo`]: true } : {}),
      ...(areUnauthenticated ? { [`${prefix}unauthenticated`]: true } : {}),
    }
  }

  return (world, version, documented) => {
    const components = new Components(
      sharedSchemas.map(([name, schema]) => [convert(schema), name]),
      true,
    )
    const failure = components.reference(convert(errorSchema), 'Error')
    const ids = new Set<string>()
    const paths = documented.map((at): PathDescription => {
      const methods = methodsOf(at.route)
      return {
        path: at.path,
        pathExtensions: extensionsOf(methods, world),
        parameters: pathParameters(at),
        methods: methods.map((method) => ({
          ...method,
          id: uniqueId(operationId(at, method), ids),
          tags: [at.tag],
          security: needsNoToken(method, world) ? [] : undefined,
        })),
      }
    })
    return openApiDocument(paths, {
      openapi: '3.0.2',
      info: secretsInfo(dialect, version),
      security: [{ token: [] }],
      securitySchemes: tokenScheme(dialect),
      components,
      failure: describeReply('400', failure, 'application/json'),
    })
  }
}

/** Returns the `info` member of documents. */
export function secretsInfo(dialect: SecretsDialect, version: string): object {
  return {
    title: dialect.render(message('api-title')),
    description: dialect.render(message('api-description')),
    version,
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  }
}

/** Returns the security scheme of the token header. */
export function tokenScheme({ headerPrefix }: SecretsDialect): Readonly<Record<string, object>> {
  return { token: { type: 'apiKey', in: 'header', name: `${headerPrefix}Token` } }
}

/**
 * Returns whether a method needs no token in a world. If a read and a list share the method,
 * neither may need a token.
 */
function needsNoToken({ operations }: PathMethod, world: World): boolean {
  return operations.every((operation) => isUnauthenticated(operation, world))
}

/**
 * Returns the parameters of a path, including the parameter for the mount if the path is generic.
 */
export function pathParameters({
  segments,
  mountParameter,
}: Pick<DocumentedPath, 'segments' | 'mountParameter'>): object[] {
  const parameters = segments.filter(isParameter).map((segment) => {
    const takesSlashes = segment.startsWith('*')
    return {
      name: segment.slice(1),
      in: 'path',
      required: true,
      description: takesSlashes
        ? 'The rest of the path; it may hold slashes'
        : 'One name of the path',
      schema: { type: 'string', ...(takesSlashes ? {} : { pattern: `^${namePattern}$` }) },
    }
  })
  if (mountParameter === undefined) return parameters
  const { name, mount } = mountParameter
  const schema = { type: 'string', default: mount }
  const description = 'Path of the mount'
  return [{ name, in: 'path', required: true, description, schema }, ...parameters]
}

/** Builds an operation id from mount, verb and pattern: `secret-read-data-path`. */
function operationId({ mount, route }: DocumentedPath, { verb }: PathMethod): string {
  return [...wordsOf(mount), verb, ...wordsOf(route.path)].join('-').toLowerCase()
}

/**
 * Returns an id that is unique in the document, and adds it to `ids`. If the given id is in use,
 * the result has a number as a suffix.
 */
function uniqueId(id: string, ids: Set<string>): string {
  let unusedId = id
  for (let count = 2; ids.has(unusedId); count++) unusedId = `${id}-${count}`
  ids.add(unusedId)
  return unusedId
}
