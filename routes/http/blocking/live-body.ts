import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/** A reader for whom so many bytes wait is cut: what it does not take must not pile up. */
const maxBacklog = 1024 * 1024

/**
 * A body that grows while its connection is held. A client that leaves ends it; one that takes too
 * little of it loses its connection.
 */
export class LiveBody extends Readable {
  readonly #response: ServerResponse
  readonly #onEnd: () => void
  #allowance = maxBacklog

  /** @param onEnd called once, whatever ends it */
  constructor(response: ServerResponse, onEnd: () => void) {
    super()
    this.#response = response
    this.#onEnd = onEnd
  }

  override _read(): void {
    // Node fills the buffer before anybody reads, when the reply has no headers yet.
    if (this.readableFlowing === null || this.#response.headersSent) return
    // Who waits for the first piece learns that the request was taken.
    this.#response.flushHeaders()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#onEnd()
    done(error)
  }

  /** Sends what was there before, however much it is. */
  start(pieces: readonly (string | Buffer)[]): void {
    for (const piece of pieces) this.push(piece)
    this.#allowance = maxBacklog + this.readableLength
  }

  /** Sends what is new. */
  send(piece: string | Buffer): void {
    if (this.destroyed) return
    this.push(piece)
    if (this.readableLength > this.#allowance) this.destroy()
  }

  /** Sends nothing more. */
  end(): void {
    if (!this.destroyed) this.push(null)
  }
}
