import type { RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Serves the requests of a connection in their order. Node begins with a pipelined request while the
 * body of the one before is still on its way to the handler, and it would be answered from the state
 * before that one (behaviour/program#in-order). Reads behind reads need not wait: many may be blocked
 * on one connection.
 */
export function inOrder(handler: RequestListener): RequestListener {
  const lastWrites = new WeakMap<Socket, ServerResponse>()
  return (request, response) => {
    const { socket, method } = request
    const isRead = method === 'GET' || method === 'HEAD'
    // A response gets the socket once all before it are out.
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
