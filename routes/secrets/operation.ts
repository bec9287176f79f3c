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
import { empty, type SecretsOutcome } from './envelope/outcome.ts'
import { compileFields, type FieldSchemas, type FieldValues } from './fields/fields.ts'
import { compileStrictFields, type StrictBody } from './fields/strict-body.ts'
import type { Replication } from './replication/replication.ts'

/**
 * The kind of access to a path. HTTP methods are mapped once: GET reads, LIST (or GET with
 * list=true) lists, POST and PUT write, PATCH patches, DELETE deletes
 * (behaviour/secrets#api-conventions).
 */
export type Verb = 'read' | 'list' | 'write' | 'patch' | 'delete'

/** The parts of the HTTP request that a handler may need beyond path and fields. */
export interface RequestInfo {
  readonly id: string
  /**
   * Returns the first value of a header.
   *
   * @param name in lower case
   */
  header(name: string): string | undefined
  /** The client token as it was sent, not yet verified; empty without one. */
  readonly clientToken: string
  /** The HTTP method; LIST and HELP arrive as GET. */
  readonly method: string
  /** The caller's address. */
  readonly peer: string
  /** Scheme, host and world prefix as the caller used them, for absolute links. */
  readonly origin: string
}

/** The caller who asks for documentation. */
export interface Reader {
  readonly world: World
  readonly namespace: Namespace
  readonly token: Token | undefined
}

/** Documentation that the service generates from its operations. */
export interface Documentation {
  /**
   * Returns help on a path relative to the namespace (behaviour/secrets#api-help): `{help,
   * see_also, openapi}`. The document covers the path and the paths below it, relative to it. Help
   * exists at the root of a mount, above mounts (`auth`), at declared paths and above them.
   *
   * @throws absent if the service has nothing at or below the path
   */
  help(reader: Reader, path: string): object
  /**
   * Returns the OpenAPI document of every mount that the reader has a capability in. With
   * `genericMountPaths`, movable mounts are a parameter of the paths.
   */
  service(reader: Reader, genericMountPaths: boolean): object
}

/** Services of a process, shared by all its worlds. */
export interface ProcessServices {
  readonly documentation: Documentation
  readonly replication: Replication
  readonly requestCounts: RequestCounts
  /** First part of the names of metrics. */
  readonly metricsPrefix: string
}

/** One call of an operation: everything that a handler gets. */
export interface Call<Params = Readonly<Record<string, string>>, Values = unknown> {
  readonly world: World
  readonly namespace: Namespace
  readonly verb: Verb
  /** The mount that the path belongs to. */
  readonly mount: Mount
  /** The whole path relative to the namespace: `secret/data/app/db`. */
  readonly path: string
  readonly params: Params
  /** The declared fields with converted values. */
  readonly fields: Values
  /** Everything that the caller sent as body or query, not converted. */
  readonly input: Readonly<Record<string, Json>>
  /** The caller; undefined on open paths. */
  readonly token: Token | undefined
  readonly request: RequestInfo
  readonly process: ProcessServices
  /** The wrapping that the caller asks for. */
  readonly wrapping: Wrapping | undefined
}

/** A wrapping that a caller asks for (behaviour/secrets#wrapping). */
export interface Wrapping {
  /** Time to live in seconds; 0 means no wrapping. */
  readonly ttl: number
  /** The requested time to live in nanoseconds, which policies limit. */
  readonly requestedTtl: number
  /** Address for unwrapping, which makes the token a JWT; undefined for an opaque token. */
  readonly address: string | undefined
}

/** The part of a call that is known before its token is checked. */
export type UnauthenticatedCall = Pick<Call, 'world' | 'input' | 'request'>

/**
 * Required access: `anyone` needs no client token, `token` any valid one, `capability` one whose
 * policies allow the verb at the path, `sudo` one whose policies also grant `sudo`.
 */
export type SecretsAccess = 'anyone' | 'token' | 'capability' | 'sudo'

/** A condition that holds in some worlds. */
export interface WorldCondition {
  /** Text that follows "anyone" in documents: `on a DR secondary`. */
  readonly text: string
  holds(world: World): boolean
}

/** Members that only operations of this API declare. Fields come from the body or the query. */
interface OperationFlags {
  readonly verb: Verb
  /** `capability` by default. */
  readonly access?: SecretsAccess
  /** Condition under which anyone may call. */
  readonly unauthenticatedWhen?: WorldCondition
  /**
   * Also available on a DR secondary, which refuses every other path (behaviour/secrets#dr-gate).
   */
  readonly onSecondary?: boolean
  /**
   * Returns the token of a call before it is authenticated, or refuses the call: wrapping tokens
   * have their own refusals. Policies then apply to the path in the namespace of that token, not of
   * the request (behaviour/secrets#wrapping). Open operations call it only if the path does not
   * offer the verb.
   */
  readonly resolveToken?: (call: UnauthenticatedCall) => string
  /**
   * Special treatment of HTTP methods. `any`: every method is a write; `head`: HEAD is allowed and
   * replies without the body of GET; `checked-first`: a wrong method is refused before the token is
   * checked, as bare endpoints always do.
   */
  readonly methods?: 'any' | 'head' | 'checked-first'
  /** Whether the path may end with a slash although nothing lists it. */
  readonly allowsSlash?: boolean
  /** Accepts any other keys without a warning (key-value version 1). */
  readonly acceptsUnknownFields?: boolean
  /**
   * Path parameters of a longer form of this path. As in the reference, a field with one of these
   * names is ignored with a warning, because only the path can set it.
   */
  readonly optionalParams?: readonly string[]
  /**
   * A system endpoint without the envelope and with its own errors (behaviour/secrets#body-kinds).
   */
  readonly unenveloped?: boolean
  /** Also available while the service is sealed, when every other path is 503. */
  readonly worksWhileSealed?: boolean
  /** Decoding of the body of a write to a bare endpoint. */
  readonly strict?: StrictBody
  /** Unavailable in namespaces other than the root (behaviour/secrets#namespace-header). */
  readonly rootOnly?: boolean
  /** Only in the enterprise edition (behaviour/secrets#api-editions). */
  readonly enterprise?: boolean
}

interface DeclarationBase<Path extends string, F extends FieldSchemas>
  extends Omit<OperationDeclaration<Path, F>, 'reply'>,
    OperationFlags {
  /**
   * Returns whether the object of a write exists, which decides between the capabilities `create`
   * and `update`. Without this member, every write needs `update`.
   */
  readonly exists?: (call: Call<PathParams<Path>>) => boolean
}

/**
 * The implementation of an operation: `run` returns the reply, `apply` returns nothing and replies
 * 204. Without `reply`, 204 is the only success.
 */
type Work<Path extends string, F extends FieldSchemas> = { readonly reply?: Replies } & (
  | {
      run(call: Call<PathParams<Path>, FieldValues<F>>): SecretsOutcome | Deferred<SecretsOutcome>
    }
  | { apply(call: Call<PathParams<Path>, FieldValues<F>>): void }
)

type Declaration<Path extends string, F extends FieldSchemas> = DeclarationBase<Path, F> &
  Work<Path, F>

type GroupedDeclaration<Path extends string, F extends FieldSchemas> = Omit<
  DeclarationBase<Path, F>,
  'id' | 'path' | 'spec' | 'verb'
> &
  Partial<Pick<DeclarationBase<Path, F>, 'spec'>> &
  Work<Path, F>

/** A declared operation of an engine. */
export interface SecretsOperation
  extends OperationDeclaration<string, FieldSchemas>,
    OperationFlags {
  /** Fields of the body or the query. */
  readonly fields: FieldSchemas
  readonly convert: (input: Readonly<Record<string, Json>>) => unknown
  readonly exists?: ((call: Call) => boolean) | undefined
  run(call: Call): SecretsOutcome | Deferred<SecretsOutcome>
}

/** The operations of one path of an engine. Flags of the path are the same in each. */
export type SecretsRoute = Route<SecretsOperation>

/**
 * Declares an operation of an engine. A write, patch or delete has a `body` or a `query` of fields,
 * whose converted values handlers get.
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
          return empty
        }
  return {
    ...declaration,
    reply: declaration.reply ?? { 204: null },
    fields,
    // Compiled on first use: most operations of a run are never called.
    convert: (input) => {
      convert ??= strict === undefined ? compileFields(fields) : compileStrictFields(fields, strict)
      return convert(input)
    },
    // The dispatcher passes each call only to the operation that it was built for.
    exists: exists as SecretsOperation['exists'],
    run: (call) => run(call as Call<PathParams<Path>, FieldValues<F>>),
  }
}

/** Members that the operations of a group share. */
type SharedMembers = Pick<OperationDeclaration, 'spec'> & Partial<Omit<OperationFlags, 'verb'>>

/**
 * Returns one function per verb that declares an operation by its id, its path and its other
 * members. The path starts at the mount: literal segments, `:name` (one name) and `*name` (the
 * rest, slashes included). Operations may override the shared members.
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

/** An engine: the type of its mounts and its operations. */
export interface Engine {
  readonly type: string
  /** The type of its mounts, if another engine has the same type. */
  readonly mountedType?: string
  readonly operations: readonly SecretsOperation[]
  /**
   * Whether some fields have other names in the vendor dialect. Callers may use either name;
   * handlers get the name of the specification (behaviour/secrets#vendor-names).
   */
  readonly hasVendorFields?: boolean
  /** Order in which routes are matched; `mounts` by default. */
  readonly order?: OrderStrategy
  /** Prefix of the paths where callers have no client token yet, even if no operation matches. */
  readonly unauthenticatedPrefix?: string
  /**
   * Returns whether a request without a token is a login without a user's name; login methods that
   * count bad credentials refuse such logins (behaviour/secrets#lockout).
   *
   * @param path relative to the mount
   */
  readonly isNamelessLogin?: (path: string, input: Call['input']) => boolean
  /**
   * Paths without an operation that need sudo; a path that ends in `/` also stands for those below
   * it.
   */
  readonly sudoPaths?: readonly string[]
  /** Answers a path that no operation has; by default 404 `unsupported path`. */
  readonly handleUnmatched?: (call: Call) => SecretsOutcome
}
