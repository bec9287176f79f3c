import { definedMembers } from '../../../state/kernel/objects.ts'
import type { JsonSchema } from '../../../state/kernel/schema.ts'

/** An operation of a document before its schemas are replaced by references to components. */
export interface OperationDescription {
  readonly method: 'get' | 'put' | 'post' | 'patch' | 'delete'
  readonly id: string
  readonly tags?: readonly string[]
  readonly summary: string
  readonly description?: string | undefined
  readonly spec?: string
  /** Text about the rights that the operation needs. */
  readonly access?: string | undefined
  /** Security requirements, if they differ from those of the whole document. */
  readonly security?: readonly object[] | undefined
  readonly parameters: readonly object[]
  readonly body?: BodyDescription | undefined
  /**
   * Alternative bodies of each status. An empty list means that there is no body. The key `default`
   * describes the body of any other status.
   */
  readonly replies: ReadonlyMap<string, readonly JsonSchema[]>
  /** Returns the media type of a reply. Default: JSON. */
  readonly mediaType?: (status: string) => string
  /** Text media types in which the operation can return its reply instead. */
  readonly alternativeMediaTypes?: readonly string[] | undefined
  /** Failure statuses of the operation. Each of them has the response `failure` of the document. */
  readonly failures?: readonly number[]
}

export interface BodyDescription {
  readonly schema: JsonSchema
  readonly required: boolean
  readonly mediaType: string
  readonly description?: string
  /** True if the schema is not made a component. */
  readonly anonymous?: boolean
}

/** A request body that is accepted but ignored. */
export const ignoredBody: BodyDescription = {
  schema: {},
  required: false,
  mediaType: '*/*',
  description: 'Accepted and ignored.',
  anonymous: true,
}

/** A path in the syntax of documents, such as `/jobs/{id}`, with its operations. */
export interface PathDescription {
  readonly path: string
  /** Additional members of the path's description, apart from its parameters. */
  readonly pathExtensions?: object
  readonly parameters?: readonly object[]
  readonly methods: readonly OperationDescription[]
}

/** Members of an OpenAPI document, except its paths. */
interface DocumentOptions {
  readonly openapi: '3.0.2' | '3.1.0'
  readonly info: object
  /** Base path of all paths; if left out, the origin. */
  readonly basePath?: string
  readonly security?: readonly object[] | undefined
  readonly securitySchemes?: Readonly<Record<string, object>> | undefined
  readonly components: Components
  /** The response of all failures: a response object, or a reference to a member of `responses`. */
  readonly failure: object
  readonly responses?: Readonly<Record<string, object>>
}

/** The schemas to which a document refers by name. */
export class Components {
  readonly schemas: Record<string, JsonSchema> = {}
  readonly #names: Map<JsonSchema, string>
  readonly #namesAll: boolean

  /**
   * @param names names of schemas, by their objects
   * @param namesAll true if schemas that `names` does not contain are named after the first
   *   operation that uses them
   */
  constructor(names: Iterable<readonly [JsonSchema, string]>, namesAll: boolean) {
    this.#names = new Map(names)
    this.#namesAll = namesAll
  }

  /**
   * Adds a schema to the document and returns a reference to the schema. The schema has its name in
   * `names`, otherwise the given `name`. A schema that `names` does not contain is returned
   * unchanged and not added unless `namesAll` is true.
   */
  reference(schema: JsonSchema, name: string): JsonSchema {
    const known = this.#names.get(schema) ?? (this.#namesAll ? name : undefined)
    if (known === undefined) return schema
    this.#names.set(schema, known)
    // If a schema of this name exists, the existing schema is more complete and stays.
    this.schemas[known] ??= schema
    return { $ref: `#/components/schemas/${known}` }
  }
}

/**
 * Builds an OpenAPI document, and adds the schemas of its operations to `components`. Paths and
 * operations keep their order.
 */
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
    ...definedMembers({
      servers: basePath === undefined ? undefined : [{ url: basePath }],
      security,
    }),
    paths: Object.fromEntries(documented),
    components: definedMembers({ schemas: components.schemas, responses, securitySchemes }),
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
  const bodySchema =
    body === undefined || body.anonymous
      ? body?.schema
      : components.reference(body.schema, `${title}Request`)
  return definedMembers({
    operationId: id,
    tags,
    summary,
    description,
    'x-spec': spec,
    'x-access': access,
    security,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody:
      body &&
      definedMembers({
        description: body.description,
        required: body.required,
        content: { [body.mediaType]: { schema: bodySchema } },
      }),
    responses: {
      ...Object.fromEntries(failures.map((status) => [status, failure])),
      ...Object.fromEntries(responseEntries),
      ...(replies.has('default') ? {} : { default: failure }),
    },
  })
}

/** Returns the OpenAPI response that describes a reply. Null means that there is no body. */
export function describeReply(
  status: string,
  schema: JsonSchema | null,
  mediaType: string,
  alternativeMediaTypes: readonly string[] = [],
): object {
  const description = statusDescriptions[status] ?? (Number(status) < 400 ? 'Done.' : 'Not done.')
  if (schema === null) return { description }
  const texts = alternativeMediaTypes.map((type) => [type, { schema: { type: 'string' } }] as const)
  return { description, content: { [mediaType]: { schema }, ...Object.fromEntries(texts) } }
}

const statusDescriptions: Readonly<Record<string, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; the effect follows after the answer.',
  204: 'Done; the reply has no content.',
}

/** Converts an id to the name of a type: `secret-read-data-path` becomes `SecretReadDataPath`. */
function titleOf(id: string): string {
  return wordsOf(id)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

/** Returns the words of a text, which are runs of letters, digits and underscores. */
export function wordsOf(text: string): string[] {
  return text.split(/[^A-Za-z0-9_]+/).filter((word) => word !== '')
}
