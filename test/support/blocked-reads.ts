import type { ApiClient } from './api-client.ts'
import type { Reply } from './secrets/secrets.ts'

/** Lets every request that can be answered be answered. */
export async function drainEventLoop(): Promise<void> {
  for (let at = 0; at < 5; at++) await new Promise<void>((resolve) => setImmediate(resolve))
}

/** A read that may wait, and its answer once there is one. */
class BlockedRead {
  reply: Reply | undefined
  readonly #indexHeader: string

  constructor(reply: Promise<Reply>, indexHeader: string) {
    this.#indexHeader = indexHeader
    void reply.then((settledReply) => {
      this.reply = settledReply
    })
  }

  /** `waits`, or the status, index and body of the answer. */
  get state(): unknown {
    if (this.reply === undefined) return 'waits'
    const { status, headers, body, text } = this.reply
    return [status, headers[this.#indexHeader], body ?? text]
  }

  /** `waits`, or the status and index of the answer. */
  get outcome(): unknown {
    return Array.isArray(this.state) ? this.state.slice(0, 2) : this.state
  }
}

/** Begins reads of an API; `indexHeader` is where it tells the index. */
export function blockingReader(indexHeader: string) {
  return async (client: ApiClient, path: string): Promise<BlockedRead> => {
    const read = new BlockedRead(client.get(path), indexHeader)
    await drainEventLoop()
    return read
  }
}
