import type { Json } from '../../state/kernel/json.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { Mount } from '../../state/secrets/mounts/mounts.ts'
import type { Namespace } from '../../state/secrets/namespaces/namespaces.ts'
import type { Token } from '../../state/secrets/tokens/tokens.ts'
import type { OperationDeclaration, PathParams, Replies } from '../http/declare/operation.ts'
import type { OrderStrategy } from '../http/router/router.ts'
import type { Route } from '../http/router/routes.ts'
import type { RequestCounts } from './dispatch/request-counts.ts'
import { emptyOutcome, type SecretsOutcome } from './envelope/outcome.ts'
import { compileFields, type FieldSchemas, type FieldValues } from './fields/fields.ts'
import { compileStrictFields, type StrictBody } from './fields/strict-body.ts'
import type { Replication } from './replication/replication.ts'

/**
 * The kind of access to a path. HTTP methods correspond to verbs as follows: GET and HEAD read,
 * LIST (or GET with `list=true`) lists (behaviour/secrets#api-lists), POST and PUT write, PATCH
 * patches, DELETE deletes.
 */
export type Verb = 'read' | 'list' | 'write' | 'patch' | 'delete'

/** The parts of the HTTP request, other than path and fields, that a handler may need. */
export interface RequestInfo {
  readonly id: string
  /**
   * Returns the first value of a header; undefined if the header is missing.
   *
   * @param name in lower case
   */
  header(name: string): string | undefined
  /** All headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The client token in the request, not yet verified; empty if there is none. */
  readonly clientToken: string
  /** The HTTP method. LIST and HELP arrive as GET. */
  readonly method: string
  /** IP address of the caller. */
  readonly peer: string
  /**
   * Certificate of the client in PEM; empty for a TLS connection without a client certificate, and
   * undefined for a connection without TLS.
   */
  readonly clientCertificate: string | undefined
  /**
   * The scheme, host and world prefix under which the caller reached the server, for absolute
   * links.
   */
  readonly origin: string
}

/** The caller who requests documentation. */
export interface DocumentationReader {
  readonly world: World
  readonly namespace: Namespace
  readonly token: Token | undefined
}

/** Documentation that the service generates from its operations. */
export interface Documentation {
  /**
   * Returns help about a path relative to the namespace (behaviour/secrets#api-help): `{help,
   * see_also, openapi}`. The OpenAPI document describes the path and the paths below it, relative
   * to the path. Help exists at the root of a mount, at paths above mounts (`auth`), at declared
   * paths, and at paths above declared paths.
   *
   * @throws Refusal `absent` if the service has nothing at or below the path
   */
  help(reader: DocumentationReader, path: string): object
  /**
   * Returns the OpenAPI document of all mounts in which the reader has a capability. With
   * `genericMountPaths`, a parameter replaces the path of each mount that can be moved.
   */
  openApiDocument(reader: DocumentationReader, genericMountPaths: boolean): object
}

/** Services that all worlds of a process share. */
export interface ProcessServices {
  readonly documentation: Documentation
  readonly replication: Replication
  readonly requestCounts: RequestCounts
  /** Prefix of the names of metrics. */
  readonly metricsPrefix: string
}

/** One call of an operation: all data that a handler receives. */
export interface Call<Params = Readonly<Record<string, string>>, Values = unknown> {
  readonly world: World
  readonly namespace: Namespace
  readonly verb: Verb
  readonly mount: Mount
  /** The whole path relative to the namespace: `secret/data/app/db`. */
  readonly path: string
  readonly params: Params
  /** The declared fields by name, after conversion. */
  readonly fields: Values
  /**
   * All members of the body or the query, before conversion. If the engine has vendor names for its
   * fields, this object contains the specification's names.
   */
  readonly input: Readonly<Record<string, Json>>
  /** The token of the caller; undefined on paths that need no token. */
  readonly token: Token | undefined
  readonly request: RequestInfo
  readonly process: ProcessServices
  readonly wrapping: Wrapping | undefined
}

/** A wrapping that a caller requests (behaviour/secrets#wrapping). */
export interface Wrapping {
  /** Time to live in seconds; 0 means no wrapping. */
  readonly ttl: number
  /** The requested time to live in nanoseconds. Policies can limit it. */
  readonly requestedTtl: number
  /**
   * Address for unwrapping, which a wrapping token contains if it is a JWT; undefined for an opaque
   * token.
   */
  readonly address: string | undefined
}

/** The part of a call that is known before its token is checked. */
export type UnauthenticatedCall = Pick<Call, 'world' | 'input' | 'request'>

/**
 * Required access: `anyone` requires no client token; `token` requires any valid token;
 * `capability` requires a token whose policies allow the verb at the path; `sudo` requires that
 * these policies also grant `sudo`.
 */
export type SecretsAccess = 'anyone' | 'token' | 'capability' | 'sudo'

/** A condition that depends on the state or the options of a world. */
export interface WorldCondition {
  /** Text that follows "anyone" in documents: `on a DR secondary`. */
  readonly text: string
  holds(world: World): boolean
}

/** Members that only operations of this API declare. */
interface OperationFlags {
  readonly verb: Verb
  /** Access that the operation requires. Default: `capability`. */
  readonly access?: SecretsAccess
  /** Condition under which no client token is required. */
  readonly unauthenticatedWhen?: WorldCondition
  /**
   * True if the operation is also available on a DR secondary, which refuses all other paths
   * (behaviour/secrets#dr-gate).
   */
  readonly onSecondary?: boolean
  /**
   * Returns the token of a call that is not yet authenticated, or refuses the call. Used for
   * operations on wrapping tokens, which have their own refusals (behaviour/secrets#wrapping).
   * Policies then apply to the path in the namespace of the returned token, not in the namespace of
   * the request. For open operations, the function is called only if the path does not support the
   * verb.
   */
  readonly resolveToken?: (call: UnauthenticatedCall) => string
  /**
   * Special treatment of HTTP methods. With `any`, every method is a write. With `head`, HEAD is
   * allowed and answered like GET, but without the body. With `checked-first`, a wrong method is
   * refused before the token is checked, as it is at bare endpoints.
   */
  readonly methods?: 'any' | 'head' | 'checked-first'
  /** True if the path may end with a slash even though it has no list operation. */
  readonly allowsSlash?: boolean
  /**
   * True if undeclared fields are accepted without a warning, as in writes of key-value version 1.
   */
  readonly acceptsUnknownFields?: boolean
  /**
   * Parameters that only longer forms of this path contain. As in the reference, a field with one
   * of these names is ignored with a warning, because the parameter can only be set in the path.
   */
  readonly optionalParams?: readonly string[]
  /**
   * True for a system endpoint that has no envelope and has its own errors
   * (behaviour/secrets#body-kinds).
   */
  readonly unenveloped?: boolean
  /**
   * True if the operation is also available while the service is sealed, when all other paths
   * answer with 503.
   */
  readonly worksWhileSealed?: boolean
  /**
   * Content type of a body that is not JSON. The input then contains the body as base64 in the
   * member `req`.
   */
  readonly binaryBody?: string
  /** Rules for decoding the body of a write to a bare endpoint. */
  readonly strict?: StrictBody
  /**
   * True if the operation is available only in the root namespace
   * (behaviour/secrets#namespace-header).
   */
  readonly rootOnly?: boolean
  /** True if only the enterprise edition has the operation (behaviour/secrets#api-editions). */
  readonly enterprise?: boolean
}

interface DeclarationBase<Path extends string, F extends FieldSchemas>
  extends Omit<OperationDeclaration<Path, F>, 'reply'>,
    OperationFlags {
  /**
   * Returns whether the object that a write changes already exists. If it does not, the write needs
   * the capability `create` instead of `update`. If this function is not declared, every write
   * needs `update`.
   */
  readonly exists?: (call: Call<PathParams<Path>>) => boolean
}

/**
 * The implementation of an operation. `run` returns the reply. `apply` returns nothing, and the
 * reply is a 204. If `reply` is not declared, 204 is the only success.
 */
type Implementation<Path extends string, F extends FieldSchemas> = { readonly reply?: Replies } & (
  | {
      run(call: Call<PathParams<Path>, FieldValues<F>>): SecretsOutcome | Deferred<SecretsOutcome>
    }
  | { apply(call: Call<PathParams<Path>, FieldValues<F>>): void }
)

type Declaration<Path extends string, F extends FieldSchemas> = DeclarationBase<Path, F> &
  Implementation<Path, F>

type GroupedDeclaration<Path extends string, F extends FieldSchemas> = Omit<
  DeclarationBase<Path, F>,
  'id' | 'path' | 'spec' | 'verb'
> &
  Partial<Pick<DeclarationBase<Path, F>, 'spec'>> &
  Implementation<Path, F>

/** A declared operation of an engine, with the compiled conversion of its fields. */
export interface SecretsOperation
  extends OperationDeclaration<string, FieldSchemas>,
    OperationFlags {
  readonly fields: FieldSchemas
  readonly convert: (input: Readonly<Record<string, Json>>) => unknown
  readonly exists?: ((call: Call) => boolean) | undefined
  run(call: Call): SecretsOutcome | Deferred<SecretsOutcome>
}

/**
 * The operations of one path of an engine. Flags that concern the path as a whole are equal in all
 * its operations.
 */
export type SecretsRoute = Route<SecretsOperation>

/**
 * Declares an operation of an engine. The fields are declared in a `body` or a `query`; handlers
 * receive the converted values.
 */
function operation<const Path extends string, const F extends FieldSchemas = Record<never, never>>(
  declaration: Declaration<Path, F>,
): SecretsOperation {
  const { query, body, exists, strict } = declaration
  const fields = body ?? query ?? {}
  let convert: ((input: Readonly<Record<string, Json>>) => unknown) | undefined
  const run: (call: Call<PathParams<Path>, FieldValues<F>>) => ReturnType<SecretsOperation['run']> =
    'run' in declaration
      ? declaration.run
      : (call) => {
          declaration.apply(call)
          return emptyOutcome
        }
  return {
    ...declaration,
    reply: declaration.reply ?? { 204: null },
    fields,
    // The conversion is compiled on first use, because a typical process calls few of the
    // operations.
    convert: (input) => {
      convert ??= strict === undefined ? compileFields(fields) : compileStrictFields(fields, strict)
      return convert(input)
    },
    // The dispatcher passes a call only to the operation for which it was built, so its parameters
    // and fields have the declared types.
    exists: exists as SecretsOperation['exists'],
    run: run as SecretsOperation['run'],
  }
}

/** Members shared by operations that are declared together, such as `spec`. */
type SharedMembers = Pick<OperationDeclaration, 'spec'> & Partial<Omit<OperationFlags, 'verb'>>

/**
 * Returns an object with one function for each verb. Each function declares an operation by its id,
 * its path and its other members. The path starts at the mount: literal segments, `:name` (one
 * name) and `*name` (the rest, slashes included). Operations may override the shared members.
 */
export function operationsOf(shared: SharedMembers) {
  const variantFor =
    (verb: Verb) =>
    <const Path extends string, const F extends FieldSchemas = Record<never, never>>(
      id: string,
      path: Path,
      declaration: GroupedDeclaration<Path, F>,
    ): SecretsOperation =>
      operation<Path, F>({ ...shared, verb, id, path, ...declaration })
  return {
    read: variantFor('read'),
    list: variantFor('list'),
    write: variantFor('write'),
    patch: variantFor('patch'),
    delete: variantFor('delete'),
  }
}

/** A secrets engine or login method: its operations, and the type of the mounts that it serves. */
export interface Engine {
  readonly type: string
  /**
   * The type of the engine's mounts, if it differs from `type`, because another engine serves
   * mounts of the same type.
   */
  readonly mountedType?: string
  readonly operations: readonly SecretsOperation[]
  /**
   * True if some fields have other names in the vendor dialect. Callers may use either name, and
   * handlers receive the name of the specification (behaviour/secrets#vendor-names).
   */
  readonly hasVendorFields?: boolean
  /** The order in which routes are matched. Default: `mounts`. */
  readonly order?: OrderStrategy
  /**
   * Prefix of the paths that need no client token, relative to the mount. The prefix also applies
   * to paths without an operation.
   */
  readonly unauthenticatedPrefix?: string
  /**
   * Pattern of the paths outside `unauthenticatedPrefix` that need no client token, relative to the
   * mount.
   */
  readonly unauthenticatedPaths?: RegExp
  /**
   * Returns whether a request without a token is a login without a user name. Login methods that
   * count bad credentials refuse such logins (behaviour/secrets#lockout).
   *
   * @param path relative to the mount
   */
  readonly isNamelessLogin?: (path: string, input: Call['input']) => boolean
  /**
   * Paths without an operation that need sudo. A path that ends in `/` also stands for all paths
   * below it.
   */
  readonly sudoPaths?: readonly string[]
  /** Answers a request to a path that has no operation. Default: 404 `unsupported path`. */
  readonly handleUnmatched?: (call: Call) => SecretsOutcome
}
