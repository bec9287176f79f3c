import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import type { ParsedOf } from '../../state/kernel/shape/values.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { MeshCaller } from '../../state/mesh/acl/callers.ts'
import type {
  Answer,
  Method,
  OperationDeclaration,
  PathParams,
  Replies,
} from '../http/declare/operation.ts'
import type { Query } from '../http/query.ts'
import { checkRights, type MeshAccess } from './access.ts'
import type { MeshDialect } from './dialect.ts'

/** The finding of a read at one moment. */
export interface Reading<Status extends number = 200> {
  /** The index of what is read, for `X-Mesh-Index`. */
  readonly index: number
  /** As in an `Answer`. */
  readonly body?: unknown
  /** 200 unless given. */
  readonly status?: Status
  readonly headers?: Readonly<Record<string, string>>
  /** True when something was left out that the caller may not see. */
  readonly filtered?: boolean
  /** Goes out without the headers of reads. */
  readonly omitsReadHeaders?: boolean
}

/** The headers that a kind of reads tells besides (behaviour/mesh#conventions and behaviour/mesh#reads). */
export interface ReadFlags {
  /** Names the consistency: namespaces, catalog and health do. */
  readonly showsConsistency?: boolean
  /** Says also to callers without a token that something was left out: the namespace list does. */
  readonly showsFilteringToAnonymous?: boolean
  /** Has no index: it never waits, and goes out without the headers that tell of one. */
  readonly isPlain?: boolean
  /** Refusals have headers of reads, too: those of ACL reads. */
  readonly hasReadHeadersOnRefusal?: boolean
}

/**
 * A read that can block (behaviour/mesh#reads): reads, each time anew, also when a wait is
 * over. What it looks at is what it waits for; what it refuses ends the
 * wait.
 */
export type Read<Status extends number = 200> = () => Reading<Status>

/**
 * The surroundings of an operation, beside their parameters. The body of an `Answer` is sent as
 * JSON, but a text as plain text, bytes as they are, and undefined not at all.
 */
export interface MeshContext {
  readonly world: World
  readonly dialect: MeshDialect
  readonly query: Query
  /** The token that was sent, if any. */
  readonly secret: string | undefined
  /** Who calls, as it is now; refuses an unknown token (403). */
  readonly caller: MeshCaller
  /** Who may ask for the operation. */
  readonly access: MeshAccess
  /** What the path names. */
  readonly params: Readonly<Record<string, string>>
  /** The namespace that `?ns=` or the header asks for. */
  readonly namespace: string | undefined
  /** The body as sent; empty when there is none. */
  readonly body: Buffer
  /**
   * The body as JSON. What operations declare they get as `body` of the call.
   *
   * @param subject begins the text of a refusal: `Request` unless given
   */
  decode<const S extends StructShape>(shape: S, subject?: string): ParsedOf<S>
  /**
   * Answers a read: looks at the parameters that every read takes, waits if they say so, and adds the
   * headers of reads. Looks at the operation's rights each time that it reads. A wait that ends by time answers what was there when it began.
   */
  read<Status extends number = 200>(
    read: Read<Status>,
    flags?: ReadFlags,
  ): Answer<Status | 200> | Deferred<Answer<Status | 200>>
}

/** An operation of the mesh API. The last parameter of its path takes the rest of it, slashes included. */
export interface MeshOperation extends OperationDeclaration<string, StructShape> {
  readonly method: Method
  readonly access: MeshAccess
  /** Takes the body as it comes: bytes. */
  readonly rawBody?: boolean
  run(call: {
    readonly context: MeshContext
    readonly params: Readonly<Record<string, string>>
  }): Answer | Deferred<Answer>
}

interface Declaration<Path extends string, Body extends StructShape, Reply extends Replies>
  extends OperationDeclaration<Path, StructShape>,
    Pick<MeshOperation, 'method' | 'access' | 'rawBody'> {
  readonly body?: Body
  readonly reply: Reply
  run(call: {
    readonly context: MeshContext
    readonly params: PathParams<Path>
    /**
     * Reads the body as JSON.
     *
     * @param subject begins the text of a refusal: `Request` unless given
     */
    body(subject?: string): ParsedOf<Body>
  }): Answer<keyof Reply & number> | Deferred<Answer<keyof Reply & number>>
}

/** Declares an operation of the mesh API. */
export function operation<
  const Path extends string,
  const Reply extends Replies,
  const Body extends StructShape = StructShape<Record<never, never>>,
>(declaration: Declaration<Path, Body, Reply>): MeshOperation {
  const { id, body, run } = declaration
  return {
    ...declaration,
    run: ({ context, params }) => {
      checkRights(context, 'first')
      return run({
        context,
        // The router finds what the path names.
        params: params as PathParams<Path>,
        body(subject) {
          if (body === undefined) throw new Error(`${id} declares no body`)
          return context.decode(body, subject)
        },
      })
    },
  }
}
