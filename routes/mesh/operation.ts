import type { Message } from '../../state/kernel/message.ts'
import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import type { ParsedOf } from '../../state/kernel/shape/values.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { MeshCaller } from '../../state/mesh/acl/callers.ts'
import type { AgentFiles } from '../../state/mesh/file-definitions.ts'
import type { WaitOptions } from '../http/blocking/blocking.ts'
import type { LogLevel } from '../http/blocking/log-stream.ts'
import {
  type Answer,
  type DecodingDeclaration,
  type DecodingOperation,
  type NoBody,
  type PathParams,
  type Replies,
  variantsByMethod,
} from '../http/declare/operation.ts'
import type { Query } from '../http/query.ts'
import { checkRights, type MeshAccess } from './access.ts'
import type { CacheKind } from './cache-headers.ts'
import type { MeshDialect } from './dialect.ts'

/** Result of a read. A blocking read produces one result for each attempt. */
export interface Reading<Status extends number = 200> {
  /** Index of the data that was read, for `X-Mesh-Index`. */
  readonly index: number
  /**
   * 64-bit index that can only be compared for equality: a greater value is not a later one. A wait
   * continues while this index equals the index in the request. A reply with such an index has no
   * other read headers, and `index` is ignored.
   */
  readonly unorderedIndex?: bigint
  /** Index in the reply if a wait has timed out; undefined if the reply has `index`. */
  readonly indexAtTimeout?: number
  /** Body of the reply, sent as `MeshContext` describes. */
  readonly body?: unknown
  /** Status of the reply. Default: 200. */
  readonly status?: Status
  readonly headers?: Readonly<Record<string, string>>
  /** True if results were left out because the caller may not read them. */
  readonly isFiltered?: boolean
  /** True to leave out the index and the other headers that replies to reads normally have. */
  readonly omitsReadHeaders?: boolean
}

/**
 * Differences between the headers of reads of different kinds (behaviour/mesh#conventions and
 * behaviour/mesh#reads).
 */
export interface ReadFlags {
  /** True to send the consistency mode, as reads of namespaces, catalog and health do. */
  readonly showsConsistency?: boolean
  /**
   * True to report filtered results also to callers without a token, as the list of namespaces
   * does.
   */
  readonly showsFilteringToAnonymous?: boolean
  /**
   * True for a read without an index. Such a read sends no index headers, and waits only with
   * `replacementWait`.
   */
  readonly isPlain?: boolean
  /**
   * True for a read that the product answers from a stream if the request names an index or accepts
   * cached results (behaviour/mesh#health).
   */
  readonly isStreamable?: boolean
  /** Kind of the agent's cache for requests with `cached`; left out if `cached` has no effect. */
  readonly cache?: CacheKind
  /**
   * Wait parameters that replace those in the request. Used by reads whose index is not the index
   * of the data.
   */
  readonly replacementWait?: WaitOptions
  /** True to send read headers also with refusals, as reads of ACL objects do. */
  readonly hasReadHeadersOnRefusal?: boolean
}

/**
 * A read that can block (behaviour/mesh#reads). The function runs at the start and at each change
 * that may end the wait. A wait observes the data that the latest call read; a refusal ends the
 * wait.
 */
export type Read<Status extends number = 200> = () => Reading<Status>

/**
 * A request as an operation sees it. The body of the operation's `Answer` is sent as JSON, a string
 * as plain text, and bytes unchanged; undefined means that there is no body.
 */
export interface MeshContext {
  readonly world: World
  readonly dialect: MeshDialect
  readonly query: Query
  /**
   * The token of the request or, if the request has none, the agent's default token; undefined if
   * there is neither.
   */
  readonly secret: string | undefined
  /**
   * The caller. Reading this member throws a refusal (403) if the token is unknown or has expired.
   */
  readonly caller: MeshCaller
  readonly access: MeshAccess
  /** Decoded path parameters by name. */
  readonly params: Readonly<Record<string, string>>
  /** Namespace in `?ns=` or in the header; undefined if the request names none there. */
  readonly namespace: string | undefined
  /** The header `Accept`; empty if there is none. */
  readonly accept: string
  /** Configuration files of the agent; undefined if the server was started without any. */
  readonly files: AgentFiles | undefined
  /** The raw body; empty if there is none. */
  readonly body: Buffer
  /**
   * Decodes the body as JSON. Throws a refusal if the body does not fit the shape. Operations that
   * declare a body use the member `body` of the call instead.
   *
   * @param subject start of the refusal's message, `Request` by default
   */
  decode<const S extends StructShape>(shape: S, subject?: string): ParsedOf<S>
  /**
   * Throws a refusal for invalid parameters of a read. Called by operations that check something
   * else between these parameters and the call of `read`.
   */
  checkReadParameters(): void
  /**
   * Throws a refusal if the request names another datacenter. An operation that writes calls this
   * method at the point where the product forwards the request: after the checks of parameters and
   * body, before the token is resolved.
   */
  requireOwnDatacenter(): void
  /** Stores, for explanations, the reason for an answer that is returned without an exception. */
  noteReason(reason: Message): void
  /**
   * Returns a reply that streams the agent's log, from now until the client leaves or the world
   * ends.
   */
  streamLog(level: LogLevel, isJson: boolean): Answer<200>
  /**
   * Answers a read: parses the common parameters of reads, waits if these parameters request a
   * wait, and adds the read headers. The operation's access is checked at each attempt. A wait that
   * times out returns the result of its last attempt.
   */
  read<Status extends number = 200>(
    read: Read<Status>,
    flags?: ReadFlags,
  ): Answer<Status | 200> | Deferred<Answer<Status | 200>>
}

/**
 * Answers a read that validates the common parameters of reads, but neither waits nor sends an
 * index.
 */
export function readWithoutIndex(context: MeshContext, bodyOf: () => unknown) {
  return context.read(() => ({ index: 0, body: bodyOf() }), { isPlain: true })
}

/** Members that a declaration of an operation has only in this API. */
export interface MeshMembers {
  readonly access: MeshAccess
  /** True if the operation accepts bytes instead of JSON. */
  readonly rawBody?: boolean
  /**
   * Members of a request's tenancy that the operation evaluates; by default namespace and
   * partition. The community edition refuses the evaluated members and ignores the other members
   * (behaviour/mesh#community).
   */
  readonly tenancy?: 'partition' | 'none'
}

/**
 * An operation of the mesh API. In the path of a request, the value of the first parameter may
 * contain slashes.
 */
export interface MeshOperation extends DecodingOperation<MeshContext>, MeshMembers {}

/** Members that the operations of a group share. */
interface OperationGroup extends Pick<MeshOperation, 'spec'> {
  /** Called at the start of every operation of the group; throws to refuse the request. */
  readonly precheck?: (context: MeshContext) => void
}

/** Returns functions, one for each HTTP method, that declare the operations of a group. */
export function operationsOf({ precheck, ...shared }: OperationGroup) {
  return variantsByMethod(
    (method) =>
      <
        const Path extends string,
        const Reply extends Replies,
        const Body extends StructShape = NoBody,
      >(
        id: string,
        path: Path,
        declaration: DecodingDeclaration<MeshContext, Path, Body, keyof Reply & number> &
          MeshMembers & { readonly reply: Reply },
      ): MeshOperation => {
        const { body, run } = declaration
        return {
          ...shared,
          ...declaration,
          id,
          path,
          method,
          run: ({ context, params }) => {
            precheck?.(context)
            checkRights(context, 'first')
            return run({
              context,
              // The cast is safe: the router matches exactly the parameters of the path.
              params: params as PathParams<Path>,
              body(subject) {
                if (body === undefined) throw new Error(`${id} declares no body`)
                return context.decode(body, subject)
              },
            })
          },
        }
      },
  )
}
