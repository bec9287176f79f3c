import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import {
  type ExtraVerb,
  extraVerbNamed,
  extraVerbs,
  isInvalidMethod,
  matchVerb,
  refusedHead,
  standInOf,
  targetForGet,
  withStandIn,
} from './extra-verb-head.ts'
import { HandedOnSocket } from './handed-on-socket.ts'

/** A listener of the server's `clientError`: answers what cannot be parsed and closes. */
type ClientErrorHandler = (error: Error, socket: Duplex) => void

/**
 * Where a stream stands whose parser gave up at an extra verb. `incomplete`: the verb may still
 * turn out to be another word; `queued`: it is one and waits for the answers before it;
 * `handed on`: a fresh parser has the socket.
 */
type Stage = 'incomplete' | 'queued' | 'handed on'

/** The number of bytes of a queued request that are read ahead before its client is held back. */
const readAhead = 65_536

/**
 * Lets a server take requests with the verbs LIST and HELP, which Node's HTTP parser refuses
 * (behaviour/program#http).
 *
 * When the parser gives up at such a verb, the socket goes on to a fresh parser with the verb
 * overwritten by a method of the same length; `restoreVerb`, as Fastify's `rewriteUrl`, turns
 * that request into a GET. Everything else that cannot be parsed goes to `fallback`.
 *
 * Without `fallback` the `clientError` listeners that the server has now take that part, so call
 * this once Fastify has added its own: `installExtraVerbs(app.server)`. For servers that Fastify
 * makes by itself later (the second address of `localhost`), call it in a `serverFactory` with
 * the handler as `fallback` and give Fastify a `clientErrorHandler` that does nothing.
 *
 * @param server plain or TLS
 * @param verbs which extra verbs are let in
 * @param fallback gets all other client errors; without listeners either, Node's plain answer
 */
export function installExtraVerbs(
  server: Server,
  verbs: readonly ExtraVerb[] = extraVerbs,
  fallback: ClientErrorHandler | undefined = takeOver(server),
): void {
  const connectionEvent = server instanceof TlsServer ? 'secureConnection' : 'connection'
  const stages = new WeakMap<Duplex, Stage>()
  const lastAnswers = new WeakMap<Duplex, ServerResponse>()

  server.on('request', (request, answer) => lastAnswers.set(request.socket, answer))
  server.on('clientError', (error, source) => {
    const stage = stages.get(source)
    if (stage === undefined) {
      const head = isInvalidMethod(error) ? refusedHead(error, verbs) : undefined
      const raw = source instanceof HandedOnSocket ? source.raw : source
      if (head === undefined || !(raw instanceof Socket)) refuse(error, source)
      else hold(source, raw, head, error)
    } else if (stage === 'incomplete') {
      refuse(error, source)
    }
    // Else it is the parser that gave up, whose head never completes, meeting its time limit.
  })

  function refuse(error: Error, source: Duplex): void {
    stages.delete(source)
    if (fallback === undefined) refuseAsNode(error, source, lastAnswers.get(source))
    else fallback(error, source)
  }

  /**
   * Reads on in the place of the parser that gave up, until the verb is complete and the answers
   * to the requests before it are out: the fresh parser knows nothing of them, so its own would
   * overtake them. Listeners other than `data` stay, because those answers need them.
   */
  function hold(source: Duplex, raw: Socket, start: Buffer, refusal: Error): void {
    const answer = lastAnswers.get(source)
    let head = start

    function advance(): void {
      // Reading ahead also notices a client that goes away meanwhile.
      while (head.length < readAhead) {
        const chunk: unknown = source.read()
        if (!Buffer.isBuffer(chunk)) break
        head = Buffer.concat([head, chunk])
      }
      const verb = matchVerb(head, verbs)
      if (verb === 'incomplete') {
        stages.set(source, 'incomplete')
      } else if (verb === undefined) {
        leave()
        refuse(refusal, source)
      } else if (answer !== undefined && !answer.closed) {
        stages.set(source, 'queued')
      } else {
        leave()
        stages.set(source, 'handed on')
        handOn(source, raw, withStandIn(head, verb), verb)
      }
    }
    function ended(): void {
      if (stages.get(source) === 'incomplete') {
        leave()
        refuse(refusal, source)
      }
    }
    function leave(): void {
      source.off('readable', advance)
      source.off('end', ended)
      answer?.off('close', advance)
    }

    source.removeAllListeners('data')
    source.on('readable', advance)
    // Before Node's own, which ends the socket, so that a refusal can still be sent.
    source.prependListener('end', ended)
    answer?.on('close', advance)
    advance()
  }

  function handOn(source: Duplex, raw: Socket, first: Buffer, verb: ExtraVerb): void {
    // An answer with `Connection: close` was the last on its connection.
    if (!source.writable || !raw.writable) return
    const pieces = [first]
    if (source instanceof HandedOnSocket) {
      pieces.push(source.release())
    } else {
      // Else the first parser would end or destroy the socket on its own account. Its listener
      // of `close` stays: it frees that parser.
      for (const event of ['end', 'timeout']) raw.removeAllListeners(event)
    }
    server.emit(connectionEvent, new HandedOnSocket(raw, Buffer.concat(pieces), verb))
  }
}

/** Takes the server's `clientError` listeners off it: what they would have done, if any. */
function takeOver(server: Server): ClientErrorHandler | undefined {
  const listeners = server.listeners('clientError')
  server.removeAllListeners('clientError')
  if (listeners.length === 0) return undefined
  return (error, socket) => {
    for (const listener of listeners) Reflect.apply(listener, server, [error, socket])
  }
}

const statusLines: Readonly<Record<string, string>> = {
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
}

/** Returns what Node does with a client error that nobody listens for. */
function refuseAsNode(error: Error, socket: Duplex, answer: ServerResponse | undefined): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const statusLine = statusLines[code] ?? '400 Bad Request'
  // Nothing may be written into an answer that is under way.
  const quiet = answer === undefined || answer.closed || !answer.headersSent
  if (socket.writable && quiet) {
    socket.write(`HTTP/1.1 ${statusLine}\r\nConnection: close\r\n\r\n`)
  }
  socket.destroy(error)
}

const originalVerbKey = Symbol('original verb')

type Restored = IncomingMessage & { [originalVerbKey]?: string }

/**
 * Fastify's `rewriteUrl`: makes a LIST or HELP request the GET that means the same. That is the
 * first request after `installExtraVerbs` handed a socket on, or one injected with
 * `{ method: 'LIST', validate: false }`; a method that stands in for a verb is itself if it came
 * from the client.
 *
 * @param request changed: its method becomes GET, `originalVerb` still knows the verb
 * @returns the target to route: with `list=true` or `help=1` for these verbs, else as it came
 */
export function restoreVerb(request: IncomingMessage): string {
  const target = request.url ?? '/'
  const verb = extraVerbNamed(request.method) ?? handedOnVerb(request)
  if (verb === undefined) return target
  const restored: Restored = request
  restored[originalVerbKey] = verb
  restored.method = 'GET'
  return targetForGet(target, verb)
}

/** The verb the client sent: LIST or HELP where `restoreVerb` put a GET, else the method. */
export function originalVerb(request: IncomingMessage): string {
  const restored: Restored = request
  return restored[originalVerbKey] ?? request.method ?? 'GET'
}

function handedOnVerb(request: IncomingMessage): ExtraVerb | undefined {
  const socket: Duplex = request.socket
  if (!(socket instanceof HandedOnSocket)) return undefined
  const verb = extraVerbNamed(socket.takeMark())
  return verb !== undefined && standInOf(verb) === request.method ? verb : undefined
}
