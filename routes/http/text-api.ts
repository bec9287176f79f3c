import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { stringifyJson } from '../../state/kernel/deep-json.ts'
import { type InParts, runInTurns } from '../../state/kernel/parts.ts'
import { Refusal, type RefusalKind } from '../../state/kernel/refusal.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { type Api, pathMatcher } from './api.ts'
import { ClientGoneError } from './blocking/blocking.ts'
import { hasTooManyValues, tooManyValuesError } from './body-limit.ts'
import type { Answer, OperationDeclaration } from './declare/operation.ts'
import { escapeHtml, worldOf } from './journal-hooks/request-head.ts'
import type { JournaledApiOptions } from './journal-hooks/request-record.ts'
import { leaveUnanswered } from './journal-hooks/request-recording.ts'
import {
  CachedJson,
  encodeText,
  indentJson,
  JsonInParts,
  JsonText,
  sendCachedJson,
  sendJson,
} from './json-text.ts'

/**
 * A failure with a plain-text body. Without a text, the response has neither a body nor a content
 * type.
 */
export interface ErrorReply {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Media type of failures and of other plain text. */
const plainText = 'text/plain; charset=utf-8'

const malformedEscape = /%(?![0-9a-f]{2})/i

/**
 * The answer of Go's server to a request that it cannot parse. The server closes the connection
 * afterwards.
 */
const malformedRequest: Answer = {
  status: 400,
  body: '400 Bad Request',
  headers: { connection: 'close' },
}

export interface RequestInWorld {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly world: World
}

/**
 * Statuses of refusals by kind. The status of `unsupported` is missing, because it depends on the
 * API.
 */
export const statusByKind = {
  invalid: 400,
  denied: 403,
  absent: 404,
  conflict: 500,
  unavailable: 500,
  upstream: 500,
  precondition: 500,
} as const satisfies { readonly [Kind in RefusalKind]?: number }

/** The settings in which plain-text APIs differ. */
interface TextApiOptions
  extends Required<Pick<Api, 'name' | 'prefix' | 'coverage' | 'openApi' | 'statuses'>> {
  /** Members of the API for the journal and for explanations. */
  readonly journaled: JournaledApiOptions
  /** Paths of the routes, relative to the prefix. */
  readonly paths: readonly string[]
  /**
   * Returns the operation with the method and the path of a request; undefined if there is none.
   */
  find(request: FastifyRequest): OperationDeclaration<string, unknown> | undefined
  /** Returns the answer to a request, or throws a refusal. Runs inside `world.request`. */
  handle(requestInWorld: RequestInWorld): Answer | Deferred<Answer>
  renderRefusal(refusal: Refusal): ErrorReply
  /**
   * Paths outside of the prefix, with their handler. The handler also runs inside `world.request`.
   */
  readonly outsidePrefix?: Pick<TextApiOptions, 'paths' | 'handle'>
  /** The answer at a path that no route serves. */
  readonly unknownPath: ErrorReply
  /** The answer at unknown paths outside of the prefix. Default: `unknownPath`. */
  readonly rootReply?: ErrorReply
  /**
   * Returns the path, from the root of the world, to which a request is redirected; undefined if
   * the request is not redirected.
   */
  readonly redirectPath?: (path: string) => string | undefined
  /** True if a reply with status 200 and without a body has the content type of plain text. */
  readonly hasTypeWithoutBody?: boolean
  /** True if a path may have escaped bytes that are not UTF-8. */
  readonly acceptsInvalidUtf8?: boolean
  /** Returns true for a path that is refused with 400 before all other checks. */
  readonly refusesPath?: (path: string) => boolean
  /** Returns true if the query (`?pretty`) asks for indented JSON. */
  isPretty(query: unknown): boolean
  /** Returns the answer to an unknown method at one of the API's paths. */
  unknownVerb(method: string): ErrorReply
  /** Called when the server closes. */
  readonly onClose?: () => void
  readonly setCommonHeaders?: (reply: FastifyReply, world: World) => void
}

/**
 * Builds an API whose replies are JSON and whose failures are plain text, such as the mesh and the
 * scheduler. The body of an `Answer` is sent as JSON, a string as plain text, and bytes and streams
 * unchanged; undefined means that there is no body. A `JsonText` or a `JsonInParts` is already
 * serialized; it is sent unchanged, or indented if the query asks for indented JSON. Handlers
 * receive request bodies as bytes, whatever the content type.
 */
export function textApi(options: TextApiOptions): Api {
  /** Sends an answer. Long JSON is sent in a later turn of the event loop. */
  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, body, headers }: Answer,
  ): FastifyReply | Promise<FastifyReply> {
    reply.code(status)
    if (headers !== undefined) reply.headers(headers)
    if (body === undefined) {
      if (status === 200 && options.hasTypeWithoutBody === true)
        reply.header('content-type', plainText)
      return reply.send()
    }
    if (typeof body === 'string') return reply.header('content-type', plainText).send(body)
    if (Buffer.isBuffer(body) || body instanceof Readable) return reply.send(body)
    const isPretty = options.isPretty(request.query)
    if (body instanceof CachedJson && !isPretty) return sendCachedJson(reply, body)
    if (!isPretty && !(body instanceof JsonInParts)) return sendJson(reply, compactText(body))
    const rendered = runInTurns(renderInParts(body, isPretty))
    if (rendered instanceof Promise) return rendered.then((json) => sendJson(reply, json))
    return sendJson(reply, rendered)
  }

  /** Answers a request whose path is refused or redirected. Returns false for other requests. */
  function answerEarly(request: FastifyRequest, reply: FastifyReply): boolean {
    const path = pathOf(request.url)
    if (options.refusesPath?.(path) === true) {
      reply.code(400).send()
      return true
    }
    const target = options.redirectPath?.(path)
    if (target !== undefined) redirect(request, reply, target)
    return target !== undefined
  }

  // Returns a promise only if there is something to wait for, because a promise costs as much as a
  // small read.
  function handle(
    request: FastifyRequest,
    reply: FastifyReply,
    answerOf: TextApiOptions['handle'],
  ): Promise<FastifyReply> | undefined {
    if (answerEarly(request, reply)) return undefined
    const world = worldOf(request)
    options.setCommonHeaders?.(reply, world)
    const answer = world.request(() => answerOf({ request, reply, world }), request.record)
    if (answer instanceof Promise) return answer.then((resolved) => send(request, reply, resolved))
    const sent = send(request, reply, answer)
    return sent instanceof Promise ? sent : undefined
  }

  /**
   * Renders an error in the API's format: a refusal, or another error with a status below 500.
   * Returns undefined for unexpected errors.
   */
  function renderError(error: FastifyError): ErrorReply | undefined {
    if (error instanceof Refusal) return options.renderRefusal(error)
    const { statusCode = 500, message: text } = error
    return statusCode < 500 ? { status: statusCode, text } : undefined
  }

  function fail(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof ClientGoneError) {
      leaveUnanswered(request, reply)
      return
    }
    if (error.code === 'FST_ERR_BAD_URL' && malformedEscape.test(pathOf(request.url))) {
      void send(request, reply, malformedRequest)
      return
    }
    const known = renderError(error)
    if (known === undefined) {
      request.log.error({ err: error, reqId: request.id }, 'unexpected exception')
    }
    // If a request fails before its handler runs, the reply still lacks the common headers. Only
    // requests with a world have common headers.
    const world = findNamedWorld(request)
    if (world !== undefined) options.setCommonHeaders?.(reply, world)
    const unexpected: ErrorReply = { status: 500, text: 'internal server error' }
    void send(request, reply, failureAnswer(known ?? unexpected))
  }

  function pluginFor({ paths, handle: answerOf }: Pick<TextApiOptions, 'paths' | 'handle'>) {
    return (app: FastifyInstance, _options: object, done: () => void): void => {
      app.setErrorHandler<FastifyError>(fail)
      app.removeAllContentTypeParsers()
      app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, next) => {
        if (hasTooManyValues(body)) next(tooManyValuesError())
        else next(null, body)
      })
      for (const path of paths) {
        app.all(path, (request, reply) => handle(request, reply, answerOf))
      }
      done()
    }
  }

  const {
    name,
    prefix,
    coverage,
    openApi,
    statuses,
    unknownPath,
    rootReply = unknownPath,
  } = options
  const owns = pathMatcher([
    ...options.paths.map((path) => prefix + path),
    ...(options.outsidePrefix?.paths ?? []),
  ])
  return {
    ...options.journaled,
    name,
    findOperation: options.find,
    writeFailure(status, errors = [STATUS_CODES[status] ?? ''], request, reply) {
      const world = findNamedWorld(request)
      if (world !== undefined) options.setCommonHeaders?.(reply, world)
      reply.header('content-type', plainText)
      return errors.join('\n')
    },
    prefix,
    acceptsInvalidUtf8: options.acceptsInvalidUtf8 ?? false,
    coverage,
    openApi,
    statuses,
    plugin: (app, _options, done) => {
      app.addHook('preClose', (closed) => {
        options.onClose?.()
        closed()
      })
      app.register(pluginFor(options), { prefix })
      if (options.outsidePrefix !== undefined) app.register(pluginFor(options.outsidePrefix))
      done()
    },
    fail,
    owns,
    unknownVerb(method) {
      const { status, text } = options.unknownVerb(method)
      return { status, headers: { 'Content-Type': plainText }, body: text }
    },
    notFound: (request, reply) => {
      const path = pathOf(request.url)
      // No route matched. If the API has the path, the path does not support the method.
      if (owns(path)) return void handle(request, reply, options.handle)
      if (answerEarly(request, reply)) return
      void send(
        request,
        reply,
        failureAnswer(path.includes(`${prefix}/`) ? unknownPath : rootReply),
      )
    },
  }
}

function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path
}

/**
 * Redirects as the products' Go servers do: with status 301, and with a link in HTML for GET and
 * HEAD only.
 */
function redirect(request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply {
  const { originalUrl, url, method } = request
  const worldPrefix = originalUrl.slice(0, Math.max(0, originalUrl.length - url.length))
  const location = `${worldPrefix}${path}${url.slice(pathOf(url).length)}`
  reply.code(301).header('location', location)
  if (method !== 'GET' && method !== 'HEAD') return reply.send()
  const line = `<a href="${escapeHtml(location)}">Moved Permanently</a>.\n\n`
  return reply.header('content-type', 'text/html; charset=utf-8').send(line)
}

/** Renders a body with pauses, indented and with a final newline if `isPretty`. */
function* renderInParts(body: unknown, isPretty: boolean): InParts<string | Buffer> {
  const compact = body instanceof JsonInParts ? yield* body.render() : compactText(body)
  return yield* encodeText(isPretty ? `${yield* indentJson(compact)}\n` : compact)
}

function compactText(body: unknown): string {
  return body instanceof JsonText ? body.text : stringifyJson(body)
}

export function failureAnswer({ status, text, headers }: ErrorReply): Answer {
  return { status, body: text === '' ? undefined : text, ...(headers && { headers }) }
}

/** Returns the world of a request; undefined if the request belongs to no existing world. */
function findNamedWorld(request: FastifyRequest): World | undefined {
  try {
    return worldOf(request)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
