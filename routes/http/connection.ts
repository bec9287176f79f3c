import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Unwatch } from '../../state/kernel/commits.ts'

/** The other end of a request that waits. */
export interface Connection {
  /** True when the client has gone. */
  readonly closed: boolean
  /** Calls back once when it goes. */
  onClose(leave: () => void): Unwatch
}

const waiting = Symbol('requests that wait behind others')

interface SharedSocket extends Socket {
  [waiting]?: Set<() => void>
}

/**
 * The connection of a request. Node tells a response when its client goes, but not one that is
 * queued behind others of the same connection (pipelining): for those the socket is watched, once for
 * all of them.
 */
export function connectionOf(request: IncomingMessage, response: ServerResponse): Connection {
  return new ClientConnection(request, response)
}

class ClientConnection implements Connection {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request
    this.#response = response
  }

  get closed(): boolean {
    return this.#response.destroyed || this.#request.socket.destroyed
  }

  onClose(leave: () => void): Unwatch {
    const response = this.#response
    if (response.socket === null) return onSocketClose(this.#request.socket, leave)
    response.once('close', leave)
    return () => response.off('close', leave)
  }
}

function onSocketClose(socket: SharedSocket, leave: () => void): Unwatch {
  const queue = socket[waiting] ?? new Set()
  if (socket[waiting] === undefined) {
    socket[waiting] = queue
    socket.once('close', () => {
      for (const each of queue) each()
    })
  }
  queue.add(leave)
  return () => queue.delete(leave)
}
