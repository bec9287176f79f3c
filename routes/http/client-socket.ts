import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { HandedOnSocket } from './handed-on-socket.ts'
import { inherit } from './listener-world.ts'

const carrier = Symbol('the connection below TLS')

/** A TLS socket whose connection is known. */
interface Carried extends Socket {
  [carrier]?: Socket
}

/** Notes on which connection a TLS socket runs: only that one can be reset. */
export function carry(secure: Socket, connection: Socket): void {
  const carried: Carried = secure
  carried[carrier] = connection
  inherit(secure, connection)
}

/** The TCP connection of the client who gets an answer; undefined where there is none (`inject`). */
export function clientSocketOf({ socket }: ServerResponse): Socket | undefined {
  const direct: unknown = socket
  const own: Carried | undefined =
    direct instanceof HandedOnSocket ? direct.raw : direct instanceof Socket ? direct : undefined
  return own?.[carrier] ?? own
}
