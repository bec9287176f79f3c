import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { HandedOnSocket } from './handed-on-socket.ts'
import { inheritWorld } from './listener-world.ts'

const rawSocketKey = Symbol('the connection below TLS')

/** A TLS socket whose connection is known. */
interface SocketOverRaw extends Socket {
  [rawSocketKey]?: Socket
}

/** Notes on which connection a TLS socket runs: only that one can be reset. */
export function rememberRawSocket(secure: Socket, connection: Socket): void {
  const socket: SocketOverRaw = secure
  socket[rawSocketKey] = connection
  inheritWorld(secure, connection)
}

/** The TCP connection of the client who gets an answer; undefined where there is none (`inject`). */
export function clientSocketOf({ socket }: ServerResponse): Socket | undefined {
  const direct: unknown = socket
  const clientSocket: SocketOverRaw | undefined =
    direct instanceof HandedOnSocket ? direct.raw : direct instanceof Socket ? direct : undefined
  return clientSocket?.[rawSocketKey] ?? clientSocket
}
