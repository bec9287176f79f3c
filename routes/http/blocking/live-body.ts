import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/**
 * Maximum size of the unread backlog in bytes. A client with a larger backlog is disconnected, so
 * that the backlog cannot grow without limit.
 */
const maxBacklog = 1024 * 1024

/**
 * A response body that grows while its connection is open. The body ends when the client
 * disconnects. A client that reads too slowly is disconnected.
 */
export class LiveBody extends Readable {
  readonly #response: ServerResponse
  readonly #onEnd: () => void
  #maxUnread = maxBacklog

  /** @param onEnd called once when the body ends, regardless of the reason */
  constructor(response: ServerResponse, onEnd: () => void) {
    super()
    this.#response = response
    this.#onEnd = onEnd
  }

  override _read(): void {
    // Before the body is piped to the response, Node calls `_read` only to fill the buffer.
    if (this.readableFlowing === null || this.#response.headersSent) return
    // The headers are sent immediately, so that the client knows that the request was accepted.
    this.#response.flushHeaders()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#onEnd()
    done(error)
  }

  /** Sends the initial content, whose size is not limited and does not count as backlog. */
  start(pieces: readonly (string | Buffer)[]): void {
    for (const piece of pieces) this.push(piece)
    this.#maxUnread = maxBacklog + this.readableLength
  }

  /** Sends a new piece, and disconnects the client if the unread backlog is too long. */
  send(piece: string | Buffer): void {
    if (this.destroyed) return
    this.push(piece)
    if (this.readableLength > this.#maxUnread) this.destroy()
  }

  end(): void {
    if (!this.destroyed) this.push(null)
  }
}
