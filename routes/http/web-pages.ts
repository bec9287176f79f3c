import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { isLoopbackHost } from '../../state/kernel/loopback.ts'

/**
 * Returns true if a request comes from a web page that is not allowed to call this server
 * (behaviour/program#web-pages). Browsers let any page send simple requests to any server; the
 * header `Origin` names the origin of the page. Pages of this machine, of the requested server
 * itself and of `allowed` origins are allowed.
 *
 * @param allowed origins, or `*` for all
 */
export function isForeignPage(
  { headers: { origin, host = '' } }: Pick<FastifyRequest, 'headers'>,
  allowed: readonly string[],
): boolean {
  if (origin === undefined || origin === '') return false
  if (allowed.includes('*') || allowed.includes(origin)) return false
  if (!URL.canParse(origin)) return true
  const page = new URL(origin)
  if (!/^https?:$/.test(page.protocol)) return true
  return !isLoopback(page.hostname) && !(page.host === host && isPlainHost(page.hostname))
}

/**
 * Throws the API's refusal of a request from a foreign page if ACLs are off, because then no token
 * protects the API (behaviour/program#web-pages).
 *
 * @param refuseOrigin returns the API's refusal
 */
export function checkOrigin(
  request: Pick<FastifyRequest, 'headers'>,
  { aclEnabled, allowedOrigins }: { aclEnabled: boolean; allowedOrigins: readonly string[] },
  refuseOrigin: (origin: string) => Error,
): void {
  if (aclEnabled || !isForeignPage(request, allowedOrigins)) return
  throw refuseOrigin(request.headers.origin ?? '')
}

function isLoopback(hostname: string): boolean {
  return isLoopbackHost(hostname) || hostname.endsWith('.localhost')
}

/**
 * Returns true for an IP address or a name without dots. Any other name could be directed to this
 * server by DNS rebinding.
 */
function isPlainHost(hostname: string): boolean {
  return isIP(hostname) === 4 || hostname.startsWith('[') || !hostname.includes('.')
}
