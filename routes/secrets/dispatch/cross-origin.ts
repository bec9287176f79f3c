import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { allowsOrigin, type CorsSettings, readCors } from '../../../state/secrets/cors.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { refuse } from '../messages.ts'

/** Verbs that pages of other origins may use. */
const methods = ['DELETE', 'GET', 'OPTIONS', 'POST', 'PUT', 'LIST']

/** Seconds for which a browser may keep the answer to a preflight request. */
const maxAge = '300'

/** Headers of the API that such pages may send, without the dialect's prefix. */
const apiHeaders = [
  'MFA',
  'No-Request-Forwarding',
  'Wrap-Format',
  'Wrap-TTL',
  'Policy-Override',
] as const

/** Every request header that pages of other origins may send: the standard ones, then the given. */
export function allowedHeaders(
  { allowed_headers }: CorsSettings,
  { headerPrefix }: SecretsDialect,
): string[] {
  return [
    'Content-Type',
    'X-Requested-With',
    ...apiHeaders.map((name) => headerPrefix + name),
    'Authorization',
    `${headerPrefix}Token`,
    ...allowed_headers,
  ]
}

/**
 * Returns what a request of another origin comes to: `preflight` is answered by the headers that
 * are set now, `pass` goes on (behaviour/secrets#cors). Nothing is looked at while
 * CORS is off.
 *
 * @throws denied `origin not allowed`; unsupported for a preflight about another verb.
 */
export function checkOrigin(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  dialect: SecretsDialect,
): 'preflight' | 'pass' {
  const { origin, 'access-control-request-method': requested } = request.headers
  const settings = readCors(world)
  if (settings === undefined || origin === undefined || origin === '') return 'pass'
  if (!allowsOrigin(settings, origin)) throw refuse('origin-not-allowed')
  const preflight = request.method === 'OPTIONS'
  if (preflight && !methods.includes(requested ?? '')) {
    throw refuse('preflight-verb-unknown')
  }
  reply.header('access-control-allow-origin', origin)
  reply.header('vary', 'Origin')
  if (!preflight) return 'pass'
  reply.header('access-control-allow-methods', methods.join(','))
  reply.header('access-control-allow-headers', allowedHeaders(settings, dialect).join(','))
  reply.header('access-control-max-age', maxAge)
  return 'preflight'
}
