import type { ReplicationMessage } from '../../../state/secrets/replication/feed.ts'
import type { SecondaryIntroduction } from '../../../state/secrets/replication/secondaries.ts'

/** A primary says a word at least this often, in milliseconds of real time. */
export const heartbeatInterval = 1_000

/** The request of a secondary that connects. */
export interface StreamRequest {
  readonly credential: string
  /** Up to where it has the commits of a feed; left out when it knows of none. */
  readonly position?: { readonly feed: string; readonly sequence: number } | undefined
  /** Its merkle root: with equal ones nothing has to be sent. */
  readonly root: string
}

/** A primary as a secondary reaches it: in the same process, or over HTTP. */
export interface PrimaryPeer {
  /** Uses up an activation token; returns the text of the body that it stood for. */
  unwrap(token: string): Promise<string>
  /** Joins, with the credential that the token gave. */
  activate(credential: string, secondaryInfo: SecondaryIntroduction): Promise<void>
  /** Everything there is or was missed, then what happens, until the signal or either side ends it. */
  stream(request: StreamRequest, signal: AbortSignal): AsyncIterable<ReplicationMessage>
  /** Tells when it may be worth while to connect again. Returns how to stop. */
  onChange?(notify: () => void): () => void
}

/** A primary that answered, but with a failure. */
export class PrimaryFailure extends Error {
  /** The HTTP status. */
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'PrimaryFailure'
    this.status = status
  }
}
