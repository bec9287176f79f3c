import { STATUS_CODES } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { type Api, pathMatcher } from './api.ts'
import { ClientGone } from './blocking/blocking.ts'
import { hasTooManyValues, tooManyValues } from './body-limit.ts'
import type { Answer, OperationDeclaration } from './declare/operation.ts'
import { worldOf } from './journal-hooks/request-head.ts'
import type { JournaledApi } from './journal-hooks/request-record.ts'
import { leaveUnanswered } from './journal-hooks/request-recording.ts'
import { CachedJson, indentJson, JsonText, sendJson } from './json-text.ts'

/** A failure as it goes out: plain text, the bare message. */
export interface ErrorReply {
  readonly status: number
  readonly text: string
  readonly headers?: Readonly<Record<string, string>>
}

/** The media type of failures and other plain texts. */
const plainText = 'text/plain; charset=utf-8'

/** A request that has found its world. */
export interface RequestInWorld {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly world: World
}

/** The settings in which an API of this kind differs from another. */
interface TextApiOptions extends Required<Pick<Api, 'name' | 'prefix' | 'coverage' | 'openApi'>> {
  /** What the journal has to know of its requests. */
  readonly journaled: Omit<JournaledApi, 'name'>
  /** The routes below the prefix that it takes. */
  readonly paths: readonly string[]
  /** Returns the operation that a request names. */
  find(request: FastifyRequest): OperationDeclaration<string, unknown> | undefined
  /** Answers a request, or refuses it; inside `world.request`. */
  handle(requestInWorld: RequestInWorld): Answer | Deferred<Answer>
  /** A failure in the API's own words; undefined for what nobody expected. */
  renderError(error: Error & { statusCode?: number }): ErrorReply | undefined
  /** What it serves besides at addresses that are not below the prefix; inside `world.request`, too. */
  readonly outsidePrefix?: Pick<TextApiOptions, 'paths' | 'handle'>
  /** The answer at an address that nothing serves. */
  readonly unknownPath: ErrorReply
  /** What the prefix alone is told; as any other address unless given. */
  readonly rootReply?: ErrorReply
  /** The path to which a request is sent on instead of being answered, from the root of its world. */
  readonly redirectPath?: (path: string) => string | undefined
  /** Returns what `?pretty` asks of a reply's JSON. */
  isPretty(query: unknown): boolean
  /** The answer at one of its paths to a verb that nobody knows. */
  unknownVerb(method: string): ErrorReply
  /** Sets what every response tells. */
  readonly setCommonHeaders?: (reply: FastifyReply, world: World) => void
}

/**
 * An API whose replies are JSON and whose failures are plain text, as those of the mesh and the
 * scheduler are: the body of an `Answer` is sent as JSON, a `JsonText` as the JSON that it is, but a
 * text as plain text, bytes and streams as they are, and undefined not at all. Bodies of requests reach the API
 * as bytes, whatever their type.
 */
export function textApi(options: TextApiOptions): Api {
  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, body, headers }: Answer,
  ): FastifyReply {
    reply.code(status)
    if (headers !== undefined) reply.headers(headers)
    if (body === undefined) return reply.send()
    if (typeof body === 'string') return reply.header('content-type', plainText).send(body)
    if (Buffer.isBuffer(body) || body instanceof Readable) return reply.send(body)
    const isPretty = options.isPretty(request.query)
    if (body instanceof CachedJson && !isPretty) {
      return reply.header('content-type', 'application/json').send(body.bytes)
    }
    return sendJson(reply, isPretty ? prettyText(body) : compactText(body))
  }

  // No promise where nobody has to wait: it would cost as much as a small read.
  function handle(
    request: FastifyRequest,
    reply: FastifyReply,
    answerOf: TextApiOptions['handle'],
  ): Promise<FastifyReply> | undefined {
    const target = options.redirectPath?.(pathOf(request.url))
    if (target !== undefined) {
      redirect(request, reply, target)
      return undefined
    }
    const world = worldOf(request)
    options.setCommonHeaders?.(reply, world)
    const answer = world.request(() => answerOf({ request, reply, world }), request.record)
    if (answer instanceof Promise) return answer.then((resolved) => send(request, reply, resolved))
    send(request, reply, answer)
    return undefined
  }

  function fail(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof ClientGone) {
      leaveUnanswered(request, reply)
      return
    }
    const known = options.renderError(error)
    if (known === undefined) {
      request.log.error({ err: error, reqId: request.id }, 'unexpected exception')
    }
    // What fails before it is handled has not been greeted; what names no world cannot be.
    const world = findNamedWorld(request)
    if (world !== undefined) options.setCommonHeaders?.(reply, world)
    const unexpected: ErrorReply = { status: 500, text: 'internal server error' }
    send(request, reply, failureAnswer(known ?? unexpected))
  }

  /** Serves some paths of an app. */
  function pluginFor({ paths, handle: answerOf }: Pick<TextApiOptions, 'paths' | 'handle'>) {
    return (app: FastifyInstance, _options: object, done: () => void): void => {
      app.setErrorHandler<FastifyError>(fail)
      app.removeAllContentTypeParsers()
      app.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, next) => {
        if (hasTooManyValues(body)) next(tooManyValues())
        else next(null, body)
      })
      for (const path of paths) {
        app.all(path, (request, reply) => handle(request, reply, answerOf))
      }
      done()
    }
  }

  const { name, prefix, coverage, openApi, unknownPath, rootReply = unknownPath } = options
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
    coverage,
    openApi,
    plugin: (app, _options, done) => {
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
      // Only a verb that is not routed leads here from one of its paths.
      if (owns(path)) return void handle(request, reply, options.handle)
      const target = options.redirectPath?.(path)
      if (target !== undefined) redirect(request, reply, target)
      else {
        const isRoot = path === prefix
        const world = isRoot ? findNamedWorld(request) : undefined
        if (world !== undefined) options.setCommonHeaders?.(reply, world)
        const { status, text } = isRoot ? rootReply : unknownPath
        send(request, reply, { status, body: text })
      }
    },
  }
}

function pathOf(url: string): string {
  const [path = ''] = url.split('?', 1)
  return path
}

/** Sends a request on as Go does: with a line for who reads it, which is for GET and HEAD alone. */
function redirect(request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply {
  const { originalUrl, url, method } = request
  const world = originalUrl.slice(0, Math.max(0, originalUrl.length - url.length))
  const location = `${world}${path}${url.slice(pathOf(url).length)}`
  reply.code(307).header('location', location)
  if (method !== 'GET' && method !== 'HEAD') return reply.send()
  const line = `<a href="${escapeHtml(location)}">Temporary Redirect</a>.\n\n`
  return reply.header('content-type', 'text/html; charset=utf-8').send(line)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character)
}

function compactText(body: unknown): string {
  return body instanceof JsonText ? body.text : JSON.stringify(body)
}

function prettyText(body: unknown): string {
  const text = body instanceof JsonText ? indentJson(body.text) : JSON.stringify(body, null, 4)
  return `${text}\n`
}

/** The answer that a failure is. */
export function failureAnswer({ status, text, headers }: ErrorReply): Answer {
  return { status, body: text, ...(headers && { headers }) }
}

/** A path as Go's servers see it; what cannot be decoded stays as it is. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** The world of a request, if it names one that exists. */
function findNamedWorld(request: FastifyRequest): World | undefined {
  try {
    return worldOf(request)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
