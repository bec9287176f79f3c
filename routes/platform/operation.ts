import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import type { StoredOf } from '../../state/kernel/shape/values.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { Caller } from '../../state/platform/accounts/callers.ts'
import type { Run } from '../../state/platform/runs/runs.ts'
import {
  type Answer,
  answer,
  type Call,
  type Method,
  noContent,
  type Operation,
  ok,
  type PathParams,
  type Replies,
  type RestOperationDeclaration,
} from '../http/declare/operation.ts'
import type { InputValue, ShapeOrSchema } from '../http/declare/shape-or-schema.ts'
import type { PlatformDialect } from './dialect.ts'
import { type ListAddress, type Pageable, pageOf } from './json-api/pagination.ts'
import { documentOf, listOf, type Resource } from './json-api/resource.ts'

/** Request body, parsed as the operation requires. */
export interface ParsedBody<S extends StructShape> {
  /** Attributes that were sent. */
  readonly attributes: StoredOf<S>
  /** `data.relationships`, with hyphens in the names of members. Empty if it is not an object. */
  readonly relationships: Readonly<Record<string, unknown>>
  /** The whole `data`; an empty object if `data` is optional and is not an object. */
  readonly data: unknown
}

/** Requirements on a body that is a document with one resource. */
export interface BodyForm<S extends StructShape = StructShape> {
  readonly attributes: S
  /** Returns the attributes that a dialect has. Default: all of them. */
  readonly attributesInDialect?: (dialect: PlatformDialect) => StructShape
  /** Returns the attributes that a world accepts. Default: all of them. */
  readonly attributesInWorld?: (world: World) => StructShape
  /** Expected `data.type`. A blank or missing type is accepted unless the type is required. */
  readonly type?: string
  readonly typeRequired?: boolean
  /** Whether a body without `attributes` is rejected with 422. */
  readonly attributesRequired?: boolean
  /** Attributes that may also be members of the document itself, as in bodies of actions. */
  readonly topLevel?: readonly string[]
  /**
   * Whether a body without `data` is accepted, as if `data` were an empty object; otherwise such a
   * body is rejected with 422.
   */
  readonly dataOptional?: boolean
}

export interface BodyContext {
  readonly world: World
  readonly dialect: PlatformDialect
}

/**
 * Data about a request, apart from its parameters, that an operation receives. `Subject` is the
 * type of the object that the path names.
 */
export interface PlatformContext<Subject> {
  readonly world: World
  /**
   * The caller. Operations with the access `anyone` must not read this member, because they run
   * without an identity.
   */
  readonly caller: Caller
  /** Object that the path names, found before the body is parsed. */
  readonly subject: Subject
  readonly dialect: PlatformDialect
  /** Scheme, host and world prefix as the caller used them, for absolute links. */
  readonly origin: string
  /** Address of the request, from which lists derive the links between their pages. */
  readonly address: ListAddress
  /** Returns a header by its lower-case name. */
  header(name: string): string | undefined
  /**
   * Parses the body: checks its structure and then the types of its attributes. Throws a refusal
   * for a body that does not fit.
   */
  input<const S extends StructShape>(form: BodyForm<S>): ParsedBody<S>
  /**
   * Parses a body whose `data` is a list, as for relationships. Throws a refusal for another body.
   */
  list(): readonly unknown[]
  /** Returns the body as text, for operations with `bytes`. */
  text(): string
}

/** Input of the function that finds the subject of a request. */
export interface Scope {
  readonly world: World
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
}

/** Input of the function that finds the subject of a request from a run task. */
export interface TaskScope extends Pick<Scope, 'world' | 'params'> {
  /** Run for which the platform called the task. */
  readonly run: Run
}

/**
 * Callers of an operation. `anyone` needs no token. `caller` needs a valid token; a request without
 * a valid token gets a 401. `admin` operations are hidden from everyone except site admins
 * (behaviour/platform#authentication).
 */
export type PlatformAccess = 'anyone' | 'caller' | 'admin'

/**
 * Returns the kind of token that an operation requires, as text for the OpenAPI document and the
 * coverage. The text does not mention access to the subject; callers without such access get a 404.
 */
export function accessText(access: PlatformAccess): string {
  return { anyone: 'anyone', caller: 'token', admin: 'token of a site admin' }[access]
}

/** An operation, with its permitted callers and the lookup of its subject. */
export interface PlatformOperation extends Operation<PlatformContext<unknown>> {
  readonly access: PlatformAccess
  readonly find: (scope: Scope) => unknown
  /**
   * Finds the subject for a run task. A run task sends the token that it received with its call.
   * Returns undefined if the path belongs to another run. Operations without this function reject
   * tokens of run tasks.
   */
  readonly findForTask?: (scope: TaskScope) => unknown
  /** Body of the operation, unless it is a list of identifiers. */
  readonly form?: BodyForm | undefined
  /** Resource type of the identifiers that the body lists. */
  readonly identifiers?: string
  /** Present if identifiers may have a name instead of an id. */
  readonly identifiersNamed?: true
  /** Shape of the items that the body lists, if they are not resources. */
  readonly items?: StructShape
  /** Present if the body is raw bytes of any type instead of a document. */
  readonly bytes?: true
}

/** Rendering of rows: the shape of their resources, and the function that renders a row. */
export interface Rendering<Row> {
  readonly shape: StructShape
  readonly render: (row: Row, context: PlatformContext<unknown>) => Resource
}

/** Members that all declarations of operations share. */
interface CommonDeclaration<
  Subject,
  Path extends string,
  Query extends ShapeOrSchema | undefined,
  Body extends StructShape,
> extends Omit<
    RestOperationDeclaration<PlatformContext<Subject>, Path, Query, undefined, Replies>,
    'method' | 'path' | 'spec' | 'body' | 'run' | 'reply'
  > {
  /** Citation of the rules, if it differs from the citation that `operationsOn` received. */
  readonly spec?: string
  readonly body?: BodyForm<Body>
  readonly findForTask?: (scope: TaskScope) => Subject | undefined
  readonly identifiers?: string
  /** Present if identifiers may have a name instead of an id. */
  readonly identifiersNamed?: true
  readonly items?: StructShape
  readonly bytes?: true
}

/** Call of an operation. The body is parsed when `body` is called. */
interface PlatformCall<
  Subject,
  Path extends string,
  Query extends ShapeOrSchema | undefined,
  Body extends StructShape,
> extends Omit<
    Call<PlatformContext<Subject>, PathParams<Path>, InputValue<Query>, undefined>,
    'body'
  > {
  body(): ParsedBody<Body>
}

/** Declaration of an operation. Without `reply`, the only successful status is 204. */
interface PlatformDeclaration<
  Subject,
  Path extends string,
  Query extends ShapeOrSchema | undefined,
  Body extends StructShape,
  Reply extends Replies,
> extends CommonDeclaration<Subject, Path, Query, Body> {
  readonly reply?: Reply
  run(
    call: PlatformCall<Subject, Path, Query, Body>,
  ): Answer<keyof Reply & number> | Deferred<Answer<keyof Reply & number>> | NoContentResult<Reply>
}

/** Type that allows `run` of an operation with the status 204 to return nothing. */
type NoContentResult<Reply extends Replies> = 204 extends keyof Reply
  ? ReturnType<() => void>
  : never

/** A declaration whose `run` returns the row or the rows that the reply renders. */
interface RenderedDeclaration<
  Subject,
  Path extends string,
  Query extends ShapeOrSchema | undefined,
  Body extends StructShape,
  Result,
> extends CommonDeclaration<Subject, Path, Query, Body> {
  run(call: PlatformCall<Subject, Path, Query, Body>): Result
}

/**
 * Returns a builder for operations on one kind of subject. After `const onModule =
 * operationsOn('caller', findModule, spec)`, `onModule('GET', modulePath, { … })` declares an
 * operation. `find` runs before the body is parsed, and throws 404 if the subject does not exist or
 * the caller lacks access. `spec` cites the rules of the operations. `onModule.document` and
 * `onModule.page` declare operations that reply with one resource or with a page of resources.
 */
export function operationsOn<Subject>(
  access: PlatformAccess,
  find: (scope: Scope) => Subject,
  spec: string,
) {
  function declare<
    const Path extends string,
    const Reply extends Replies = { 204: null },
    const Query extends ShapeOrSchema | undefined = undefined,
    const Body extends StructShape = NoBody,
  >(
    method: Method,
    path: Path,
    declaration: PlatformDeclaration<Subject, Path, Query, Body, Reply>,
  ): PlatformOperation {
    const { id, body: form, run, reply = { 204: null }, ...rest } = declaration
    const operation: RestOperationDeclaration<
      PlatformContext<Subject>,
      Path,
      Query,
      undefined,
      Replies
    > = {
      spec,
      ...rest,
      id,
      method,
      path,
      reply,
      run: (call) =>
        run({
          ...call,
          body() {
            if (form === undefined) throw new Error(`${id} declares no body`)
            return call.context.input(form)
          },
        }) ?? noContent,
    }
    return { ...operation, access, find, form }
  }

  return Object.assign(declare, {
    /**
     * Declares an operation whose reply is the row that `run` returns. The status is 201 for POST,
     * otherwise 200.
     */
    document<
      const Path extends string,
      Row,
      const Query extends ShapeOrSchema | undefined = undefined,
      const Body extends StructShape = NoBody,
    >(
      method: Method,
      path: Path,
      { shape, render }: Rendering<Row>,
      { run, ...rest }: RenderedDeclaration<Subject, Path, Query, Body, Row>,
    ): PlatformOperation {
      const status = method === 'POST' ? 201 : 200
      return declare<Path, Replies, Query, Body>(method, path, {
        ...rest,
        reply: { [status]: documentOf(shape) },
        run: (call) => answer(status, { data: render(run(call), call.context) }),
      })
    },

    /** Declares a GET whose reply is the requested page of the rows that `run` returns. */
    page<const Path extends string, Row, const Query extends ShapeOrSchema | undefined = undefined>(
      path: Path,
      { shape, render }: Rendering<Row>,
      { run, ...rest }: RenderedDeclaration<Subject, Path, Query, NoBody, Pageable<Row>>,
    ): PlatformOperation {
      return declare<Path, Replies, Query, NoBody>('GET', path, {
        ...rest,
        reply: { 200: listOf(shape) },
        run(call) {
          const { context } = call
          return ok(pageOf(run(call), (row) => render(row, context), context.address))
        },
      })
    },
  })
}

/** Shape of the attributes of an operation without a body. */
type NoBody = StructShape<Record<never, never>>
