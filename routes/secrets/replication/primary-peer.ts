import type { ReplicationMessage } from '../../../state/secrets/replication/feed.ts'
import type { SecondaryIntroduction } from '../../../state/secrets/replication/secondaries.ts'

/** Maximum time between two messages of a primary, in milliseconds of real time. */
export const heartbeatInterval = 1_000

/** The request with which a secondary opens a stream. */
export interface StreamRequest {
  readonly credential: string
  /**
   * Feed and sequence number of the last commit that the secondary has. Undefined if the secondary
   * has no commit or was restored.
   */
  readonly position?: { readonly feed: string; readonly sequence: number } | undefined
  /**
   * The Merkle root of the secondary. If it equals the primary's Merkle root, no full copy is
   * needed.
   */
  readonly root: string
}

/** A primary from the point of view of a secondary, in the same process or over HTTP. */
export interface PrimaryPeer {
  /**
   * Uses up an activation token. Resolves to the text of the body that was wrapped. Rejects with a
   * `PrimaryFailure` if the primary refuses.
   */
  unwrap(token: string): Promise<string>
  /**
   * Joins the primary with the credential of the token. Rejects with a `PrimaryFailure` if the
   * primary refuses.
   */
  activate(credential: string, secondaryInfo: SecondaryIntroduction): Promise<void>
  /**
   * Streams either a full copy or the missed commits, then each new commit. The stream ends when
   * the signal aborts or when either side ends it.
   */
  stream(request: StreamRequest, signal: AbortSignal): AsyncIterable<ReplicationMessage>
  /**
   * Registers a callback for changes after which a connection may succeed. Returns a function that
   * unregisters the callback. Undefined for a primary in another process.
   */
  onChange?(notify: () => void): () => void
}

/** Error for a failure that a primary reported. */
export class PrimaryFailure extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'PrimaryFailure'
    this.status = status
  }
}
