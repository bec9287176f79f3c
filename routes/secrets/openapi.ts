import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { World } from '../../state/kernel/world.ts'
import { type Content, describeReply } from '../http/openapi.ts'
import { namePattern } from '../http/router-mounts.ts'
import type { SecretsDialect } from './dialect.ts'
import { type DescribedMethod, describePlace, schemaConverter } from './openapi-rows.ts'
import { accessNow, type SecretsPlace } from './operation.ts'
import { isParameter } from './paths-below.ts'
import { authEnvelope, errorSchema, keysEnvelope, warningEnvelope } from './schemas.ts'

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
export type OpenApiWriter = (
  world: World,
  version: string,
  paths: readonly DocumentedPath[],
) => JsonSchema

/** Schemas that many operations share. */
const sharedSchemas: readonly (readonly [string, JsonSchema])[] = [
  ['Error', errorSchema],
  ['KeysEnvelope', keysEnvelope],
  ['AuthEnvelope', authEnvelope],
  ['WarningEnvelope', warningEnvelope],
]

/**
 * The writer of OpenAPI 3.0.2 documents (1-secrets-decisions.md section 1, Help) of a dialect. Each
 * declared body is a component, named after the first operation that has it.
 */
export function openApiWriter(dialect: SecretsDialect): OpenApiWriter {
  const text = (neutral: string) => dialect.text(neutral)
  const convert = schemaConverter(text)
  const described = new Map<SecretsPlace, readonly DescribedMethod[]>()

  function methodsOf(place: SecretsPlace): readonly DescribedMethod[] {
    const methods = described.get(place) ?? describePlace(place, convert, text)
    described.set(place, methods)
    return methods
  }

  /** What the reference says of paths beyond OpenAPI, in names of the dialect. */
  function marksOf(methods: readonly DescribedMethod[], world: World): object {
    const prefix = dialect.headerPrefix.toLowerCase()
    const needsSudo = methods.some(({ operations }) =>
      operations.some((operation) => accessNow(operation, world) === 'sudo'),
    )
    const needsNoToken = methods.every((method) => isOpen(method, world))
    return {
      ...(needsSudo ? { [`${prefix}sudo`]: true } : {}),
      ...(needsNoToken ? { [`${prefix}unauthenticated`]: true } : {}),
    }
  }

  return (world, version, documented) => {
    const components = new Components(
      sharedSchemas.map(([name, schema]) => [convert(schema), name]),
    )
    const failure = components.refer(convert(errorSchema), 'Error')
    const ids = new Set<string>()
    const paths: Record<string, object> = {}
    for (const at of documented) {
      const methods = methodsOf(at.place)
      const parameters = pathParameters(at)
      const operations = methods.map((method) => {
        const id = unused(operationId(at, method), ids)
        return [method.method, describe(method, id, at.tag, { components, failure, world })]
      })
      paths[at.path] = {
        ...marksOf(methods, world),
        ...(parameters.length === 0 ? {} : { parameters }),
        ...Object.fromEntries(operations),
      }
    }
    return {
      openapi: '3.0.2',
      info: {
        title: text('Secrets Management Service API'),
        description: text(
          'HTTP API that gives full access to the Service. All routes begin with `/v1/`.',
        ),
        version,
        license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      },
      security: [{ token: [] }],
      paths,
      components: {
        schemas: components.schemas,
        securitySchemes: {
          token: { type: 'apiKey', in: 'header', name: `${dialect.headerPrefix}Token` },
        },
      },
    }
  }
}

/** The schemas that a document refers to by name. */
class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  readonly #names: Map<JsonSchema, string>

  constructor(names: Iterable<readonly [JsonSchema, string]>) {
    this.#names = new Map(names)
  }

  /** A reference to a schema, which is a part of the document from now on; `name` if it has none. */
  refer(schema: JsonSchema, name: string): JsonSchema {
    const known = this.#names.get(schema) ?? name
    this.#names.set(schema, known)
    this.schemas[known] = schema
    return { $ref: `#/components/schemas/${known}` }
  }
}

/** A body that is JSON. */
const json: Content = (schema) => ({ 'application/json': { schema } })

/** What the operations of a document share. */
interface Context {
  readonly components: Components
  /** The body of failures. */
  readonly failure: JsonSchema
  readonly world: World
}

function describe(
  { method, summary, description, query, body, mediaType, replies, ...more }: DescribedMethod,
  id: string,
  tag: string,
  { components, failure, world }: Context,
): object {
  const title = titleOf(id)
  const answers = [...replies].map(([status, bodies]) => {
    const name = `${title}Response${status === '200' ? '' : titleOf(status)}`
    const [first, ...others] = bodies.map((body, at) =>
      components.refer(body, at === 0 ? name : `${name}${at + 1}`),
    )
    const either = { anyOf: [first, ...others] }
    const schema = others.length === 0 ? (first ?? null) : either
    return [status, describeReply(status, schema, json)] as const
  })
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(isOpen(more, world) ? { security: [] } : {}),
    ...(query.length === 0 ? {} : { parameters: query }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.required,
            content: {
              [mediaType]: { schema: components.refer(body.schema, `${title}Request`) },
            },
          },
        }),
    responses: {
      ...Object.fromEntries(answers),
      ...(replies.has('default') ? {} : { default: describeReply('400', failure, json) }),
    },
  }
}

/** Whether a method asks for no token now. */
function isOpen({ operations }: Pick<DescribedMethod, 'operations'>, world: World): boolean {
  return operations.every((operation) => accessNow(operation, world) === 'anyone')
}

function pathParameters({ segments, mountParameter }: DocumentedPath): object[] {
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
function operationId({ mount, place }: DocumentedPath, { verb }: DescribedMethod): string {
  return [...wordsOf(mount), verb, ...wordsOf(place.path)].join('-').toLowerCase()
}

function wordsOf(text: string): string[] {
  return text.split(/[^A-Za-z0-9_]+/).filter((word) => word !== '')
}

/** `secret-read-data-path` as the name of a type: `SecretReadDataPath`. */
function titleOf(id: string): string {
  return wordsOf(id)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** An id that the document does not have yet; takes it. */
function unused(id: string, ids: Set<string>): string {
  let free = id
  for (let count = 2; ids.has(free); count++) free = `${id}-${count}`
  ids.add(free)
  return free
}
