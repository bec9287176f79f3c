import type { JsonSchema } from '../../../state/kernel/schema.ts'

/** An operation as a document tells of it. */
export interface OperationDescription {
  readonly method: 'get' | 'put' | 'post' | 'patch' | 'delete'
  readonly id: string
  readonly tags?: readonly string[]
  readonly summary: string
  readonly description?: string | undefined
  readonly spec?: string
  /** Says who may ask, where rights decide. */
  readonly access?: string | undefined
  /** Where it differs from that of the document. */
  readonly security?: readonly object[] | undefined
  readonly parameters: readonly object[]
  readonly body?: BodyDescription | undefined
  /**
   * The bodies that each status may have, of which one holds; none for no body. `default` is there
   * where any other status has a body of its own.
   */
  readonly replies: ReadonlyMap<string, readonly JsonSchema[]>
  /** The media type of its replies; JSON unless given. */
  readonly mediaType?: (status: string) => string
  /** Those of texts that it may give instead. */
  readonly alternativeMediaTypes?: readonly string[] | undefined
  /** Further statuses, with which it fails. */
  readonly failures?: readonly number[]
}

/** The body that a request brings. */
export interface BodyDescription {
  readonly schema: JsonSchema
  readonly required: boolean
  readonly mediaType: string
  readonly description?: string
  /** The schema is no component of its own. */
  readonly anonymous?: boolean
}

/** A body that is passed over, whatever it is. */
export const ignoredBody: BodyDescription = {
  schema: {},
  required: false,
  mediaType: '*/*',
  description: 'Passed over.',
  anonymous: true,
}

/** A path as a document tells of it: `/jobs/{id}`. */
export interface PathDescription {
  readonly path: string
  /** Facts of the path itself, besides its parameters. */
  readonly pathExtensions?: object
  readonly parameters?: readonly object[]
  readonly methods: readonly OperationDescription[]
}

/** A document's facts beside its paths. */
interface DocumentOptions {
  readonly openapi: '3.0.2' | '3.1.0'
  readonly info: object
  /** Where the paths begin; left out for the origin. */
  readonly basePath?: string
  readonly security?: readonly object[] | undefined
  readonly securitySchemes?: Readonly<Record<string, object>> | undefined
  readonly components: Components
  /** The response of everything that fails, and those that operations refer to. */
  readonly failure: object
  readonly responses?: Readonly<Record<string, object>>
}

/** The schemas that a document refers to by name. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  readonly #names: Map<JsonSchema, string>
  readonly #namesAll: boolean

  /**
   * @param names of schemas, by their objects
   * @param namesAll whether other bodies get a name too, that of the first operation that has them
   */
  constructor(names: Iterable<readonly [JsonSchema, string]>, namesAll: boolean) {
    this.#names = new Map(names)
    this.#namesAll = namesAll
  }

  /** A reference to a schema, which is a part of the document from now on; itself without a name. */
  reference(schema: JsonSchema, name: string): JsonSchema {
    const known = this.#names.get(schema) ?? (this.#namesAll ? name : undefined)
    if (known === undefined) return schema
    this.#names.set(schema, known)
    // Where a name is taken already it stands for more than the schema says.
    this.schemas[known] ??= schema
    return { $ref: `#/components/schemas/${known}` }
  }
}

/** Writes an OpenAPI document; paths and operations stand in the order in which they are given. */
export function openApiDocument(
  paths: readonly PathDescription[],
  options: DocumentOptions,
): JsonSchema {
  const { openapi, info, basePath, security, securitySchemes, components, responses } = options
  const documented = paths.map(({ path, pathExtensions, parameters = [], methods }) => [
    path,
    {
      ...pathExtensions,
      ...(parameters.length === 0 ? {} : { parameters }),
      ...Object.fromEntries(methods.map((each) => [each.method, describe(each, options)])),
    },
  ])
  return {
    openapi,
    info,
    ...(basePath === undefined ? {} : { servers: [{ url: basePath }] }),
    ...(security === undefined ? {} : { security }),
    paths: Object.fromEntries(documented),
    components: {
      schemas: components.schemas,
      ...(responses === undefined ? {} : { responses }),
      ...(securitySchemes === undefined ? {} : { securitySchemes }),
    },
  }
}

function describe(documented: OperationDescription, options: DocumentOptions): object {
  const { components, failure } = options
  const { id, tags, summary, description, spec, access, security, parameters, body } = documented
  const {
    replies,
    failures = [],
    mediaType = () => 'application/json',
    alternativeMediaTypes,
  } = documented
  const title = titleOf(id)
  const responseEntries = [...replies].map(([status, bodies]) => {
    const name = `${title}Response${status === '200' ? '' : titleOf(status)}`
    const [first, ...others] = bodies.map((each, at) =>
      components.reference(each, at === 0 ? name : `${name}${at + 1}`),
    )
    const schema = others.length === 0 ? (first ?? null) : { anyOf: [first, ...others] }
    return [
      status,
      describeReply(status, schema, mediaType(status), alternativeMediaTypes),
    ] as const
  })
  return {
    operationId: id,
    ...(tags === undefined ? {} : { tags }),
    summary,
    ...(description === undefined ? {} : { description }),
    ...(spec === undefined ? {} : { 'x-spec': spec }),
    ...(access === undefined ? {} : { 'x-access': access }),
    ...(security === undefined ? {} : { security }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            ...(body.description === undefined ? {} : { description: body.description }),
            required: body.required,
            content: {
              [body.mediaType]: {
                schema: body.anonymous
                  ? body.schema
                  : components.reference(body.schema, `${title}Request`),
              },
            },
          },
        }),
    responses: {
      ...Object.fromEntries(failures.map((status) => [status, failure])),
      ...Object.fromEntries(responseEntries),
      ...(replies.has('default') ? {} : { default: failure }),
    },
  }
}

/** A reply as an OpenAPI response; null means no body. */
export function describeReply(
  status: string,
  schema: JsonSchema | null,
  mediaType: string,
  alternativeMediaTypes: readonly string[] = [],
): object {
  const description = descriptions[status] ?? (Number(status) < 400 ? 'Done.' : 'Not done.')
  if (schema === null) return { description }
  const texts = alternativeMediaTypes.map((type) => [type, { schema: { type: 'string' } }] as const)
  return { description, content: { [mediaType]: { schema }, ...Object.fromEntries(texts) } }
}

const descriptions: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; it happens after the answer.',
  204: 'Done; there is nothing to say.',
}

/** The words of a text as a name of a type: `secret-read-data-path` is `SecretReadDataPath`. */
function titleOf(id: string): string {
  return wordsOf(id)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** Returns what is between signs. */
export function wordsOf(text: string): string[] {
  return text.split(/[^A-Za-z0-9_]+/).filter((word) => word !== '')
}
