import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Returns a listener that serves the requests of a connection in order. Node starts a pipelined
 * request while the body of the preceding request is still arriving, so the later request could
 * otherwise be served first (behaviour/program#in-order). Reads need not wait for other reads: many
 * may block on one connection.
 */
export function inOrder(handler: RequestListener): RequestListener {
  const lastWrites = new WeakMap<Socket, ServerResponse>()
  return (request, response) => {
    const { socket, method } = request
    const isRead = method === 'GET' || method === 'HEAD'
    // The response gets the socket only after all preceding responses of the connection were sent.
    const isFirst = response.socket !== null
    const write = isFirst ? undefined : lastWrites.get(socket)
    if (!isRead) lastWrites.set(socket, response)
    if (isFirst || (isRead && (write === undefined || write.writableFinished))) {
      handler(request, response)
    } else if (isRead && write !== undefined) {
      write.once('close', () => handler(request, response))
    } else {
      response.once('socket', () => handler(request, response))
    }
  }
}
