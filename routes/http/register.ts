import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ParsedJson, parseLongJson } from '../../state/json/long-json.ts'
import { stringifyJson } from '../../state/kernel/deep-json.ts'
import { appendAll } from '../../state/kernel/lists.ts'
import { isObject } from '../../state/kernel/objects.ts'
import { type Deferred, runToEnd } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { Answer, Operation } from './declare/operation.ts'
import { InputError, sharedValidator } from './declare/validate.ts'
import { CachedJson, JsonText, sendCachedJson, sendJson } from './json-text.ts'
import { LongJson } from './long-json.ts'
import type { Router } from './router/routes.ts'
import { originalVerb } from './sockets/extra-verbs.ts'

/** Options for serving an API's table of operations. */
export interface RegisterOptions<Context> {
  /** Returns the world of a request; left out if requests concern no world or several worlds. */
  readonly world?: (request: FastifyRequest) => World
  /**
   * Returns the context that operations receive together with their input. The function is called
   * before validation, so its refusals (such as that of an unknown caller) precede all mistakes in
   * the input. If there is a `world`, the function runs inside `world.request`.
   */
  context(request: FastifyRequest, operation: Operation<Context>, reply: FastifyReply): Context
  /** Reads a body; by default as JSON. Throws an error for text that cannot be parsed. */
  readonly readBody?: (request: FastifyRequest) => unknown
  /**
   * Returns the answer to a request, usually by calling `run`, which runs the operation. Default:
   * `run` is called for each request. Called after `context`, and inside `world.request` if there
   * is a `world`.
   */
  readonly answer?: (
    context: Context,
    run: () => Answer | Deferred<Answer>,
  ) => Answer | Deferred<Answer>
  /** Content type of replies, if it is not the content type of plain JSON. */
  readonly mediaType?: string
  /** True if HEAD is answered at all paths that support GET. */
  readonly head?: boolean
  /**
   * Paths whose request bodies may exceed the usual limit. `bodyLimit` is the limit there, in
   * bytes.
   */
  readonly large?: { readonly paths: readonly string[]; readonly bodyLimit: number }
}

/**
 * Serves all operations of a table below a prefix. Registers one route, and one more for each path
 * in `large`. The router is built at the first request. Input that does not match its schema causes
 * an `InputError`, which the API's error handler formats. The API's not-found handler answers
 * unmatched requests.
 */
export function registerOperations<Context>(
  app: FastifyInstance,
  router: () => Router<Operation<Context>>,
  options: RegisterOptions<Context>,
): void {
  const handle = (request: FastifyRequest, reply: FastifyReply) => {
    // For Fastify, LIST and HELP of the secrets API are GET. `originalVerb` returns the verb as
    // sent.
    const originalMethod = originalVerb(request.raw)
    const method = originalMethod === 'HEAD' && options.head === true ? 'GET' : originalMethod
    const routeMatch = router().find(pathBelow(request, app.prefix), method)
    const operation = routeMatch?.route.operations.get(method)
    if (routeMatch === undefined || operation === undefined) {
      reply.callNotFound()
      return undefined
    }
    request.params = routeMatch.params
    return answer(operation, request, reply, options)
  }
  app.all('/*', handle)
  const { paths = [], bodyLimit = 0 } = options.large ?? {}
  for (const path of paths) app.all(path, { bodyLimit }, handle)
}

/** Returns the path of a request below a prefix, in the spelling of the request. */
export function pathBelow({ url }: FastifyRequest, prefix: string): string {
  const query = url.indexOf('?')
  return query < 0 ? url.slice(prefix.length) : url.slice(prefix.length, query)
}

/**
 * Answers a request. Returns undefined if the answer was sent immediately, because a promise would
 * cost as much as a small read.
 */
function answer<Context>(
  operation: Operation<Context>,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RegisterOptions<Context>,
): Promise<FastifyReply> | undefined {
  request.operation = operation
  const work = (): Answer | Deferred<Answer> => {
    const context = options.context(request, operation, reply)
    const run = () => {
      const readBody = options.readBody ?? ((sent) => readJsonBody(sent))
      const input = readInput(operation, request, readBody)
      return operation.run({ context, ...input })
    }
    return options.answer === undefined ? run() : options.answer(context, run)
  }
  const world = options.world?.(request)
  const result = world === undefined ? runToEnd(work()) : world.request(work, request.record)
  if (result instanceof Promise) return result.then((resolved) => send(reply, resolved, options))
  send(reply, result, options)
  return undefined
}

/** Content type that Fastify sets for JSON that it serializes. */
const jsonType = 'application/json; charset=utf-8'

function send<Context>(
  reply: FastifyReply,
  result: Answer,
  { mediaType }: RegisterOptions<Context>,
): FastifyReply {
  reply.code(result.status)
  if (result.headers !== undefined) reply.headers(result.headers)
  if (result.afterSent !== undefined) reply.raw.once('close', result.afterSent)
  const { body } = result
  if (body instanceof CachedJson) return sendCachedJson(reply, body, mediaType)
  if (body instanceof JsonText) return sendJson(reply, body.text, mediaType)
  if (body instanceof LongJson) return reply.type(jsonType).send(body.stream())
  if (mediaType !== undefined && body !== undefined && typeof body !== 'string') {
    return sendJson(reply, stringifyJson(body), mediaType)
  }
  return needsSerialization(body)
    ? sendJson(reply, stringifyJson(body), jsonType)
    : reply.send(body)
}

/**
 * Returns whether a body is an object or a list that must be serialized, as opposed to text, bytes
 * or a stream.
 */
export function needsSerialization(body: unknown): boolean {
  if (Array.isArray(body)) return true
  return isObject(body) && Object.getPrototypeOf(body) === Object.prototype
}

function readInput(
  operation: Operation<never>,
  request: FastifyRequest,
  readBody: (request: FastifyRequest) => unknown,
): { params: Readonly<Record<string, string>>; query: unknown; body: unknown } {
  const params = request.params as Record<string, string>
  const problems: string[] = []
  if (operation.params !== undefined) {
    appendAll(problems, sharedValidator.check(operation.params, params, 'the path'))
  }
  let query = request.query as object
  if (operation.query !== undefined) {
    const validated = sharedValidator.checkQuery(operation.query, query)
    appendAll(problems, validated.problems)
    query = validated.query
  }
  let body: unknown
  if (operation.body !== undefined) {
    body = readBody(request) ?? {}
    appendAll(problems, sharedValidator.check(operation.body, body, 'body'))
  }
  if (problems.length > 0) throw new InputError(problems)
  return { params, query, body }
}

/**
 * Parses the JSON body of a request. The body is text, bytes or, if long, an already parsed value.
 * Returns undefined if there is no body. Members named `__proto__` are plain data.
 *
 * @param parse replaces `JSON.parse`: for example `parseJson` of state/json/json.ts, which keeps
 *   numbers that a double cannot represent
 * @throws {InputError} for text that is not JSON
 */
export function readJsonBody(
  { body }: { readonly body: unknown },
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  try {
    if (body instanceof ParsedJson) return body.value
    if (Buffer.isBuffer(body)) return parseLongJson(body)
    return typeof body !== 'string' || body.trim() === '' ? undefined : parse(body)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new InputError([`the body is not valid JSON: ${reason}`])
  }
}
