import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Unwatch } from '../../../state/kernel/store/commits.ts'

/** The client connection of a waiting request. */
export interface Connection {
  /** True after the client has disconnected. */
  readonly closed: boolean
  /** Calls `callback` once when the client disconnects. */
  onClose(callback: () => void): Unwatch
}

const closeCallbacks = Symbol('requests that wait behind others')

interface SharedSocket extends Socket {
  [closeCallbacks]?: Set<() => void>
}

/**
 * Returns the connection of a request. Node emits `close` on a response when its client
 * disconnects, but not on a response that waits behind earlier responses on its connection
 * (pipelining). For waiting responses, one listener on the socket therefore notifies all of them.
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

  onClose(callback: () => void): Unwatch {
    const response = this.#response
    if (response.socket === null) return onSocketClose(this.#request.socket, callback)
    response.once('close', callback)
    return () => response.off('close', callback)
  }
}

function onSocketClose(socket: SharedSocket, callback: () => void): Unwatch {
  const callbacks = socket[closeCallbacks] ?? new Set()
  if (socket[closeCallbacks] === undefined) {
    socket[closeCallbacks] = callbacks
    socket.once('close', () => {
      for (const each of callbacks) each()
    })
  }
  callbacks.add(callback)
  return () => callbacks.delete(callback)
}
