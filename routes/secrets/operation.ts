import type { Json } from '../../state/json/json.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { World } from '../../state/kernel/world.ts'
import type { Mount } from '../../state/secrets/mounts/mounts.ts'
import type { Namespace } from '../../state/secrets/namespaces/namespaces.ts'
import type { Token } from '../../state/secrets/tokens/tokens.ts'
import type { Documentation } from './documentation.ts'
import type { FieldSchemas, FieldValues } from './fields.ts'
import type { Outcome } from './outcome.ts'
import type { Replication } from './replication/replication.ts'

/**
 * What can be done with a path. HTTP verbs become these once, at the door: GET reads, LIST (or GET
 * with list=true) lists, POST and PUT write, PATCH patches, DELETE deletes (1-secrets.md,
 * Conventions 3 and 5).
 */
export type Verb = 'read' | 'list' | 'write' | 'patch' | 'delete'

/** The names in a path pattern: `roles/:name` has `name`, `data/*path` has `path`. */
export type PathParams<Pattern extends string> = {
  readonly [Name in ParamName<Pattern>]: string
}

type ParamName<Pattern extends string> = Pattern extends `${infer Head}/${infer Tail}`
  ? ParamName<Head> | ParamName<Tail>
  : Pattern extends `:${infer Name}`
    ? Name
    : Pattern extends `*${infer Name}`
      ? Name
      : never

/** What a handler may ask of the HTTP request beyond its path and fields. */
export interface RequestFacts {
  readonly id: string
  /** A header by lower-case name, the first value where there are several. */
  header(name: string): string | undefined
  /** The client token as it was sent; empty without one. Nothing is known about it yet. */
  readonly clientToken: string
  /** The HTTP method; LIST and HELP arrive as GET. */
  readonly method: string
  /** Scheme, host and world prefix as the caller used them, for absolute links. */
  readonly origin: string
}

/** What a process has once, for all its worlds. */
export interface ProcessParts {
  /** What the service says of itself. */
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
  readonly request: RequestFacts
  readonly process: ProcessParts
  /** How the caller wants the answer wrapped. */
  readonly wrapping: Wrapping | undefined
}

/** What a caller says about wrapping (1-secrets-decisions.md section 1, Wrapping). */
export interface Wrapping {
  /** Seconds; 0 wraps nothing. */
  readonly ttl: number
  /** Where to unwrap, for a token in the form of a JWT; undefined for an opaque one. */
  readonly address: string | undefined
}

/** What is known of a call before its token is looked at. */
export type EarlyCall = Pick<Call, 'world' | 'input' | 'request'>

/** One operation on a path, declared once: routing, conversion, help and OpenAPI read it. */
export interface OperationDeclaration<Params, F extends FieldSchemas> {
  readonly summary: string
  /** Needs no client token, at all or while the world is so. */
  readonly open?: boolean | ((world: World) => boolean)
  /** Answers on a DR secondary too, where every other path is disabled (section 7, DR gate). */
  readonly onSecondary?: boolean
  /** Needs a valid token but no capability. */
  readonly anyToken?: boolean
  /**
   * Looks at the call before its token is, and says which token it has: wrapping tokens are refused
   * with words of their own. Policies are then asked about the path in that token's namespace,
   * whichever the request named (1-secrets-decisions.md section 1, Wrapping).
   */
  readonly admits?: (call: EarlyCall) => string
  /** The answer is never wrapped in the form of a JWT: callers could forge what that vouches for. */
  readonly opaqueWrapping?: boolean
  /** Needs the capability `sudo` besides its own. */
  readonly sudo?: boolean
  /** HEAD answers as GET does, without the body. */
  readonly head?: boolean
  /** Body fields of a write or patch, query fields of the others. */
  readonly fields?: F
  /** Takes any further keys (key-value version 1): no warning about unknown ones. */
  readonly anyFields?: boolean
  /** Replies by status; null means no body. Tests check every reply against it. */
  readonly reply: Readonly<Record<number, JsonSchema | null>>
  /** The body of replies with any other status, for operations whose callers choose the status. */
  readonly replyOtherwise?: JsonSchema
  run(call: Call<Params, FieldValues<F>>): Outcome | Promise<Outcome>
}

/** An operation whose types are settled: what tables are made of. */
export interface Operation extends Omit<OperationDeclaration<never, FieldSchemas>, 'run'> {
  readonly convert: (input: Readonly<Record<string, Json>>) => unknown
  run(call: Call): Outcome | Promise<Outcome>
}

/** A path of an engine and its operations. */
export interface PathRow {
  /** From the mount: literal segments, `:name` (one name) and `*name` (the rest, slashes too). */
  readonly pattern: string
  /** Where it is specified. */
  readonly spec: string
  /**
   * Whether what a write would touch exists, which decides between the capabilities `create` and
   * `update`. Without it every write needs `update`.
   */
  readonly exists: ((call: Call) => boolean) | undefined
  /** A system endpoint outside the envelope with errors of its own (section 1, Body kinds). */
  readonly bare: boolean
  /** Unavailable in namespaces other than the root (section 1, Namespaces). */
  readonly rootOnly: boolean
  /** There in the enterprise edition alone (1-secrets.md, What the service does 4). */
  readonly enterprise: boolean
  readonly operations: Readonly<Partial<Record<Verb, Operation>>>
}

/** An engine: the type of mount it serves and its paths. */
export interface Engine {
  readonly type: string
  readonly paths: readonly PathRow[]
  /**
   * Some of its fields have other names with the vendor. Callers may use either; handlers get the
   * specification's (1-secrets-decisions.md section 11).
   */
  readonly renamed?: boolean
  /** What its paths begin with where callers have no client token yet, whether a row matches or not. */
  readonly openPrefix?: string
  /** Answers for a path that no row matches; the default is 404 `unsupported path`. */
  readonly unmatched?: (call: Call) => Outcome
}
