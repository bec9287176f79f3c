import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'
import {
  type ExtraVerb,
  extraVerbNamed,
  extraVerbs,
  isInvalidMethodError,
  matchVerb,
  refusedHead,
  standInOf,
  targetForGet,
  withStandIn,
} from './extra-verb-head.ts'
import { HandedOnSocket } from './handed-on-socket.ts'

/**
 * Listener of the server's event `clientError`. The listener answers input that cannot be parsed
 * and closes the connection.
 */
type ClientErrorHandler = (error: Error, socket: Duplex) => void

/**
 * The state of a connection whose parser stopped at an extra verb.
 * - `incomplete`: the verb may still turn out to be another word.
 * - `queued`: the request waits for the preceding answers.
 * - `handed on`: a new parser has the socket.
 */
type Stage = 'incomplete' | 'queued' | 'handed on'

/** Number of bytes of a queued request that are read before the client is paused. */
const maxReadAhead = 65_536

/**
 * Makes a server accept requests with the verbs LIST and HELP, which Node's HTTP parser refuses
 * (behaviour/program#http).
 *
 * When the parser gives up at such a verb, the socket is given to a new parser with the verb
 * replaced by a method of the same length; `restoreVerb`, as Fastify's `rewriteUrl`, turns that
 * request into a GET. All other unparsable input goes to `fallback`.
 *
 * Without `fallback`, the current `clientError` listeners of the server take this role, so call
 * this function after Fastify has added its own: `installExtraVerbs(app.server)`. For servers that
 * Fastify creates later (the second address of `localhost`), call it in a `serverFactory` with the
 * handler as `fallback`, and give Fastify a `clientErrorHandler` that does nothing.
 *
 * @param server plain or TLS
 * @param verbs extra verbs to accept
 * @param fallback handles all other client errors; without it and without listeners, Node's plain
 * response is sent
 */
export function installExtraVerbs(
  server: Server,
  verbs: readonly ExtraVerb[] = extraVerbs,
  fallback: ClientErrorHandler | undefined = takeClientErrorHandlers(server),
): void {
  const connectionEvent = server instanceof TlsServer ? 'secureConnection' : 'connection'
  const stages = new WeakMap<Duplex, Stage>()
  const lastAnswers = new WeakMap<Duplex, ServerResponse>()

  server.on('request', (request, answer) => lastAnswers.set(request.socket, answer))
  server.on('clientError', (error, source) => {
    const stage = stages.get(source)
    if (stage === undefined) {
      const head = isInvalidMethodError(error) ? refusedHead(error, verbs) : undefined
      const raw = source instanceof HandedOnSocket ? source.raw : source
      if (head === undefined || !(raw instanceof Socket)) refuse(error, source)
      else hold(source, raw, head, error)
    } else if (stage === 'incomplete') {
      refuse(error, source)
    }
    // In the other stages, errors of the first parser are ignored. One such error is the timeout of
    // the head that the first parser could not complete.
  })

  function refuse(error: Error, source: Duplex): void {
    stages.delete(source)
    if (fallback === undefined) refuseAsNode(error, source, lastAnswers.get(source))
    else fallback(error, source)
  }

  /**
   * Reads the socket instead of the failed parser until the verb is complete and the preceding
   * answers are sent. A new parser does not know the preceding requests, so its answer could
   * overtake the pending answers. Listeners other than `data` stay, because the pending answers
   * need them.
   */
  function hold(source: Duplex, raw: Socket, start: Buffer, refusal: Error): void {
    const answer = lastAnswers.get(source)
    let head = start

    function advance(): void {
      // Reading ahead also detects when a client disconnects.
      while (head.length < maxReadAhead) {
        const chunk: unknown = source.read()
        if (!Buffer.isBuffer(chunk)) break
        head = Buffer.concat([head, chunk])
      }
      const verb = matchVerb(head, verbs)
      if (verb === 'incomplete') {
        stages.set(source, 'incomplete')
      } else if (verb === undefined) {
        removeListeners()
        refuse(refusal, source)
      } else if (answer !== undefined && !answer.closed) {
        stages.set(source, 'queued')
      } else {
        removeListeners()
        stages.set(source, 'handed on')
        handOn(source, raw, withStandIn(head, verb), verb)
      }
    }
    function onEnd(): void {
      if (stages.get(source) === 'incomplete') {
        removeListeners()
        refuse(refusal, source)
      }
    }
    function removeListeners(): void {
      source.off('readable', advance)
      source.off('end', onEnd)
      answer?.off('close', advance)
    }

    source.removeAllListeners('data')
    source.on('readable', advance)
    // This listener runs before Node's own `end` listener. A refusal can then still be sent,
    // because Node's listener ends the socket.
    source.prependListener('end', onEnd)
    answer?.on('close', advance)
    advance()
  }

  function handOn(source: Duplex, raw: Socket, head: Buffer, verb: ExtraVerb): void {
    // If an answer has `Connection: close`, no further request is answered on its connection.
    if (!source.writable || !raw.writable) return
    const pieces = [head]
    if (source instanceof HandedOnSocket) {
      pieces.push(source.release())
    } else {
      // With these listeners, the first parser would end or destroy the socket. The parser's
      // listener for `close` stays, because it frees the parser.
      for (const event of ['end', 'timeout']) raw.removeAllListeners(event)
    }
    server.emit(connectionEvent, new HandedOnSocket(raw, Buffer.concat(pieces), verb))
  }
}

/**
 * Removes the server's `clientError` listeners. Returns a handler that calls these listeners;
 * undefined if there were none.
 */
function takeClientErrorHandlers(server: Server): ClientErrorHandler | undefined {
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

/** Answers a client error as Node does if nobody listens for `clientError`. */
function refuseAsNode(error: Error, socket: Duplex, answer: ServerResponse | undefined): void {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const statusLine = statusLines[code] ?? '400 Bad Request'
  // Nothing may be written into an answer that has already started.
  const mayWrite = answer === undefined || answer.closed || !answer.headersSent
  if (socket.writable && mayWrite) {
    socket.write(`HTTP/1.1 ${statusLine}\r\nConnection: close\r\n\r\n`)
  }
  socket.destroy(error)
}

const originalVerbKey = Symbol('original verb')

type RestoredRequest = IncomingMessage & { [originalVerbKey]?: string }

/**
 * Implements Fastify's `rewriteUrl`: turns a LIST or HELP request into the equivalent GET. Such a
 * request is the first one after `installExtraVerbs` handed its socket on, or one injected with `{
 * method: 'LIST', validate: false }`. A stand-in method that the client itself sent is kept.
 *
 * @param request changed: its method becomes GET; `originalVerb` still returns the verb
 * @returns the target to route: with `list=true` or `help=1` for these verbs, otherwise unchanged
 */
export function restoreVerb(request: IncomingMessage): string {
  const target = request.url ?? '/'
  const verb = extraVerbNamed(request.method) ?? handedOnVerb(request)
  if (verb === undefined) return target
  const restored: RestoredRequest = request
  restored[originalVerbKey] = verb
  restored.method = 'GET'
  return targetForGet(target, verb)
}

/**
 * Returns the verb in the request: LIST or HELP if `restoreVerb` replaced it with GET, otherwise
 * the method.
 */
export function originalVerb(request: IncomingMessage): string {
  const restored: RestoredRequest = request
  return restored[originalVerbKey] ?? request.method ?? 'GET'
}

function handedOnVerb(request: IncomingMessage): ExtraVerb | undefined {
  const socket: Duplex = request.socket
  if (!(socket instanceof HandedOnSocket)) return undefined
  const verb = extraVerbNamed(socket.takeMark())
  return verb !== undefined && standInOf(verb) === request.method ? verb : undefined
}
