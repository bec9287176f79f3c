import type { Json } from '../../state/kernel/json.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { Mount } from '../../state/secrets/mounts/mounts.ts'
import type { Namespace } from '../../state/secrets/namespaces/namespaces.ts'
import type { Token } from '../../state/secrets/tokens/tokens.ts'
import type { OperationDeclaration, PathParams, Replies } from '../http/declare/operation.ts'
import type { OrderStrategy } from '../http/router/router.ts'
import type { Route } from '../http/router/routes.ts'
import { empty, type SecretsOutcome } from './envelope/outcome.ts'
import { compileFields, type FieldSchemas, type FieldValues } from './fields/fields.ts'
import { compileStrictFields, type StrictBody } from './fields/strict-body.ts'
import type { Replication } from './replication/replication.ts'

/**
 * An operation on a path. HTTP verbs become these once, at the door: GET reads, LIST (or GET with
 * list=true) lists, POST and PUT write, PATCH patches, DELETE deletes (behaviour/secrets#api-conventions).
 */
export type Verb = 'read' | 'list' | 'write' | 'patch' | 'delete'

/** The facts of the HTTP request that a handler may ask for, beyond its path and fields. */
export interface RequestInfo {
  readonly id: string
  /** A header by lower-case name, the first value where there are several. */
  header(name: string): string | undefined
  /** The client token as it was sent; empty without one. Nothing is known about it yet. */
  readonly clientToken: string
  /** The HTTP method; LIST and HELP arrive as GET. */
  readonly method: string
  /** The caller's address. */
  readonly peer: string
  /** Scheme, host and world prefix as the caller used them, for absolute links. */
  readonly origin: string
}

/** Who asks for documentation, and where. */
export interface Reader {
  readonly world: World
  readonly namespace: Namespace
  readonly token: Token | undefined
}

/** The service's documentation of itself, made from the declarations of its operations. */
export interface Documentation {
  /**
   * Help on a path from the namespace (behaviour/secrets#api-help): `{help, see_also, openapi}`.
   * The document is about the path and those below it, and its paths are relative to it. Help is
   * there at the root of a mount, above mounts (`auth`), at declared paths and above them.
   *
   * @throws absent where the service has nothing at or below the path.
   */
  help(reader: Reader, path: string): object
  /**
   * The OpenAPI document of every mount that the reader has a capability in. With
   * `genericMountPaths` mounts that can be elsewhere are a parameter of the paths.
   */
  service(reader: Reader, genericMountPaths: boolean): object
}

/** The parts that a process has once, for all its worlds. */
export interface ProcessServices {
  /** The service's documentation of itself. */
  readonly documentation: Documentation
  readonly replication: Replication
}

/** One operation under way: everything a handler gets. */
export interface Call<Params = Readonly<Record<string, string>>, Values = unknown> {
  readonly world: World
  readonly namespace: Namespace
  readonly verb: Verb
  /** The mount that the path belongs to. */
  readonly mount: Mount
  /** The whole path from the namespace: `secret/data/app/db`. */
  readonly path: string
  readonly params: Params
  /** The declared fields, converted. */
  readonly fields: Values
  /** Everything the caller sent as body or query, unconverted. */
  readonly input: Readonly<Record<string, Json>>
  /** The caller; undefined on open paths. */
  readonly token: Token | undefined
  readonly request: RequestInfo
  readonly process: ProcessServices
  /** The wrapping that the caller wants for the answer. */
  readonly wrapping: Wrapping | undefined
}

/** A caller's wish for wrapping (behaviour/secrets#wrapping). */
export interface Wrapping {
  /** Seconds; 0 wraps nothing. */
  readonly ttl: number
  /** Where to unwrap, for a token in the form of a JWT; undefined for an opaque one. */
  readonly address: string | undefined
}

/** The part of a call that is known before its token is looked at. */
export type UnauthenticatedCall = Pick<Call, 'world' | 'input' | 'request'>

/**
 * Who may call: `anyone` needs no client token, `token` any valid one, `capability` one whose policies
 * allow what the verb is about, `sudo` the capability `sudo` besides.
 */
export type SecretsAccess = 'anyone' | 'token' | 'capability' | 'sudo'

/** A fact that holds in some worlds. */
export interface WorldCondition {
  /** For documents, behind "anyone": `on a DR secondary`. */
  readonly text: string
  holds(world: World): boolean
}

/**
 * The members that operations of this API declare besides. Fields are those of the body, or of the
 * query.
 */
interface OperationFlags {
  readonly verb: Verb
  /** `capability` unless given. */
  readonly access?: SecretsAccess
  /** Anyone may call in worlds where this holds. */
  readonly unauthenticatedWhen?: WorldCondition
  /** Answers on a DR secondary too, where every other path is disabled (behaviour/secrets#dr-gate). */
  readonly onSecondary?: boolean
  /**
   * Returns the token of a call before it is authenticated, or refuses the call: wrapping tokens are
   * refused with words of their own. Policies are then asked about the path in that token's
   * namespace, not in that of the request (behaviour/secrets#wrapping). Open operations call it only
   * if the path does not offer the verb.
   */
  readonly resolveToken?: (call: UnauthenticatedCall) => string
  /**
   * What is special about the HTTP methods of the path. `any`: each is a write; `head`: HEAD answers as
   * GET does, without the body; `checked-first`: a wrong one is refused before the token is looked at,
   * as bare endpoints always do.
   */
  readonly methods?: 'any' | 'head' | 'checked-first'
  /** Takes any further keys (key-value version 1): no warning about unknown ones. */
  readonly acceptsUnknownFields?: boolean
  /** A system endpoint outside the envelope with errors of its own (behaviour/secrets#body-kinds). */
  readonly unenveloped?: boolean
  /** Answers while the service is sealed too, where every other path is 503. */
  readonly worksWhileSealed?: boolean
  /** The manner in which a bare endpoint decodes the body of a write. */
  readonly strict?: StrictBody
  /** Unavailable in namespaces other than the root (behaviour/secrets#namespace-header). */
  readonly rootOnly?: boolean
  /** There in the enterprise edition alone (behaviour/secrets#api-editions). */
  readonly enterprise?: boolean
}

interface DeclarationBase<Path extends string, F extends FieldSchemas>
  extends Omit<OperationDeclaration<Path, F>, 'reply'>,
    OperationFlags {
  /**
   * Of a write, whether what it would touch exists, which decides between the capabilities `create`
   * and `update`. Without it every write needs `update`.
   */
  readonly exists?: (call: Call<PathParams<Path>>) => boolean
}

/** The work of an operation: `run` returns the reply, `apply` has none but 204. */
type Work<Path extends string, F extends FieldSchemas> =
  | {
      readonly reply: Replies
      run(call: Call<PathParams<Path>, FieldValues<F>>): SecretsOutcome | Deferred<SecretsOutcome>
    }
  | {
      readonly reply?: Replies
      apply(call: Call<PathParams<Path>, FieldValues<F>>): void
    }

type Declaration<Path extends string, F extends FieldSchemas> = DeclarationBase<Path, F> &
  Work<Path, F>

type GroupedDeclaration<Path extends string, F extends FieldSchemas> = Omit<
  DeclarationBase<Path, F>,
  'spec'
> &
  Partial<Pick<DeclarationBase<Path, F>, 'spec'>> &
  Work<Path, F>

/** An operation of an engine, whose types are settled. */
export interface SecretsOperation
  extends OperationDeclaration<string, FieldSchemas>,
    OperationFlags {
  /** Those of the body or the query. */
  readonly fields: FieldSchemas
  readonly convert: (input: Readonly<Record<string, Json>>) => unknown
  readonly exists?: ((call: Call) => boolean) | undefined
  run(call: Call): SecretsOutcome | Deferred<SecretsOutcome>
}

/** The operations that share a path of an engine. What they say of the path is the same in each. */
export type SecretsPlace = Route<SecretsOperation>

/**
 * Declares an operation of an engine. Its path begins at the mount: literal segments, `:name` (one
 * name) and `*name` (the rest, slashes too). A write, patch or delete has a `body` or a `query` of
 * fields, whose values handlers get converted.
 */
export function operation<
  const Path extends string,
  const F extends FieldSchemas = Record<never, never>,
>(declaration: Declaration<Path, F>): SecretsOperation {
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
    // Compiled on first use: most operations of most runs are never called.
    convert: (input) => {
      convert ??= strict === undefined ? compileFields(fields) : compileStrictFields(fields, strict)
      return convert(input)
    },
    // The dispatcher pairs each call with the operation that it was made for.
    exists: exists as SecretsOperation['exists'],
    run: (call) => run(call as Call<PathParams<Path>, FieldValues<F>>),
  }
}

/** Members that the operations of a group share. */
type SharedMembers = Pick<OperationDeclaration, 'spec'> & Partial<OperationFlags>

/** Returns `operation` for a group of operations: each may declare other values. */
export function operationsOf(shared: SharedMembers) {
  return <const Path extends string, const F extends FieldSchemas = Record<never, never>>(
    declaration: GroupedDeclaration<Path, F>,
  ): SecretsOperation => operation<Path, F>({ ...shared, ...declaration })
}

/** Whose token an operation asks for now. */
export function effectiveAccess(
  { access = 'capability', unauthenticatedWhen: openWhere }: SecretsOperation,
  world: World,
): SecretsAccess {
  return openWhere?.holds(world) === true ? 'anyone' : access
}

/** Says who may call, for documents: the capabilities of which any suffices, and `sudo` besides. */
export function formatAccess(operation: SecretsOperation): string {
  const { access = 'capability', unauthenticatedWhen: openWhere } = operation
  if (access === 'anyone' || access === 'token') return access
  const sudo = access === 'sudo' ? ', besides sudo' : ''
  const open = openWhere === undefined ? '' : `; anyone ${openWhere.text}`
  return `${formatCapability(operation)}${sudo}${open}`
}

function formatCapability({ verb, exists }: SecretsOperation): string {
  if (verb !== 'write') return `capability:${verb}`
  return exists === undefined ? 'capability:update' : 'capability:create or capability:update'
}

/** Tells whether an operation asks for no client token now. */
export function isUnauthenticated(operation: SecretsOperation, world: World): boolean {
  return effectiveAccess(operation, world) === 'anyone'
}

/** An engine: the type of mount it serves and its operations. */
export interface Engine {
  readonly type: string
  /** The type that its mounts have, where an engine of another table has that too. */
  readonly mountedType?: string
  readonly operations: readonly SecretsOperation[]
  /**
   * Some of its fields have other names with the vendor. Callers may use either; handlers get the
   * specification's (behaviour/secrets#vendor-names).
   */
  readonly hasVendorFields?: boolean
  /** How its paths are told apart; `mounts` unless given. */
  readonly order?: OrderStrategy
  /** The prefix of its paths where callers have no client token yet, whether one matches or not. */
  readonly unauthenticatedPrefix?: string
  /** Answers for a path that no operation has; the default is 404 `unsupported path`. */
  readonly handleUnmatched?: (call: Call) => SecretsOutcome
}
