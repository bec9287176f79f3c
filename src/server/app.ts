import { createServer, type RequestListener, type Server } from 'node:http'
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
import { hasTooManyValues, tooManyValues } from '../../routes/http/body-limit.ts'
import {
  installWorlds,
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
import { installExtraVerbs, restoreVerb } from '../../routes/http/sockets/extra-verbs.ts'
import { inOrder } from '../../routes/http/sockets/request-order.ts'
import { Journals } from '../../routes/journal/journal.ts'
import type { LogOptions } from './log.ts'
import type { TlsMaterial } from './tls.ts'
import { TlsServer } from './tls-server.ts'

/** The largest body any API takes unless it says otherwise (behaviour/program#http). */
const bodyLimit = 32 * 1024 * 1024

/** Request heads, and so paths, may be as long as Go's servers take them; Node's own limit is 16 KiB. */
const maxHeaderSize = 1024 * 1024

/** Whoever has not sent a whole request by then is refused; Node's own choice. */
const defaultReceiveTimeout = 300_000

/** So often Node looks who has not. */
const receiveCheckInterval = 30_000

/** Clients keep connections open between tests; Fastify's own choice. */
const keepAliveTimeout = 72_000

/** The settings of one app. */
interface AppSettings {
  readonly worlds: WorldIndex
  /** Where requests of the APIs are noted; nowhere that anybody sees unless given. */
  readonly recorder?: RequestRecorder
  /** The faults that they meet. */
  readonly faults?: FaultInjector
  /** In order of precedence for addresses that belong to none of their routes. */
  readonly apis: readonly Api[]
  readonly log: LogOptions | false
  /** Of which requests the log has a line; of none unless given. */
  readonly logRequests?: LoggedRequests | undefined
  /** What is said to those who ask the wrong API. */
  readonly hints?: Hints
  readonly tls?: TlsMaterial | undefined
  /** Milliseconds within which a request must have come whole, however long its answer may take. */
  readonly receiveTimeout?: number
}

/**
 * One Fastify app with one plugin for each API. It never listens by itself: the combined listener,
 * dedicated ones and embedders without a socket all use this builder (behaviour/program#http).
 */
export function buildApp({
  worlds,
  recorder = new Journals(),
  faults = new FaultInjector(),
  apis,
  log,
  logRequests = 'none',
  hints = new Hints(),
  tls,
  receiveTimeout = defaultReceiveTimeout,
}: AppSettings): FastifyInstance {
  // A log of requests doubles the cost of a small one; it is for those who ask for it.
  const logsRequests = log !== false && ['debug', 'trace'].includes(log.level)
  const tolerantPrefixes = apis
    .filter((api) => api.ignoresExtraSlashes)
    .map(({ prefix }) => `${prefix}/`)
  const loggingRecorder =
    log === false || logRequests === 'none'
      ? recorder
      : new LoggingRecorder(recorder, logRequests, () => app.log)
  const watch: RequestObservers = {
    recorder: loggingRecorder,
    onRefusal: (exchange) => hints.add(exchange),
    interceptor: faults,
    apiOf: (request) => {
      const api = apiOf(apis, request)
      return api.outsideWorlds ? undefined : api
    },
  }
  const replies = new RawReplies({ worlds, recorder: loggingRecorder, apis })
  const app: FastifyInstance = Fastify({
    logger: log,
    logController: new LogController({ disableRequestLogging: !logsRequests }),
    // A logger for each request pays only where each request is logged.
    ...(logsRequests ? {} : { childLoggerFactory: (logger) => logger }),
    bodyLimit,
    keepAliveTimeout,
    exposeHeadRoutes: false,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: maxHeaderSize },
    rewriteUrl: (raw) => {
      tolerateContentType(raw)
      return withoutExtraSlashes(
        takeWorldFromUrl(raw, originForm(restoreVerb(raw))),
        tolerantPrefixes,
      )
    },
    serverFactory: (handler) => createHttpServer(handler, { tls, replies, receiveTimeout }),
    clientErrorHandler: () => {},
    frameworkErrors: (error, request, reply) => {
      const api = apiOf(apis, request)
      // No hook runs for what found no way to a route.
      recordAround(watch, request, reply, () => fail(api, error, request, reply))
    },
  })
  app.removeAllContentTypeParsers()
  // Each API decides for itself what a content type means; here a body is text (behaviour/program#http).
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, (request, body, done) => {
    // What the control plane takes may be a whole world.
    if (request.api?.outsideWorlds !== true && hasTooManyValues(body)) done(tooManyValues())
    else done(null, body)
  })
  installWorlds(app, worlds)
  installRecording(app, watch)
  for (const api of apis) app.register(apiPlugin(api, watch))
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    fail(apiOf(apis, request), error, request, reply)
  })
  app.setNotFoundHandler(
    recordedHandler(watch, (request, reply) => apiOf(apis, request).notFound(request, reply)),
  )
  return app
}

/** An API's plugin, whose requests are known as its own and are noted. */
function apiPlugin(api: Api, watch: RequestObservers): Api['plugin'] {
  return (app, options, done) => {
    app.decorateRequest('api', { getter: () => api })
    app.addHook('onRoute', (route) => {
      route.handler = recordedHandler(watch, route.handler)
    })
    api.plugin(app, options, done)
  }
}

/** A URL below one of these prefixes whose path has single slashes and none at its end. */
function withoutExtraSlashes(url: string, prefixes: readonly string[]): string {
  if (!prefixes.some((prefix) => url.startsWith(prefix))) return url
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  const rest = query < 0 ? '' : url.slice(query)
  return path.replace(/\/{2,}/g, '/').replace(/\/$/, '') + rest
}

function fail(api: Api, error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  // Fastify knows QUERY and wants a content type of it before it looks for a route; no API has it.
  if (error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE') void api.notFound(request, reply)
  else api.fail(error, request, reply)
}

/** The API of a request: the one whose route it is, else the one in whose shape it is answered. */
function apiOf(apis: readonly Api[], { api, url }: FastifyRequest): Api {
  return api ?? apiForTarget(apis, url)
}

interface ServerParts {
  readonly tls: TlsMaterial | undefined
  readonly replies: RawReplies
  readonly receiveTimeout: number
}

function createHttpServer(
  handler: RequestListener,
  { tls, replies, receiveTimeout }: ServerParts,
): Server {
  const options = {
    maxHeaderSize,
    // It ends with the last byte of a request: a blocking read may take ten minutes to be answered.
    requestTimeout: receiveTimeout,
    headersTimeout: Math.min(receiveTimeout, 60_000),
    connectionsCheckingInterval: Math.min(receiveTimeout, receiveCheckInterval),
  }
  const server =
    tls === undefined
      ? createServer(options, inOrder(handler))
      : new TlsServer({ ...options, cert: tls.cert, key: tls.key }, inOrder(handler))
  server.keepAliveTimeout = keepAliveTimeout
  installExtraVerbs(server, extraVerbs, (error, socket) => replies.refuse(error, socket))
  // Node ends the connection of a CONNECT that nobody listens for without a word.
  server.on('connect', ({ method = '', url: target = '', headers }, socket) => {
    replies.refuseVerb({ method, target, headers }, socket)
  })
  return server
}
