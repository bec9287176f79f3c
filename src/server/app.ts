import { createServer, type RequestListener } from 'node:http'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { Hints } from '../../routes/explain/hints.ts'
import { type LoggedRequests, LoggingRecorder } from '../../routes/explain/logging-recorder.ts'
import { FaultInjector } from '../../routes/faults/fault-injector.ts'
import { type Api, apiForTarget } from '../../routes/http/api.ts'
import { hasTooManyValues, tooManyValuesError } from '../../routes/http/body-limit.ts'
import {
  installWorlds,
  namedWorld,
  originForm,
  takeWorldFromUrl,
  tolerateContentType,
  type WorldIndex,
} from '../../routes/http/journal-hooks/request-head.ts'
import {
  installRecording,
  type RequestObservers,
  type RequestRecorder,
  recordAround,
  recordedHandler,
} from '../../routes/http/journal-hooks/request-recording.ts'
import { RawReplies } from '../../routes/http/raw-replies.ts'
import { extraVerbs } from '../../routes/http/sockets/extra-verb-head.ts'
import {
  installExtraVerbs,
  originalVerb,
  restoreVerb,
} from '../../routes/http/sockets/extra-verbs.ts'
import { inOrder } from '../../routes/http/sockets/request-order.ts'
import { strictFraming } from '../../routes/http/sockets/strict-framing.ts'
import { Journals } from '../../routes/journal/journal.ts'
import type { UnjournaledRequests } from '../../routes/journal/unjournaled-requests.ts'
import type { LogOptions } from './log.ts'
import type { TlsMaterial } from './tls.ts'
import { TlsServer } from './tls-server.ts'

/**
 * Maximum size of a body in bytes, unless an operation declares another (behaviour/program#http).
 */
const bodyLimit = 32 * 1024 * 1024

/**
 * Maximum size of a request head, and therefore of a path, in bytes. The limit is that of Go's
 * servers; Node's default is 16 KiB.
 */
const maxHeaderSize = 1024 * 1024

/** Milliseconds within which a whole request has to arrive; Node's default. */
const defaultReceiveTimeout = 300_000

/** Milliseconds between Node's checks for incomplete requests. */
const receiveCheckInterval = 30_000

/**
 * Milliseconds for which idle connections stay open, as in Vault. Go's clients reuse connections
 * that were idle for up to 90 s; a server that closes them earlier makes requests fail with `EOF`.
 */
const keepAliveTimeout = 300_000

/** Error of a TLS handshake. Errors of OpenSSL have a short description as `reason`. */
type TlsError = Error & { readonly reason?: string }

interface AppSettings {
  readonly worlds: WorldIndex
  /** Recorder of API requests. By default, nothing reads the recorded requests. */
  readonly recorder?: RequestRecorder
  /** Record of the requests that reach no world; none by default. */
  readonly unjournaled?: UnjournaledRequests | undefined
  readonly faults?: FaultInjector
  /** APIs in order of precedence for paths that match no route. */
  readonly apis: readonly Api[]
  readonly log: LogOptions | false
  /** Requests that are logged; none by default. */
  readonly logRequests?: LoggedRequests | undefined
  /** Hints for clients that call the wrong API. */
  readonly hints?: Hints
  readonly tls?: TlsMaterial | undefined
  /** Milliseconds within which a request has to arrive; the reply may take longer. */
  readonly receiveTimeout?: number
}

/**
 * Builds a Fastify app with one plugin for each API. The app opens no listener by itself: the
 * combined listener, dedicated listeners and embedding programs without a socket all use it
 * (behaviour/program#http).
 */
export function buildApp({
  worlds,
  recorder = new Journals(),
  unjournaled,
  faults = new FaultInjector(),
  apis,
  log,
  logRequests = 'none',
  hints = new Hints(),
  tls,
  receiveTimeout = defaultReceiveTimeout,
}: AppSettings): FastifyInstance {
  // Fastify's request log doubles the cost of a small request, so only these levels turn it on.
  const logsRequests = log !== false && ['debug', 'trace'].includes(log.level)
  const invalidUtf8Prefixes = apis
    .filter((api) => api.acceptsInvalidUtf8)
    .map(({ prefix }) => `${prefix}/`)
  const extraSlashPrefixes = apis
    .filter((api) => api.ignoresExtraSlashes)
    .map(({ prefix }) => `${prefix}/`)
  const loggingRecorder =
    log === false || logRequests === 'none'
      ? recorder
      : new LoggingRecorder(recorder, logRequests, () => app.log)
  const isShared = apis.filter((api) => !api.outsideWorlds).length > 1
  const reportedRequests = new WeakSet<object>()
  const addUnknownWorld = (name: string | undefined, method: string, target: string) => {
    unjournaled?.add({
      kind: 'unknown-world',
      detail: name === undefined ? 'The request names no world.' : `There is no world "${name}".`,
      method,
      target,
    })
  }
  const observers: RequestObservers = {
    recorder: loggingRecorder,
    onUnknownWorld: (request) => {
      // Both a handler and a hook may report the same request.
      if (reportedRequests.has(request.raw)) return
      reportedRequests.add(request.raw)
      addUnknownWorld(namedWorld(request), originalVerb(request.raw), request.originalUrl)
    },
    onRefusal: (exchange) => hints.add(exchange, isShared),
    interceptor: faults,
    apiOf: (request) => {
      const api = apiOf(apis, request)
      return api.outsideWorlds ? undefined : api
    },
  }
  const replies = new RawReplies({
    worlds,
    recorder: loggingRecorder,
    apis,
    onUnparsableInput: (kind, detail) => unjournaled?.add({ kind, detail: `${detail}.` }),
    onUnknownWorld: (name, { method, target }) => addUnknownWorld(name, method, target),
  })
  const app: FastifyInstance = Fastify({
    logger: log,
    logController: new LogController({ disableRequestLogging: !logsRequests }),
    // Child loggers are created only if every request is logged.
    ...(logsRequests ? {} : { childLoggerFactory: (logger) => logger }),
    bodyLimit,
    keepAliveTimeout,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: maxHeaderSize },
    rewriteUrl: (raw) => {
      tolerateContentType(raw)
      const url = takeWorldFromUrl(raw, originForm(restoreVerb(raw)))
      return withoutExtraSlashes(withValidUtf8(url, invalidUtf8Prefixes), extraSlashPrefixes)
    },
    serverFactory: (handler) => {
      const requiresClientCertificate =
        tls?.requiresClientCertificate === true && !apis.some((api) => api.outsideWorlds)
      const server = createHttpServer(handler, {
        tls,
        requiresClientCertificate,
        replies,
        receiveTimeout,
      })
      server.on('tlsClientError', ({ message, reason }: TlsError) => {
        // `reason` is preferred, because OpenSSL's `message` has several lines with memory
        // addresses.
        unjournaled?.add({
          kind: 'tls-error',
          detail: `The TLS handshake failed: ${reason ?? message}.`,
        })
      })
      return server
    },
    clientErrorHandler: () => {},
    frameworkErrors: (error, request, reply) => {
      const api = apiOf(apis, request)
      // Hooks do not run for requests that fail before routing, so such requests are recorded here.
      recordAround(observers, request, reply, () => replyWithError(api, error, request, reply))
    },
  })
  app.removeAllContentTypeParsers()
  // Each API interprets content types by itself; here a body is text (behaviour/program#http).
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, (request, body, done) => {
    // The control plane accepts a whole world as a body.
    if (request.api?.outsideWorlds !== true && hasTooManyValues(body)) done(tooManyValuesError())
    else done(null, body)
  })
  installWorlds(app, worlds)
  installRecording(app, observers)
  for (const api of apis) app.register(apiPlugin(api, observers))
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    replyWithError(apiOf(apis, request), error, request, reply)
  })
  app.setNotFoundHandler(
    recordedHandler(observers, (request, reply) => apiOf(apis, request).notFound(request, reply)),
  )
  return app
}

/**
 * Returns the plugin of an API. The plugin sets `request.api` for its routes, and records the
 * requests to these routes if the API serves worlds.
 */
function apiPlugin(api: Api, observers: RequestObservers): Api['plugin'] {
  return (app, options, done) => {
    app.decorateRequest('api', { getter: () => api })
    if (!api.outsideWorlds) {
      app.addHook('onRoute', (route) => {
        route.handler = recordedHandler(observers, route.handler, api)
      })
    }
    api.plugin(app, options, done)
  }
}

/**
 * Returns a URL with repeated slashes merged and a trailing slash removed from its path. URLs that
 * begin with none of these prefixes stay unchanged.
 */
function withoutExtraSlashes(url: string, prefixes: readonly string[]): string {
  if (!prefixes.some((prefix) => url.startsWith(prefix))) return url
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  if (!path.includes('//') && !path.endsWith('/')) return url
  const rest = query < 0 ? '' : url.slice(query)
  return path.replace(/\/{2,}/g, '/').replace(/\/$/, '') + rest
}

/**
 * Returns a URL in whose path U+FFFD replaces escaped bytes that are not UTF-8. URLs that begin
 * with none of these prefixes stay unchanged.
 */
function withValidUtf8(url: string, prefixes: readonly string[]): string {
  if (!url.includes('%') || !prefixes.some((prefix) => url.startsWith(prefix))) return url
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  // Node reads the bytes of a URL as Latin-1.
  const latin1Path = path.replaceAll(/%[89a-f][0-9a-f]/gi, (escaped) =>
    String.fromCharCode(Number.parseInt(escaped.slice(1), 16)),
  )
  const validPath = latin1Path.replaceAll(/[\x80-\xff]+/g, (run) =>
    encodeURIComponent(Buffer.from(run, 'latin1').toString('utf8')),
  )
  return query < 0 ? validPath : validPath + url.slice(query)
}

function replyWithError(
  api: Api,
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  // For the method QUERY, Fastify requires a content type before it looks for a route; no API uses
  // this method.
  if (error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE') void api.notFound(request, reply)
  else api.fail(error, request, reply)
}

/**
 * Returns the API of a request: the owner of its route or, if no route matches, the API that
 * formats the error reply.
 */
function apiOf(apis: readonly Api[], { api, url }: FastifyRequest): Api {
  return api ?? apiForTarget(apis, url)
}

interface ServerParts {
  readonly tls: TlsMaterial | undefined
  readonly requiresClientCertificate: boolean
  readonly replies: RawReplies
  readonly receiveTimeout: number
}

function createHttpServer(
  handler: RequestListener,
  { tls, requiresClientCertificate, replies, receiveTimeout }: ServerParts,
) {
  const options = {
    maxHeaderSize,
    // The timeout ends at the last byte of the request, so it does not affect blocking reads, whose
    // replies come much later.
    requestTimeout: receiveTimeout,
    headersTimeout: Math.min(receiveTimeout, 60_000),
    connectionsCheckingInterval: Math.min(receiveTimeout, receiveCheckInterval),
  }
  const strictHandler = strictFraming(handler, (head, reply) => replies.record(head, reply))
  const server =
    tls === undefined
      ? createServer(options, inOrder(strictHandler))
      : new TlsServer(
          {
            ...options,
            cert: tls.cert,
            key: tls.key,
            ca: tls.clientCa,
            rejectUnauthorized: requiresClientCertificate,
          },
          inOrder(strictHandler),
        )
  // The number of headers is unlimited, because the size of a head is already limited. By default,
  // Node drops headers after the first 1,000.
  server.maxHeadersCount = 0
  server.keepAliveTimeout = keepAliveTimeout
  installExtraVerbs(server, extraVerbs, (error, socket) => replies.refuse(error, socket))
  // Without a handler for this event, Node closes the connection of a CONNECT request without a
  // reply.
  server.on('connect', ({ method = '', url: target = '', headers }, socket) => {
    replies.refuseVerb({ method, target, headers }, socket)
  })
  return server
}
