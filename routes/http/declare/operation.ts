import type { StructShape } from '../../../state/kernel/shape/kinds.ts'
import type { ParsedOf } from '../../../state/kernel/shape/values.ts'
import type { Deferred } from '../../../state/kernel/worlds/deferred.ts'
import type { InputValue, ShapeOrSchema } from './shape-or-schema.ts'

/** HTTP methods of REST operations. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * Parameters of a path: `/jobs/:id` has `id`, `data/*path` has `path`. An unnamed wildcard (`*`) is
 * called `*`.
 */
export type PathParams<Path extends string> = { readonly [Name in ParamName<Path>]: string }

type ParamName<Path extends string> = Path extends `${infer Head}/${infer Tail}`
  ? ParamName<Head> | ParamName<Tail>
  : Path extends `:${infer Name}`
    ? Name
    : Path extends '*'
      ? '*'
      : Path extends `*${infer Name}`
        ? Name
        : never

/** Reply bodies by status; null means no body. */
export type Replies = Readonly<Record<number, ShapeOrSchema | null>>

/**
 * Locations of secrets in values. A location consists of names and indexes separated by `/`; `*`
 * matches any single name or index, and `**` at the end matches everything below. An empty location
 * is the value itself.
 */
interface SecretLocations {
  /** Names of path parameters that contain secrets. */
  readonly params?: readonly string[]
  readonly body?: readonly string[]
  readonly reply?: readonly string[]
  /** Query parameter that makes the whole reply a secret value. */
  readonly wholeReplyParameter?: string
}

/** A validated request, as operations receive it. */
export interface Call<Context, Params, Query, Body> {
  /** Result of the API's `context` function for this request. */
  readonly context: Context
  readonly params: Params
  /** Query, converted by its schema; if there is no schema, the query as sent. */
  readonly query: Query
  /** Body as sent, checked with its schema; undefined if there is no schema. */
  readonly body: Body
}

export interface Answer<Status extends number = number> {
  readonly status: Status
  /**
   * Body: an object is sent as JSON, a string as plain text, undefined as no body. Serialized JSON,
   * bytes and streams are sent as they are.
   */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Callback that runs once the answer was sent or the client has disconnected. Only
   * `registerOperations` calls it.
   */
  readonly afterSent?: () => void
}

/**
 * The single declaration of an operation, which routing, validation, help, OpenAPI and coverage
 * read (behaviour/program#declared-once). Each API adds members for the method or verb, the access,
 * and the handler. `Input` is the type of the members `query` and `body`.
 */
export interface OperationDeclaration<Path extends string = string, Input = ShapeOrSchema> {
  /** Id, unique within the API; the `operationId` of the OpenAPI document. */
  readonly id: string
  /**
   * Path below the API's prefix or below an engine's mount, such as `/jobs/:id` or `data/*path`.
   */
  readonly path: Path
  readonly summary: string
  /** Citation of the rules that specify the operation, such as `behaviour/mesh#acl`. */
  readonly spec: string
  /** Constraints of the path parameters, which are strings. */
  readonly params?: ShapeOrSchema | undefined
  /** Object shape of the query; members are converted from strings to their declared types. */
  readonly query?: Input | undefined
  /** Shape that the body must match as sent. A missing body counts as an empty object. */
  readonly body?: Input | undefined
  /** True if the body may be left out although the API otherwise refuses empty bodies. */
  readonly bodyOptional?: boolean | undefined
  readonly reply: Replies
  /** Media type of replies; JSON if left out. */
  readonly mediaType?: string | undefined
  /** Media types in which callers may request the reply as text instead. */
  readonly alternativeMediaTypes?: readonly string[] | undefined
  /** Locations of secrets that no shape marks. */
  readonly secrets?: SecretLocations | undefined
  /**
   * Failure statuses that the OpenAPI document lists in addition to the statuses that follow from
   * the rest of the declaration.
   */
  readonly failures?: readonly number[] | undefined
  /**
   * Shape of the reply body for any status that the declared replies do not contain. For operations
   * whose callers choose the status.
   */
  readonly defaultReply?: ShapeOrSchema | undefined
}

/**
 * Operation of a REST API. The path and the shapes determine the types of the values that `run`
 * receives.
 */
export interface RestOperationDeclaration<
  Context,
  Path extends string,
  Query extends ShapeOrSchema | undefined,
  Body extends ShapeOrSchema | undefined,
  Reply extends Replies,
> extends OperationDeclaration<Path> {
  readonly method: Method
  readonly query?: Query
  readonly body?: Body
  readonly reply: Reply
  /**
   * Runs the operation inside the transaction of `world.request`. Work outside of the transaction
   * is done with `defer`.
   */
  run(
    call: Call<Context, PathParams<Path>, InputValue<Query>, InputValue<Body>>,
  ): Answer<keyof Reply & number> | Deferred<Answer<keyof Reply & number>>
}

/** An operation without its type parameters, for tables of operations. */
export interface Operation<Context> extends OperationDeclaration {
  readonly method: Method
  run(
    call: Call<Context, Readonly<Record<string, string>>, unknown, unknown>,
  ): Answer | Deferred<Answer>
}

/**
 * Returns the `operation` function of an API whose operations run in a `Context`: `const operation
 * = operationFor<Context>()`, then `operation({ id, method, path, …, run })` for each operation.
 * The parameters, query and body of `run` get their types from path and schemas, which must be
 * constants (`as const` if declared separately).
 */
export function operationFor<Context>() {
  return <
    const Path extends string,
    const Reply extends Replies,
    const Query extends ShapeOrSchema | undefined = undefined,
    const Body extends ShapeOrSchema | undefined = undefined,
  >(
    declaration: RestOperationDeclaration<Context, Path, Query, Body, Reply>,
  ): Operation<Context> => declaration
}

/**
 * An operation whose `run` decodes the body, after the operation's own checks. Each API adds the
 * members that only its operations declare.
 */
export interface DecodingOperation<Context> extends OperationDeclaration<string, StructShape> {
  readonly method: Method
  run(call: {
    readonly context: Context
    readonly params: Readonly<Record<string, string>>
  }): Answer | Deferred<Answer>
}

/**
 * The declaration of an operation that decodes its body. The group of the operation provides the
 * method, and also `spec` if the declaration has none.
 */
export interface DecodingDeclaration<
  Context,
  Path extends string,
  Body extends StructShape,
  Status extends number = number,
> extends Omit<OperationDeclaration<Path, StructShape>, 'id' | 'path' | 'spec' | 'body' | 'reply'> {
  readonly spec?: string
  readonly body?: Body
  run(call: {
    readonly context: Context
    readonly params: PathParams<Path>
    /**
     * Decodes the body as JSON. Throws a refusal for a malformed body.
     * @param subject start of the refusal's message, if messages of the API have one
     */
    body(subject?: string): ParsedOf<Body>
  }): Answer<Status> | Deferred<Answer<Status>>
}

/** Shape of the body for operations that declare no body. */
export type NoBody = StructShape<Record<never, never>>

/** Returns one variant of an API's `operation` function per method: `get`, `post`, and so on. */
export function variantsByMethod<Declare>(variantFor: (method: Method) => Declare) {
  return {
    get: variantFor('GET'),
    post: variantFor('POST'),
    put: variantFor('PUT'),
    patch: variantFor('PATCH'),
    delete: variantFor('DELETE'),
  }
}

export function ok<B>(body: B): { readonly status: 200; readonly body: B } {
  return { status: 200, body }
}

export function answer<const Status extends number>(
  status: Status,
  body: unknown,
  more: Pick<Answer, 'headers' | 'afterSent'> = {},
): Answer<Status> {
  return { status, body, ...more }
}

export const noContent: { readonly status: 204 } = { status: 204 }
