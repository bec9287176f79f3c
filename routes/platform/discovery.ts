import type { FastifyInstance } from 'fastify'

const path = '/.well-known/terraform.json'

/** Addresses of this host's services (behaviour/platform#vendor-names). */
const services = {
  'modules.v1': '/api/registry/v1/modules/',
  'providers.v1': '/api/registry/v1/providers/',
  'tfe.v2': '/api/v2/',
  'tfe.v2.1': '/api/v2/',
  'tfe.v2.2': '/api/v2/',
} as const

/** Registers service discovery, which the vendor's command-line client uses to find the API. */
export function discoveryRoutes(app: FastifyInstance): void {
  app.get(path, (_request, reply) => reply.send(services))
}

/** Declaration of the discovery route, for documents and for the coverage ledger. */
export const discoveryOperation = {
  id: 'discoverServices',
  method: 'GET',
  path,
  summary: 'List the services of this host and their paths; in the vendor dialect only.',
  spec: 'behaviour/platform#vendor-names',
  access: 'anyone',
  reply: { 200: { type: 'object', additionalProperties: { type: 'string' } } },
} as const
