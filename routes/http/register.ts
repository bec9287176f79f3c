import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Operation } from './operation.ts'
import { InputError, type Validator } from './validate.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route was made from. */
    operation?: Operation<never>
  }
}

/** How an API's table becomes routes. */
export interface RegisterOptions<Context> {
  readonly validator: Validator
  /**
   * What operations get beside their input. Called first, so what it refuses (an unknown caller,
   * say) goes before any mistake in the input.
   */
  context(request: FastifyRequest, operation: Operation<Context>): Context
  /** Reads a body; JSON unless given. Throws a Refusal for text it cannot read. */
  readonly readBody?: (request: FastifyRequest) => unknown
  /** Answer HEAD wherever there is a GET. */
  readonly head?: boolean
}

/**
 * Adds a route for each operation. Input is checked against the declared schemas and refused with an
 * `InputError`; the API's error handler gives that its shape.
 */
export function register<Context>(
  app: FastifyInstance,
  operations: readonly Operation<Context>[],
  options: RegisterOptions<Context>,
): void {
  const readBody = options.readBody ?? ((request) => readJsonBody(request))
  for (const operation of operations) {
    const { method, path } = operation
    app.route({
      method: method === 'GET' && options.head ? ['GET', 'HEAD'] : method,
      url: path,
      config: { operation },
      handler: async (request, reply) => {
        const context = options.context(request, operation)
        const input = readInput(operation, request, options.validator, readBody)
        const answer = await operation.run({ context, ...input })
        reply.code(answer.status)
        if (answer.headers !== undefined) reply.headers(answer.headers)
        if (answer.afterwards !== undefined) reply.raw.once('close', answer.afterwards)
        return reply.send(answer.body)
      },
    })
  }
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
 * The JSON body of a request whose body is text; undefined when there is none. Members called
 * `__proto__` are data like any other.
 *
 * @param parse instead of `JSON.parse`, as `parseJson` of state/kernel/json.ts, which keeps numbers
 *   that a double cannot hold
 * @throws {InputError} for text that is not JSON
 */
export function readJsonBody(
  { body }: { readonly body: unknown },
  parse: (text: string) => unknown = JSON.parse,
): unknown {
  if (typeof body !== 'string' || body.trim() === '') return undefined
  try {
    return parse(body)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new InputError([`the body is not valid JSON: ${reason}`])
  }
}

/**
 * The methods that some operation offers at a path, for 405 and its `Allow`; empty for an unknown
 * path. Meant for the rare request that no route took: it tries one operation after the other.
 *
 * @param path from where the operations are mounted, as sent, without query
 */
export function methodsAt(operations: readonly Operation<never>[], path: string): string[] {
  const methods = operations.filter((one) => pathPattern(one.path).test(path))
  return [...new Set(methods.map(({ method }) => method))].sort()
}

function pathPattern(path: string): RegExp {
  const segments = path.split('/').map((segment) => {
    if (segment === '*') return '.*'
    return segment.startsWith(':') ? '[^/]+' : segment.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
  })
  return new RegExp(`^${segments.join('/')}$`)
}
