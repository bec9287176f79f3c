import type { ApiClient } from './api-client.ts'
import type { Reply } from './secrets/secrets.ts'

/** Runs five turns of the event loop, in which all requests that need not wait are answered. */
export async function drainEventLoop(): Promise<void> {
  for (let at = 0; at < 5; at++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** Blocking read. The reply is undefined while the read waits. */
class BlockedRead {
  reply: Reply | undefined
  readonly #indexHeader: string

  constructor(reply: Promise<Reply>, indexHeader: string) {
    this.#indexHeader = indexHeader
    void reply.then((settledReply) => {
      this.reply = settledReply
    })
  }

  /** State of the read: `waits`, or the status, index and body of the reply. */
  get state(): unknown {
    if (this.reply === undefined) return 'waits'
    const { status, headers, body, text } = this.reply
    return [status, headers[this.#indexHeader], body ?? text]
  }

  /** State of the read without the body: `waits`, or the status and index of the reply. */
  get outcome(): unknown {
    return Array.isArray(this.state) ? this.state.slice(0, 2) : this.state
  }
}

/**
 * Returns a function that starts a blocking read, waits until the read is answered or blocks, and
 * returns the read. Replies have the index in the header `indexHeader`.
 */
export function blockingReader(indexHeader: string) {
  return async (client: ApiClient, path: string): Promise<BlockedRead> => {
    const read = new BlockedRead(client.get(path), indexHeader)
    await drainEventLoop()
    return read
  }
}
