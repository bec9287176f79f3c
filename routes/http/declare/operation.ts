import type { Deferred } from '../../../state/kernel/worlds/deferred.ts'
import type { InputValue, ShapeOrSchema } from './shape-or-schema.ts'

/** The methods that REST operations use. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * The names in a path: `/jobs/:id` has `id`, `data/*path` has `path`; the rest of a path without a
 * name (`*`) is called `*`.
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

/** Bodies by status; null means no body. */
export type Replies = Readonly<Record<number, ShapeOrSchema | null>>

/**
 * Places in values: names and positions parted by `/`, `*` for any one, `**` at the end for all that
 * is below; an empty text is the value itself.
 */
export interface SecretLocations {
  /** Names of the path's parameters. */
  readonly params?: readonly string[]
  readonly body?: readonly string[]
  readonly reply?: readonly string[]
}

/** A request as an operation sees it, already checked. */
export interface Call<Context, Params, Query, Body> {
  /** The result of the API's own `context` function for this request. */
  readonly context: Context
  readonly params: Params
  /** By the query schema, converted; without one as it was sent. */
  readonly query: Query
  /** By the body schema, as it was sent; without one undefined. */
  readonly body: Body
}

/** An operation's answer. */
export interface Answer<Status extends number = number> {
  readonly status: Status
  /** An object becomes JSON, a string plain text; undefined means no body. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Done once the answer is out. */
  readonly afterSent?: () => void
}

/**
 * The declaration that every operation of every API makes of itself, once: routing, validation,
 * help, OpenAPI and coverage read it (behaviour/program#declared-once). An API adds how it is called
 * (`method`, or a verb of its own), who may call and what it does. `Input` is how it describes what
 * callers send.
 */
export interface OperationDeclaration<Path extends string = string, Input = ShapeOrSchema> {
  /** Unique within the API; the `operationId` of its OpenAPI document. */
  readonly id: string
  /** From the API's prefix, or an engine's mount: `/jobs/:id`, `data/*path`. */
  readonly path: Path
  readonly summary: string
  /** Where it is specified. */
  readonly spec: string
  /** Restricts the path's parameters, which are texts. */
  readonly params?: ShapeOrSchema | undefined
  /** An object; its members are converted from text to what they are said to be. */
  readonly query?: Input | undefined
  /** Compared with the body as it was sent. A missing body counts as an empty object. */
  readonly body?: Input | undefined
  /** A request may do without it, where the API refuses empty bodies else. */
  readonly bodyOptional?: boolean | undefined
  readonly reply: Replies
  /** The media type of its replies; JSON unless given. */
  readonly mediaType?: string | undefined
  /** Media types in which callers may have its reply as a text instead. */
  readonly alternativeMediaTypes?: readonly string[] | undefined
  /** The places of secrets that no shape marks. */
  readonly secrets?: SecretLocations | undefined
  /**
   * The statuses of its failures, besides those that any operation of its kind has: its document
   * derives those from the rest of the declaration.
   */
  readonly failures?: readonly number[] | undefined
  /** The body of replies with any other status, for operations whose callers choose the status. */
  readonly defaultReply?: ShapeOrSchema | undefined
}

/** One operation of a REST API, with the types of its parts. */
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
  /** Part of `world.request`: a transaction. What is to be done outside goes into `meanwhile`. */
  run(
    call: Call<Context, PathParams<Path>, InputValue<Query>, InputValue<Body>>,
  ): Answer<keyof Reply & number> | Deferred<Answer<keyof Reply & number>>
}

/** An operation whose types are settled: what tables are made of. */
export interface Operation<Context> extends OperationDeclaration {
  readonly method: Method
  run(
    call: Call<Context, Readonly<Record<string, string>>, unknown, unknown>,
  ): Answer | Deferred<Answer>
}

/**
 * For an API whose operations run in a `Context`: `const operation = operationFor<Context>()`, then
 * `operation({ id, method, path, …, run })` for each. Parameters, query and body of `run` get their
 * types from path and schemas, which must be constants (`as const` when declared apart).
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

/** 200 with a body. */
export function ok<B>(body: B): { readonly status: 200; readonly body: B } {
  return { status: 200, body }
}

/** Any other status, with a body and what else there is. */
export function answer<const Status extends number>(
  status: Status,
  body: unknown,
  more: Pick<Answer, 'headers' | 'afterSent'> = {},
): Answer<Status> {
  return { status, body, ...more }
}

/** 204. */
export const noContent: { readonly status: 204 } = { status: 204 }
