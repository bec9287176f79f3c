import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { World } from '../../state/kernel/world.ts'
import { hasNamespaces, optionsOf } from '../../state/mesh/options.ts'
import type { Api } from '../http/api.ts'
import { ClientGone } from '../http/blocking.ts'
import { originalVerb } from '../http/extra-verbs.ts'
import { once } from '../http/once.ts'
import type { Answer } from '../http/operation.ts'
import { pathBelow } from '../http/register.ts'
import { enterWorld } from '../http/world-of-request.ts'
import type { DialectName } from '../secrets/dialect.ts'
import { contextOf } from './context.ts'
import { apiPrefix, meshCoverage } from './coverage.ts'
import { meshDialect } from './dialect.ts'
import { Endpoints } from './endpoints.ts'
import { type ErrorReply, errorType, methodNotAllowed, renderError, unknownPath } from './errors.ts'
import { meshOperations } from './operations.ts'
import { Query } from './query.ts'

/** How the mesh API is served. */
export interface MeshApiOptions {
  readonly dialect: DialectName
  /** On a port of its own it has all of `/v1`, else what the specification names (DESIGN section 3). */
  readonly dedicated: boolean
}

/** What the mesh has of `/v1` on a port that it shares. */
const sharedPaths = ['/namespace', '/namespace/*', '/namespaces', '/namespaces/*']

const namespacePath = /^\/namespaces?(?:\/|$)/

/** The service mesh's namespace API. */
export function meshApi(options: MeshApiOptions): Api {
  const dialect = meshDialect(options.dialect)
  const endpoints = once(() => new Endpoints(meshOperations))

  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    { status, body, headers }: Answer,
  ): FastifyReply {
    reply.code(status)
    if (headers !== undefined) reply.headers(headers)
    if (body === undefined) return reply.send()
    if (typeof body === 'string') return reply.header('content-type', errorType).send(body)
    if (Buffer.isBuffer(body)) return reply.send(body)
    const text = new Query(request.query).has('pretty')
      ? `${JSON.stringify(body, null, 4)}\n`
      : JSON.stringify(body)
    // Bytes keep Fastify from adding a character set to the type.
    return reply.header('content-type', 'application/json').send(Buffer.from(text))
  }

  function sendError(
    request: FastifyRequest,
    reply: FastifyReply,
    error: ErrorReply,
  ): FastifyReply {
    return send(request, reply, { status: error.status, body: error.text })
  }

  /** What every response tells (3a-mesh-decisions.md section 1). */
  function greet(reply: FastifyReply, world: World): void {
    reply.headers(dialect.headers({ 'Default-ACL-Policy': optionsOf(world).defaultPolicy }))
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const world = enterWorld(request)
    greet(reply, world)
    const path = pathBelow(request, apiPrefix)
    const found = endpoints().find(decodePath(path))
    if (found === undefined || (namespacePath.test(path) && !hasNamespaces(world))) {
      return sendError(request, reply, unknownPath)
    }
    const { endpoint, params } = found
    const verb = originalVerb(request.raw)
    const operation = endpoint.operations.get(verb)
    if (operation === undefined) {
      reply.header('allow', endpoint.allow)
      if (verb === 'OPTIONS') return reply.code(200).send()
      return sendError(request, reply, methodNotAllowed(verb))
    }
    request.operation = operation
    const context = contextOf(request, reply, world, dialect)
    const answer = await operation.run({ context, params, query: request.query, body: undefined })
    return send(request, reply, answer)
  }

  function fail(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof ClientGone) {
      reply.hijack()
      return
    }
    const known = renderError(error)
    if (known === undefined) {
      request.log.error({ err: error, reqId: request.id }, 'unexpected exception')
    }
    // What fails before it is handled has not been greeted; what names no world cannot be.
    const world = worldOf(request)
    if (world !== undefined) greet(reply, world)
    sendError(request, reply, known ?? { status: 500, text: 'internal server error' })
  }

  function notFound(request: FastifyRequest, reply: FastifyReply): void {
    sendError(request, reply, unknownPath)
  }

  function routes(app: FastifyInstance, _options: object, done: () => void): void {
    app.setErrorHandler<FastifyError>(fail)
    // Values of keys are bytes.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, next) => next(null, body))
    for (const path of options.dedicated ? ['/*'] : sharedPaths) app.all(path, handle)
    done()
  }

  return {
    name: 'mesh',
    prefix: apiPrefix,
    plugin: (app, _options, done) => {
      app.register(routes, { prefix: apiPrefix })
      done()
    },
    coverage: () => meshCoverage(),
    fail,
    notFound,
  }
}

/** The world of a request, if it names one that exists. */
function worldOf(request: FastifyRequest): World | undefined {
  try {
    return enterWorld(request)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** A path as the reference sees it; what cannot be decoded stays as it is. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
