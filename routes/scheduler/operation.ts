import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { stringifyJson } from '../../state/kernel/deep-json.ts'
import { memoize } from '../../state/kernel/memoize.ts'
import type { Message } from '../../state/kernel/message.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { JsonSchema } from '../../state/kernel/schema.ts'
import type { Shape, StructShape } from '../../state/kernel/shape/kinds.ts'
import type { ParsedOf } from '../../state/kernel/shape/values.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { SchedulerCaller } from '../../state/scheduler/acl/callers.ts'
import type { TokenResolver } from '../../state/scheduler/acl/token-resolution.ts'
import type { StreamUpdate } from '../http/blocking/streaming-body.ts'
import type { DialectName } from '../http/declare/dialect.ts'
import {
  type Answer,
  type DecodingDeclaration,
  type DecodingOperation,
  type NoBody,
  type PathParams,
  variantsByMethod,
} from '../http/declare/operation.ts'
import { CachedJson, JsonInParts, JsonText, jsonListOf, longListLength } from '../http/json-text.ts'
import { stringifyInParts } from '../http/long-json.ts'
import type { Query } from '../http/query.ts'
import type { ErrorReply } from '../http/text-api.ts'
import { checkRights, type SchedulerAccess } from './access.ts'
import { type SchedulerDialect, schedulerDialect } from './dialect.ts'
import { checkQuery, type ReadOptions } from './query.ts'

/**
 * Function that renders a value of a shape as JSON. The JSON of rows, and of objects that derive
 * from rows, is cached.
 */
type BodyRenderer = (world: World, value: unknown) => JsonText | JsonInParts

type BodyRenderers = Readonly<Record<DialectName, BodyRenderer>>

/** Creates the renderers of a shape. The values must be immutable, like rows. */
function renderersOf(shape: Shape): BodyRenderers {
  return { neutral: rendererOf(shape, 'neutral'), vendor: rendererOf(shape, 'vendor') }
}

function rendererOf(shape: Shape, name: DialectName): BodyRenderer {
  const dialect = schedulerDialect(name)
  const write = (value: unknown): CachedJson =>
    new CachedJson(stringifyJson(dialect.renameMembers(shape, value)))
  if (shape.kind === 'nullable') return rendererOf(shape.to, name)
  if (shape.kind === 'list' && shape.orderedBy === undefined) {
    const item = rendererOf(shape.of, name)
    return (world, value) => {
      if (!Array.isArray(value)) return write(value)
      return jsonListOf(value, (each) => {
        const json = item(world, each)
        return json instanceof JsonText ? json.text : json
      })
    }
  }
  return (world, value) => {
    if (typeof value !== 'object' || value === null) return write(value)
    if (!world.derived(value, hasLongCollection)) return world.derived(value, write)
    return new JsonInParts(function* () {
      return yield* stringifyInParts(yield* dialect.renameMembersInParts(shape, value))
    })
  }
}

/**
 * Number of entries above which a map is rendered in parts. Objects of a struct shape never have
 * this many members.
 */
const longMapSize = 100

/** Returns whether a value contains a long list or map, at any depth. */
function hasLongCollection(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  const members: readonly unknown[] = Object.values(value)
  return (
    members.length > (Array.isArray(value) ? longListLength : longMapSize) ||
    members.some(hasLongCollection)
  )
}

/** The result of one attempt of a read. */
export interface Reading {
  /** Index of the data that was read, for `X-Sched-Index` and for waits. */
  readonly index: number
  /** A value of the shape that the operation declares for the status 200. */
  readonly body?: unknown
  /** Message of the 404; undefined if the object exists. */
  readonly absentMessage?: Message
  /** Token of the next page; undefined for the last page. */
  readonly nextToken?: string | undefined
  /** Number of seconds for which clients may cache the reply. */
  readonly maxAge?: number
}

/**
 * A read that can block (behaviour/scheduler#blocking). The function runs at the start and again
 * whenever a wait ends. A wait observes the data that the function reads. A refusal ends the wait.
 */
export type Read = (options: ReadOptions) => Reading

/**
 * Members of a body that repeat the region, namespace and token of the request. The query and the
 * headers take precedence. Null and empty strings count as missing (behaviour/scheduler#bodies).
 */
export interface BodyAddress {
  readonly Region?: string | null
  readonly Namespace?: string | null
  readonly token?: string | null
}

/** The request that an operation serves, and the functions that build its reply. */
export interface SchedulerContext {
  readonly world: World
  readonly dialect: SchedulerDialect
  readonly query: Query
  /**
   * The caller. Reading this member throws a refusal if the token is not valid or the region is
   * unknown.
   */
  readonly caller: SchedulerCaller
  /**
   * The query parameter `namespace`. Undefined if the request omits the parameter, which usually
   * means `default`.
   */
  readonly queryNamespace: string | undefined
  /**
   * The query parameter `namespace`, otherwise the namespace that the body names, otherwise
   * `default`.
   */
  readonly namespace: string
  readonly hasBody: boolean
  readonly access: SchedulerAccess
  readonly params: Readonly<Record<string, string>>
  /** The SecretID in the request, not yet verified; undefined without a token. */
  readonly secret: string | undefined
  /**
   * Decodes the body as Go does. Operations that declare a body use the member `body` of the call
   * instead.
   */
  decode<const S extends StructShape>(shape: S): ParsedOf<S>
  /** The undecoded body; empty without a body. */
  readonly text: string
  /**
   * Checks the region and the token. Servers make these checks before any look-up. Rights are
   * checked separately.
   */
  authenticate(): void
  /**
   * Uses the region, namespace and token in a body. Values in the query or in the headers take
   * precedence.
   */
  applyBodyAddress(address: BodyAddress): void
  /**
   * Answers a read: parses the common parameters of reads, waits as the parameters request, and
   * adds the read headers.
   */
  read(read: Read): Answer | Deferred<Answer>
  /** Answers a read that never waits, regardless of the parameters. The reply has read headers. */
  readWithoutWaiting(read: Read): Answer | Deferred<Answer>
  /** Answers a read without an index: the read does not wait, and the reply has no read headers. */
  readUnindexed(read: () => unknown): Answer
  /** Answers like `readUnindexed`, but first validates the common parameters of reads. */
  readUnindexedWithOptions(read: () => unknown): Answer
  /** Returns a reply that streams a growing body. New content is sent in pieces. */
  stream(mediaType: string, readGrowth: () => StreamUpdate): Answer
  /** Returns a reply whose body is the stream that `makeStream` creates for the response. */
  streamResponse(
    headers: Readonly<Record<string, string>>,
    makeStream: (response: ServerResponse) => Readable,
  ): Answer
  /**
   * Returns the reply to a write, with the status 200 and an index. Default index: that of the
   * commit.
   */
  writeReply(body?: object, index?: number): Answer
  /**
   * Returns the reply to a write, as `writeReply` does. The last member of the body is the index of
   * the commit.
   */
  writeReplyWithIndex(members: object): Answer
}

/** Members that only operations of this API declare. */
interface SchedulerMembers {
  readonly access: SchedulerAccess
  /**
   * True if the operation accepts any method except HEAD and OPTIONS. Documents show the declared
   * method.
   */
  readonly acceptsAnyMethod?: true
  /**
   * Reply to a request whose method the path does not support, if it differs from the usual reply.
   */
  readonly wrongMethod?: ErrorReply
  /** True for an operation that can be called with POST but not with PUT. */
  readonly refusesPut?: true
  /** True if the operation is available without a leader, even without `stale`. */
  readonly withoutLeader?: true
  /**
   * The part of the cluster that resolves the token; default: `server`. The error for an invalid
   * token depends on this part.
   */
  readonly tokenResolver?: TokenResolver
  /**
   * Schema of the body of a reply with status 200, if the shape does not describe the body
   * completely.
   */
  readonly schema?: (dialect: DialectName) => JsonSchema
  /**
   * Throws a refusal for invalid parameters. Called before the method of the request is checked.
   */
  readonly beforeMethod?: (query: Query) => void
  /**
   * Throws a refusal for an invalid name in the path. Called before the method and the token are
   * checked.
   */
  readonly checkPath?: (params: Readonly<Record<string, string>>) => void
}

/**
 * An operation of the jobs API. An operation with the method POST also serves PUT, unless
 * `refusesPut` is set; an operation with PUT serves only PUT.
 */
export interface SchedulerOperation extends DecodingOperation<SchedulerContext>, SchedulerMembers {
  /**
   * Shape of the body of a reply with status 200. The shape determines the names of members in each
   * dialect. Undefined if the body is sent unchanged.
   */
  readonly bodyShape: Shape | undefined
  /** Renderers of the body of a reply with status 200; undefined if the body is sent unchanged. */
  readonly renderers: BodyRenderers | undefined
}

interface Declaration<Path extends string, Body extends StructShape>
  extends DecodingDeclaration<SchedulerContext, Path, Body>,
    SchedulerMembers {
  /** Returns the operation's own error for an invalid body. */
  readonly bodyError?: (why: Message) => Error
  /** Returns the region, namespace and token in the body, if the operation uses them. */
  readonly bodyAddress?: (body: ParsedOf<Body>) => BodyAddress
  /**
   * Shapes of the bodies by status; null means that there is no body. Default: a 200 without a
   * body.
   */
  readonly reply?: Readonly<Record<number, Shape | null>>
}

/**
 * Returns functions, one for each HTTP method, that declare operations. `shared` holds the members
 * that all these operations have. The first parameter of a path may contain slashes. POST also
 * serves PUT, because nearly all paths that write treat the two methods alike
 * (behaviour/scheduler#conventions).
 */
export function operationsOf(
  shared: Pick<SchedulerOperation, 'spec' | 'withoutLeader' | 'tokenResolver'>,
) {
  return variantsByMethod(
    (method) =>
      <const Path extends string, const Body extends StructShape = NoBody>(
        id: string,
        path: Path,
        declaration: Declaration<Path, Body>,
      ): SchedulerOperation => {
        const { query, body, bodyOptional, bodyError, access, schema, run } = declaration
        const { bodyAddress } = declaration
        const { reply: shapes = { 200: null } } = declaration
        const bodyShape = shapes[200] ?? undefined
        // The shapes are computed on demand: the schema of a job is large, and only the validation
        // of replies needs it.
        const reply = memoize(() => (schema === undefined ? shapes : { 200: schema('neutral') }))
        return {
          ...shared,
          ...declaration,
          id,
          path,
          method,
          bodyShape,
          renderers: bodyShape && renderersOf(bodyShape),
          get reply() {
            return reply()
          },
          run({ context, params }) {
            const input = memoize(() => {
              if (body === undefined) throw new Error(`${id} declares no body`)
              const decoded = decodeInput(context, body, bodyError)
              if (bodyAddress !== undefined) context.applyBodyAddress(bodyAddress(decoded))
              return decoded
            })
            // Reads check access at each attempt, so access is checked here for other methods only.
            if (method !== 'GET') {
              checkRights(context, 'first')
              if (access !== 'anyone' && access.when === 'before') {
                checkQuery(context.query, query)
                if (body !== undefined && (context.hasBody || bodyOptional !== true)) input()
                checkRights(context, 'before')
              }
            }
            // The cast is safe: the router matches exactly the parameters of the path.
            return run({ context, params: params as PathParams<Path>, body: input })
          },
        }
      },
  )
}

function decodeInput<const S extends StructShape>(
  context: SchedulerContext,
  shape: S,
  toError: ((why: Message) => Error) | undefined,
): ParsedOf<S> {
  try {
    return context.decode(shape)
  } catch (error) {
    throw toError !== undefined && error instanceof Refusal ? toError(error.reason) : error
  }
}
