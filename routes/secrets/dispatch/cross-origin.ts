import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { allowsOrigin, type CorsSettings, readCors } from '../../../state/secrets/audit-and-cors.ts'
import type { SecretsDialect } from '../dialect/dialect.ts'
import { refuse } from '../messages.ts'

/** HTTP methods that pages of other origins may use. */
const methods = ['DELETE', 'GET', 'OPTIONS', 'POST', 'PUT', 'LIST']

/** Seconds for which a browser may cache the reply to a preflight request. */
const maxAge = '300'

/** Names of API headers that pages of other origins may send, without the dialect's prefix. */
const apiHeaders = [
  'MFA',
  'No-Request-Forwarding',
  'Wrap-Format',
  'Wrap-TTL',
  'Policy-Override',
] as const

/**
 * Returns all request headers that pages of other origins may send: the standard headers, then the
 * configured ones.
 */
export function allowedHeaders(
  { allowed_headers }: CorsSettings,
  { headerPrefix, name: dialect }: SecretsDialect,
): string[] {
  return [
    'Content-Type',
    'X-Requested-With',
    // Header of AWS logins. The neutral dialect leaves it out, because it avoids vendor names.
    ...(dialect === 'vendor' ? [`${headerPrefix}AWS-IAM-Server-ID`] : []),
    ...apiHeaders.map((name) => headerPrefix + name),
    'Authorization',
    `${headerPrefix}Token`,
    ...allowed_headers,
  ]
}

/**
 * Checks the origin of a request and sets the CORS headers (behaviour/secrets#cors). Does nothing
 * if CORS is off or if the request has no header `Origin`.
 *
 * @returns `preflight` if the reply consists of headers only, `pass` if the request continues
 * @throws Refusal `denied` for an origin that is not allowed, `unsupported` for a preflight request
 *   about an unknown verb
 */
export function applyCors(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  dialect: SecretsDialect,
): 'preflight' | 'pass' {
  const { origin, 'access-control-request-method': requested } = request.headers
  const settings = readCors(world)
  if (settings === undefined || origin === undefined || origin === '') return 'pass'
  if (!allowsOrigin(settings, origin)) throw refuse('origin-not-allowed')
  const isPreflight = request.method === 'OPTIONS'
  if (isPreflight && !methods.includes(requested ?? '')) {
    throw refuse('preflight-verb-unknown')
  }
  reply.header('access-control-allow-origin', origin)
  reply.header('vary', 'Origin')
  if (!isPreflight) return 'pass'
  reply.header('access-control-allow-methods', methods.join(','))
  reply.header('access-control-allow-headers', allowedHeaders(settings, dialect).join(','))
  reply.header('access-control-max-age', maxAge)
  return 'preflight'
}
