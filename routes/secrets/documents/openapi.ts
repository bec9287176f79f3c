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
import type { SecretsDialect } from '../dialect/dialect.ts'
import { authEnvelope, errorSchema, keysEnvelope, warningEnvelope } from '../envelope/schemas.ts'
import { message } from '../messages.ts'
import { effectiveAccess, isUnauthenticated, type SecretsPlace } from '../operation.ts'
import { describePlace, type PathMethod } from './openapi-rows.ts'
import { isParameter } from './paths-below.ts'

/** A path to describe: a place of an engine and where it is to be found. */
export interface DocumentedPath {
  readonly place: SecretsPlace
  /** The path in the document: `/secret/data/{path}`. */
  readonly path: string
  /** The part of the place's pattern that the document's path still has. */
  readonly segments: readonly string[]
  /** The mount's path in a generic document, and what it is here. */
  readonly mountParameter: { readonly name: string; readonly mount: string } | undefined
  /** Where the place's mount is: the ids of its operations begin so. */
  readonly mount: string
  readonly tag: string
}

/** Makes OpenAPI documents. What it says of a place it works out once. */
type OpenApiWriter = (world: World, version: string, paths: readonly DocumentedPath[]) => JsonSchema

/** Schemas that many operations share. */
export const sharedSchemas: readonly (readonly [string, Shape])[] = [
  ['Error', errorSchema],
  ['KeysEnvelope', keysEnvelope],
  ['AuthEnvelope', authEnvelope],
  ['WarningEnvelope', warningEnvelope],
]

/**
 * The writer of OpenAPI 3.0.2 documents (behaviour/secrets#help) of a dialect. Each
 * declared body is a component, named after the first operation that has it.
 */
export function openApiWriter(dialect: SecretsDialect): OpenApiWriter {
  const { fieldName } = dialect
  const convert = memoizeByIdentity((described: ShapeOrSchema) =>
    openApi30Schema(translateSchema(replySchemaOf(described), { name: fieldName })),
  )
  const described = new Map<SecretsPlace, readonly PathMethod[]>()

  function methodsOf(place: SecretsPlace): readonly PathMethod[] {
    const methods =
      described.get(place) ?? describePlace(place, convert, { fieldName, acceptsAllForms: false })
    described.set(place, methods)
    return methods
  }

  /** Returns what the reference says of paths beyond OpenAPI, in names of the dialect. */
  function extensionsOf(methods: readonly PathMethod[], world: World): object {
    const prefix = dialect.headerPrefix.toLowerCase()
    const needsSudo = methods.some(({ operations }) =>
      operations.some((operation) => effectiveAccess(operation, world) === 'sudo'),
    )
    const unauthenticated = methods.every((method) => needsNoToken(method, world))
    return {
      ...(needsSudo ? { [`${prefix}sudo`]: true } : {}),
      ...(unauthenticated ? { [`${prefix}unauthenticated`]: true } : {}),
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
      const methods = methodsOf(at.place)
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

/** Returns what documents say of the service as a whole. */
export function secretsInfo(dialect: SecretsDialect, version: string): object {
  return {
    title: dialect.render(message('api-title')),
    description: dialect.render(message('api-description')),
    version,
    license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
  }
}

/** Returns how callers show their token. */
export function tokenScheme({ headerPrefix }: SecretsDialect): Readonly<Record<string, object>> {
  return { token: { type: 'apiKey', in: 'header', name: `${headerPrefix}Token` } }
}

/** Tells whether a method asks for no token now: its read and its list, where it is both. */
function needsNoToken({ operations }: PathMethod, world: World): boolean {
  return operations.every((operation) => isUnauthenticated(operation, world))
}

/** The parameters of a path: of its mount, where that is one, and of its own. */
export function pathParameters({
  segments,
  mountParameter,
}: Pick<DocumentedPath, 'segments' | 'mountParameter'>): object[] {
  const parameters = segments.filter(isParameter).map((segment) => {
    const rest = segment.startsWith('*')
    return {
      name: segment.slice(1),
      in: 'path',
      required: true,
      description: rest ? 'The rest of the path; it may hold slashes' : 'One name of the path',
      schema: { type: 'string', ...(rest ? {} : { pattern: `^${namePattern}$` }) },
    }
  })
  if (mountParameter === undefined) return parameters
  const { name, mount } = mountParameter
  const schema = { type: 'string', default: mount }
  const description = 'Path of the mount'
  return [{ name, in: 'path', required: true, description, schema }, ...parameters]
}

/** The mount, the verb and the pattern: `secret-read-data-path`. */
function operationId({ mount, place }: DocumentedPath, { verb }: PathMethod): string {
  return [...wordsOf(mount), verb, ...wordsOf(place.path)].join('-').toLowerCase()
}

/** An id that the document does not have yet; takes it. */
function uniqueId(id: string, ids: Set<string>): string {
  let unusedId = id
  for (let count = 2; ids.has(unusedId); count++) unusedId = `${id}-${count}`
  ids.add(unusedId)
  return unusedId
}
