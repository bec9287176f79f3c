import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * Tells whether a request comes from a web page that has no business here (behaviour/program#web-pages).
 * Browsers let any page send simple requests anywhere, and say in `Origin` which one it is. Pages of
 * this machine, of the very server that is asked, and of allowed origins may ask.
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

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    (isIP(hostname) === 4 && hostname.startsWith('127.'))
  )
}

/** An address or a name without dots: under any other DNS may have been made to lead here. */
function isPlainHost(hostname: string): boolean {
  return isIP(hostname) === 4 || hostname.startsWith('[') || !hostname.includes('.')
}
