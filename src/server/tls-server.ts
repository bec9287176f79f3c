import type { RequestListener } from 'node:http'
import { Server, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import { rememberRawSocket } from '../../routes/http/sockets/client-socket.ts'

/**
 * An HTTPS server that can be closed at once: Node's `closeAllConnections` passes over clients that
 * are not through with their handshake, for which closing would wait two minutes.
 */
export class TlsServer extends Server {
  readonly #sockets = new Set<Socket>()

  constructor(options: ServerOptions, handler: RequestListener) {
    super(options, handler)
    this.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
    })
    this.on('secureConnection', (secure) => {
      for (const socket of this.#sockets) {
        if (socket.remotePort === secure.remotePort) rememberRawSocket(secure, socket)
      }
    })
  }

  /** Returns how many connections are open, those in their handshake included. */
  get connectionCount(): number {
    return this.#sockets.size
  }

  override closeAllConnections(): void {
    super.closeAllConnections()
    for (const socket of this.#sockets) socket.destroy()
  }
}
