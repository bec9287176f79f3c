import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { Api } from '../http/api.ts'
import { apiHeader, type DialectName, secretsDialect } from './dialect.ts'
import { createDispatch } from './dispatch.ts'
import { engineType, secretsEngines } from './engines.ts'
import { renderOutcome } from './envelope.ts'
import { type ErrorReply, renderRefusal, silentError, textError } from './errors.ts'

/** Requests may be this large (1-secrets.md, Limits). */
const bodyLimit = 32 * 1024 * 1024

/** Every verb that Fastify routes; which of them mean something is the dispatcher's to say. */
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']

const asIs = (text: string): string => text

/** The secrets API under `/v1/`: one route, because mounts are data (DESIGN section 2). */
export function secretsApi(options: { readonly dialect: DialectName }): Api {
  const dialect = secretsDialect(options.dialect)
  const dispatch = createDispatch(secretsEngines, engineType)
  const namespaceHeader = `${dialect.headerPrefix}Namespace`

  function send(
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    text: string | undefined,
  ): FastifyReply {
    reply.code(status)
    reply.header('cache-control', 'no-store')
    reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
    const namespace = apiHeader(request.headers, 'namespace')
    if (namespace !== undefined) reply.header(namespaceHeader, namespace)
    if (text === undefined) return reply.send()
    // With a serializer of our own Fastify leaves the content type as it is.
    return reply.header('content-type', 'application/json').serializer(asIs).send(text)
  }

  function sendError(request: FastifyRequest, reply: FastifyReply, error: ErrorReply): void {
    send(request, reply, error.status, JSON.stringify(error.body))
  }

  function fail(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
    if (error instanceof Refusal) sendError(request, reply, renderRefusal(error, dialect))
    else if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
      sendError(request, reply, textError(413, 'error parsing JSON'))
    } else if (error.statusCode !== undefined && error.statusCode < 500) {
      sendError(request, reply, textError(error.statusCode, error.message))
    } else {
      request.log.error({ err: error }, 'unexpected exception')
      sendError(request, reply, textError(500, 'internal error'))
    }
  }

  function plugin(app: FastifyInstance, _options: object, done: () => void): void {
    app.setErrorHandler<FastifyError>(fail)
    app.route({
      method: methods,
      url: '/v1/*',
      bodyLimit,
      handler: async (request, reply) => {
        const { world } = request
        const outcome = await dispatch(world, request)
        const { status, text } = renderOutcome(outcome, () => world.ids.uuid(), dialect)
        return send(request, reply, status, text)
      },
    })
    done()
  }

  return {
    name: 'secrets',
    prefix: '/v1',
    plugin,
    fail,
    notFound: (request, reply) =>
      // Below /v1/ only verbs that the route does not know come here.
      sendError(request, reply, silentError(request.url.startsWith('/v1/') ? 405 : 404)),
  }
}
