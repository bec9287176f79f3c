import type { FastifyInstance } from 'fastify'

const path = '/.well-known/terraform.json'

/** Where the services of this host are (behaviour/platform#vendor-names). */
const services = {
  'modules.v1': '/api/registry/v1/modules/',
  'tfe.v2': '/api/v2/',
  'tfe.v2.1': '/api/v2/',
  'tfe.v2.2': '/api/v2/',
} as const

/** Service discovery, by which the vendor's command-line client finds the API. */
export function discoveryRoutes(app: FastifyInstance): void {
  app.get(path, (_request, reply) => reply.send(services))
}

/** The route as documents and the ledger tell of it. */
export const discoveryOperation = {
  id: 'discoverServices',
  method: 'GET',
  path,
  summary: 'Tell where the services of this host are; in the vendor dialect only.',
  spec: 'behaviour/platform#vendor-names',
  access: 'anyone',
  reply: { 200: { type: 'object', additionalProperties: { type: 'string' } } },
} as const
