import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/**
 * Limit of the unread backlog in bytes. A slower reader is disconnected, so that its backlog cannot
 * grow without bound.
 */
const maxBacklog = 1024 * 1024

/**
 * Response body that grows while its connection is open. The body ends when the client disconnects;
 * a client that reads too slowly is disconnected.
 */
export class LiveBody extends Readable {
  readonly #response: ServerResponse
  readonly #onEnd: () => void
  #allowance = maxBacklog

  /**
   * @param onEnd called once, for whatever reason the body ends
   */
  constructor(response: ServerResponse, onEnd: () => void) {
    super()
    this.#response = response
    this.#onEnd = onEnd
  }

  override _read(): void {
    // Node fills the buffer before anybody reads if the reply has no headers yet.
    if (this.readableFlowing === null || this.#response.headersSent) return
    // The headers go out at once, so that the client knows that the request was accepted.
    this.#response.flushHeaders()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#onEnd()
    done(error)
  }

  /** Sends the initial content, whatever its size. */
  start(pieces: readonly (string | Buffer)[]): void {
    for (const piece of pieces) this.push(piece)
    this.#allowance = maxBacklog + this.readableLength
  }

  /** Sends one new piece. */
  send(piece: string | Buffer): void {
    if (this.destroyed) return
    this.push(piece)
    if (this.readableLength > this.#allowance) this.destroy()
  }

  end(): void {
    if (!this.destroyed) this.push(null)
  }
}
