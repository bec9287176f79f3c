import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import type { StoredOf } from '../../state/kernel/shape/values.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { Caller } from '../../state/platform/accounts/callers.ts'
import type {
  Answer,
  Call,
  Operation,
  PathParams,
  Replies,
  RestOperationDeclaration,
} from '../http/declare/operation.ts'
import type { InputValue, ShapeOrSchema } from '../http/declare/shape-or-schema.ts'
import type { PlatformDialect } from './dialect.ts'
import type { ListAddress } from './json-api/pagination.ts'

/** The body of a request, read as the operation asks for it. */
export interface ParsedBody<S extends StructShape> {
  /** Those that were sent. */
  readonly attributes: StoredOf<S>
  /** `data.relationships` as sent; empty when it is no object. */
  readonly relationships: Readonly<Record<string, unknown>>
  /** The whole `data`; operations on relationships have a list there. */
  readonly data: unknown
}

/** A body as an operation takes it: a document with one resource. */
export interface BodyForm<S extends StructShape = StructShape> {
  readonly attributes: S
  /** The attributes that there are in a dialect, where those are not all. */
  readonly attributesInDialect?: (dialect: PlatformDialect) => StructShape
  /** The attributes that count in a world, where those are not all. */
  readonly attributesInWorld?: (world: World) => StructShape
  /** The `data.type` that is expected; an empty or missing one passes unless it is required. */
  readonly type?: string
  readonly typeRequired?: boolean
  /** 422 without `attributes`. */
  readonly attributesRequired?: boolean
  /** A body without `data` is as one with an empty object there; else it is 422. */
  readonly dataOptional?: boolean
}

/** Where a body is read. */
export interface BodyContext {
  readonly world: World
  readonly dialect: PlatformDialect
}

/** The surroundings of an operation, beside their parameters. `Subject` is what the path names. */
export interface PlatformContext<Subject> {
  readonly world: World
  /** Who calls; on open operations a site admin without a name never is: do not ask. */
  readonly caller: Caller
  /** The thing that the path names, found before the body is looked at. */
  readonly subject: Subject
  readonly dialect: PlatformDialect
  /** Scheme, host and world prefix as the caller used them, for absolute links. */
  readonly origin: string
  /** Where a list was asked for. */
  readonly address: ListAddress
  /** A header by lower-case name. */
  header(name: string): string | undefined
  /** Checks content type and shape of the body, then the types of the attributes. */
  input<const S extends StructShape>(form: BodyForm<S>): ParsedBody<S>
  /** `data` of a body whose `data` is a list, as relationships have it. */
  list(): readonly unknown[]
}

/** The facts known when the things that a path names are looked up. */
export interface Scope {
  readonly world: World
  readonly caller: Caller
  readonly params: Readonly<Record<string, string>>
}

/**
 * Who may call: `anyone` needs no token; `caller` a valid one, else 401; `admin` is hidden from all
 * but site admins (behaviour/platform#authentication).
 */
export type PlatformAccess = 'anyone' | 'caller' | 'admin'

/** Says who may call, for documents; what the path names decides further, and is hidden (404). */
export function accessText(access: PlatformAccess): string {
  return { anyone: 'anyone', caller: 'token', admin: 'token of a site admin' }[access]
}

/** An operation with who may call it and what its path names. */
export interface PlatformOperation extends Operation<PlatformContext<unknown>> {
  readonly access: PlatformAccess
  readonly find: (scope: Scope) => unknown
  /** The body that it takes, unless it takes a list. */
  readonly form?: BodyForm | undefined
  /** Of what type the identifiers are that its body lists. */
  readonly identifiers?: string
  /** Those may have a name instead of an id. */
  readonly identifiersNamed?: true
}

interface PlatformDeclaration<
  Subject,
  Path extends string,
  Query extends ShapeOrSchema | undefined,
  Body extends StructShape,
  Reply extends Replies,
> extends Omit<
    RestOperationDeclaration<PlatformContext<Subject>, Path, Query, undefined, Reply>,
    'body' | 'run'
  > {
  readonly body?: BodyForm<Body>
  readonly identifiers?: string
  /** Those may have a name instead of an id. */
  readonly identifiersNamed?: true
  run(
    call: Omit<
      Call<PlatformContext<Subject>, PathParams<Path>, InputValue<Query>, undefined>,
      'body'
    > & {
      /** Reads the body. */
      body(): ParsedBody<Body>
    },
  ): Answer<keyof Reply & number> | Deferred<Answer<keyof Reply & number>>
}

/**
 * For operations on one kind of thing: `const operation = operationsOn('caller', findModule)`.
 * `find` refuses with 404 what is not there or not for the caller, before the body is read.
 */
export function operationsOn<Subject>(access: PlatformAccess, find: (scope: Scope) => Subject) {
  return <
    const Path extends string,
    const Reply extends Replies,
    const Query extends ShapeOrSchema | undefined = undefined,
    const Body extends StructShape = StructShape<Record<never, never>>,
  >(
    declaration: PlatformDeclaration<Subject, Path, Query, Body, Reply>,
  ): PlatformOperation => {
    const { id, body: form, run, ...rest } = declaration
    const operation: RestOperationDeclaration<
      PlatformContext<Subject>,
      Path,
      Query,
      undefined,
      Reply
    > = {
      ...rest,
      id,
      run: (call) =>
        run({
          ...call,
          body() {
            if (form === undefined) throw new Error(`${id} declares no body`)
            return call.context.input(form)
          },
        }),
    }
    return { ...operation, access, find, form }
  }
}
