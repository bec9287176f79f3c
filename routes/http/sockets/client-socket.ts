import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { HandedOnSocket } from './handed-on-socket.ts'
import { inheritWorld } from './listener-world.ts'

const rawSocketKey = Symbol('the connection below TLS')

/** A TLS socket that remembers its TCP connection. */
interface SocketOverRaw extends Socket {
  [rawSocketKey]?: Socket
}

/**
 * Stores the TCP connection of a TLS socket, because only a TCP connection can be reset. Also
 * assigns the world of the connection to the TLS socket.
 */
export function rememberRawSocket(secure: Socket, connection: Socket): void {
  const socket: SocketOverRaw = secure
  socket[rawSocketKey] = connection
  inheritWorld(secure, connection)
}

/**
 * Returns the socket of the client, or undefined if the argument is not a socket. After `LIST` or
 * `HELP`, the argument is a wrapper around the socket.
 */
export function connectionOf(socket: unknown): Socket | undefined {
  if (socket instanceof HandedOnSocket) return socket.raw
  return socket instanceof Socket ? socket : undefined
}

/**
 * Returns the TCP connection of a response's client; undefined for an injected request, which has
 * none.
 */
export function clientSocketOf({ socket }: ServerResponse): Socket | undefined {
  const clientSocket: SocketOverRaw | undefined = connectionOf(socket)
  return clientSocket?.[rawSocketKey] ?? clientSocket
}
