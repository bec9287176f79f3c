import type { RequestListener } from 'node:http'
import { Server, type ServerOptions } from 'node:https'
import type { Socket } from 'node:net'
import { rememberRawSocket } from '../../routes/http/sockets/client-socket.ts'

/**
 * HTTPS server that closes at once. Node's `closeAllConnections` skips connections in their
 * handshake, which would delay closing by two minutes.
 */
export class TlsServer extends Server {
  readonly #sockets = new Set<Socket>()

  constructor(options: ServerOptions, handler: RequestListener) {
    // A login method needs client certificates. By default, the handshake does not verify them.
    super({ rejectUnauthorized: false, ...options, requestCert: true }, handler)
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

  /** Number of open connections, including those in their handshake. */
  get connectionCount(): number {
    return this.#sockets.size
  }

  override closeAllConnections(): void {
    super.closeAllConnections()
    for (const socket of this.#sockets) socket.destroy()
  }
}
