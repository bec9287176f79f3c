import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Api, ApiName } from './api.ts'

/**
 * Stands in for an API that this version does not serve, so that its flags, its listener and its
 * place in the ready line are there already: every address is 404 and says why.
 */
export function unservedApi(name: ApiName, prefix: string): Api {
  function notFound(_request: FastifyRequest, reply: FastifyReply): void {
    reply.code(404).send({ errors: [`this version does not serve the ${name} API`] })
  }
  return {
    name,
    prefix,
    plugin: (_app, _options, done) => done(),
    fail: (_error, request, reply) => notFound(request, reply),
    notFound,
  }
}
