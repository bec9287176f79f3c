import http, { type Server } from 'node:http'
import https from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import Fastify, { type FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import {
  installExtraVerbs,
  originalVerb,
  restoreVerb,
} from '../../../routes/http/sockets/extra-verbs.ts'
import { HandedOnSocket } from '../../../routes/http/sockets/handed-on-socket.ts'
import { issueCertificate } from '../../../src/server/certificates.ts'
import type { Answer, Target } from '../wire-client.ts'

/** Listening server and the connections it received. */
export type Listening = Target & {
  app: FastifyInstance
  server: Server
  /** Sockets of the clients, in order of connection. */
  sockets: Socket[]
  /** Wrappers that were passed to a new parser. */
  handedOnSockets: HandedOnSocket[]
}

type ServerSettings = {
  tls?: boolean
  options?: http.ServerOptions
  /** Whether to leave out the extra verbs, to show the default behaviour of a server. */
  withoutExtraVerbs?: boolean
  routes?: (app: FastifyInstance) => void
}

/**
 * Starts a Fastify app that answers every request with `{verb, method, url, body}`, on a free port
 * of 127.0.0.1. The app closes when the test ends.
 */
export async function listen(settings: ServerSettings = {}): Promise<Listening> {
  const { tls = false, options = {}, withoutExtraVerbs = false, routes } = settings
  const pem = tls ? await issueCertificate(['localhost']) : undefined
  const app = Fastify({
    rewriteUrl: restoreVerb,
    serverFactory: (handler) =>
      pem === undefined
        ? http.createServer(options, handler)
        : https.createServer({ ...options, key: pem.key, cert: pem.cert }, handler),
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
  app.route({
    method: ['GET', 'POST', 'PUT'],
    url: '/*',
    handler: async (request) => ({
      verb: originalVerb(request.raw),
      method: request.method,
      url: request.url,
      body: request.body ?? null,
    }),
  })
  routes?.(app)
  if (!withoutExtraVerbs) installExtraVerbs(app.server)

  const sockets: Socket[] = []
  const handedOnSockets: HandedOnSocket[] = []
  const record = (socket: Socket): void => {
    // The declared type is Socket, but the stream can be any that was passed to a parser.
    const stream: Duplex = socket
    if (stream instanceof HandedOnSocket) handedOnSockets.push(stream)
    else sockets.push(socket)
  }
  app.server.on(tls ? 'secureConnection' : 'connection', record)
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => {
    app.server.closeAllConnections()
    return app.close()
  })
  const { port } = addressOf(app.server)
  return { app, server: app.server, port, ca: pem?.ca, sockets, handedOnSockets }
}

/** Returns the address and port of a listening server. */
export function addressOf(server: Server): AddressInfo {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening on a port')
  return address
}

/** Returns the parts of the app's answer that show what the handler received. */
export function handlerView(answer: Answer): unknown {
  return { status: answer.status, ...JSON.parse(answer.body) }
}

/** Returns the expected `handlerView` for a request with a verb that Node supports. */
export function plainView(method: string, url: string, body: string | null = null): unknown {
  return { status: 200, verb: method, method, url, body }
}

/** Returns the expected `handlerView` for LIST on `path`. */
export function listView(path: string): unknown {
  return { status: 200, verb: 'LIST', method: 'GET', url: `${path}?list=true`, body: null }
}

/** Returns the expected `handlerView` for HELP on `path`. */
export function helpView(path: string): unknown {
  return { status: 200, verb: 'HELP', method: 'GET', url: `${path}?help=1`, body: null }
}
