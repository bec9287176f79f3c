import type { Meanwhile } from '../../state/kernel/meanwhile.ts'
import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import type { Sent } from '../../state/kernel/shape/values.ts'
import type { World } from '../../state/kernel/world.ts'
import type { MeshCaller } from '../../state/mesh/acl/callers.ts'
import { type Answer, type Operation, operationFor } from '../http/operation.ts'
import type { Query } from '../http/query.ts'
import type { MeshDialect } from './dialect.ts'

/** What a read finds at one moment. */
export interface Reading<Status extends number = 200> {
  /** The index of what is read, for `X-Mesh-Index`. */
  readonly index: number
  /** As in an `Answer`. */
  readonly body?: unknown
  /** 200 unless given. */
  readonly status?: Status
  readonly headers?: Readonly<Record<string, string>>
  /** Whether something was left out that the caller may not see. */
  readonly filtered?: boolean
}

/**
 * A read that can block (3a-mesh-decisions.md section 4): reads and checks that the caller may, each
 * time anew, also when a wait is over. What it looks at is what it waits for; what it refuses ends the
 * wait.
 */
export type Read<Status extends number = 200> = () => Reading<Status>

/**
 * What operations work in, beside their parameters. The body of an `Answer` is sent as JSON, but a
 * text as plain text, bytes as they are, and undefined not at all.
 */
export interface MeshContext {
  readonly world: World
  readonly dialect: MeshDialect
  readonly query: Query
  /** The token that was sent, if any. */
  readonly secret: string | undefined
  /** Who calls, as it is now; refuses an unknown token (403). */
  readonly caller: MeshCaller
  /** The namespace that `?ns=` or the header asks for. */
  readonly namespace: string | undefined
  /** The body as sent; empty when there is none. */
  readonly body: Buffer
  /**
   * The body as JSON.
   *
   * @param what begins the text of a refusal: `Request` unless given
   */
  decode<const S extends StructShape>(shape: S, what?: string): Sent<S>
  /**
   * Answers a read: looks at the parameters that every read takes, waits if they say so, and adds the
   * headers of reads.
   */
  read<Status extends number = 200>(
    read: Read<Status>,
  ): Answer<Status | 200> | Meanwhile<Answer<Status | 200>>
}

/** An operation of the mesh API. The last parameter of its path takes the rest of it, slashes included. */
export type MeshOperation = Operation<MeshContext>

/** Declares an operation of the mesh API. */
export const operation = operationFor<MeshContext>()
