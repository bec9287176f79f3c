import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Deferred, runToEnd } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import type { Answer, Operation } from './declare/operation.ts'
import { InputError, type Validator } from './declare/validate.ts'
import { JsonText, sendJson } from './json-text.ts'
import { LongJson } from './long-json.ts'
import { parseLongJson } from './parse-long-json.ts'
import type { Router } from './router/routes.ts'
import { originalVerb } from './sockets/extra-verbs.ts'

/** The settings by which an API's table becomes routes. */
export interface RegisterOptions<Context> {
  readonly validator: Validator
  /** The world whose request it is; left out where requests are about no world or several. */
  readonly world?: (request: FastifyRequest) => World
  /**
   * Returns what operations get beside their input. Called first, so what it refuses (an unknown
   * caller, say) goes before any mistake in the input. Part of `world.request`.
   */
  context(request: FastifyRequest, operation: Operation<Context>, reply: FastifyReply): Context
  /** Reads a body; JSON unless given. Throws a Refusal for text it cannot read. */
  readonly readBody?: (request: FastifyRequest) => unknown
  /** The type of bodies, where it is another than that of plain JSON. */
  readonly mediaType?: string
  /** Answer HEAD wherever there is a GET. */
  readonly head?: boolean
  /** Paths at which bodies may be longer than elsewhere. */
  readonly large?: { readonly paths: readonly string[]; readonly bodyLimit: number }
}

/**
 * Serves everything below a prefix with a table of operations, by one route and a router, which is
 * asked for on the first request. Input is checked against the declared schemas and refused with an `InputError`; the
 * API's error handler gives that its shape, its not-found handler answers what no operation takes.
 */
export function registerOperations<Context>(
  app: FastifyInstance,
  router: () => Router<Operation<Context>>,
  options: RegisterOptions<Context>,
): void {
  const handle = (request: FastifyRequest, reply: FastifyReply) => {
    // LIST and HELP are verbs of the secrets API alone; by now they look like GET.
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

/** The path of a request below a prefix, as sent. */
export function pathBelow({ url }: FastifyRequest, prefix: string): string {
  const [path = ''] = url.split('?', 1)
  return path.slice(prefix.length)
}

/** Answers a request; without a promise where nobody has to wait, which would cost as much as a small read. */
function answer<Context>(
  operation: Operation<Context>,
  request: FastifyRequest,
  reply: FastifyReply,
  options: RegisterOptions<Context>,
): Promise<FastifyReply> | undefined {
  request.operation = operation
  const work = (): Answer | Deferred<Answer> => {
    const context = options.context(request, operation, reply)
    const readBody = options.readBody ?? ((sent) => readJsonBody(sent))
    const input = readInput(operation, request, options.validator, readBody)
    return operation.run({ context, ...input })
  }
  const world = options.world?.(request)
  const result = world === undefined ? runToEnd(work()) : world.request(work, request.record)
  if (result instanceof Promise) return result.then((resolved) => send(reply, resolved, options))
  send(reply, result, options)
  return undefined
}

/** What Fastify says of JSON that it writes itself. */
const streamedJsonType = 'application/json; charset=utf-8'

function send<Context>(
  reply: FastifyReply,
  result: Answer,
  { mediaType }: RegisterOptions<Context>,
): FastifyReply {
  reply.code(result.status)
  if (result.headers !== undefined) reply.headers(result.headers)
  if (result.afterSent !== undefined) reply.raw.once('close', result.afterSent)
  const { body } = result
  if (body instanceof JsonText) return sendJson(reply, body.text, mediaType)
  if (body instanceof LongJson) return reply.type(streamedJsonType).send(body.stream())
  if (mediaType === undefined || body === undefined) return reply.send(body)
  return sendJson(reply, JSON.stringify(body), mediaType)
}

function readInput(
  operation: Operation<never>,
  request: FastifyRequest,
  validator: Validator,
  readBody: (request: FastifyRequest) => unknown,
): { params: Readonly<Record<string, string>>; query: unknown; body: unknown } {
  const params = request.params as Record<string, string>
  const problems: string[] = []
  if (operation.params !== undefined) {
    problems.push(...validator.check(operation.params, params, 'the path'))
  }
  let query = request.query as object
  if (operation.query !== undefined) {
    const checked = validator.checkQuery(operation.query, query)
    problems.push(...checked.problems)
    query = checked.query
  }
  let body: unknown
  if (operation.body !== undefined) {
    body = readBody(request) ?? {}
    problems.push(...validator.check(operation.body, body, 'body'))
  }
  if (problems.length > 0) throw new InputError(problems)
  return { params, query, body }
}

/**
 * The JSON body of a request whose body is text, or bytes; undefined when there is none. Members called
 * `__proto__` are data like any other.
 *
 * @param parse instead of `JSON.parse`, as `parseJson` of state/json/json.ts, which keeps numbers
 *   that a double cannot hold
 * @throws {InputError} for text that is not JSON
 */
export function readJsonBody(
  { body }: { readonly body: unknown },
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  try {
    if (Buffer.isBuffer(body)) return parseLongJson(body)
    return typeof body !== 'string' || body.trim() === '' ? undefined : parse(body)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new InputError([`the body is not valid JSON: ${reason}`])
  }
}
