import type { FastifyInstance } from 'fastify'
import type { CoveredOperation } from '../http/coverage.ts'

const path = '/.well-known/terraform.json'

/** Where the services of this host are (2-platform-decisions.md section 9). */
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

/** The route as the coverage ledger lists it. */
export const discoveryCoverage: CoveredOperation = {
  id: 'discoverServices',
  verb: 'GET',
  path,
  summary: 'Tell where the services of this host are; in the vendor dialect only.',
  spec: '2-platform-decisions.md section 9',
  evidence: 'decision',
}
