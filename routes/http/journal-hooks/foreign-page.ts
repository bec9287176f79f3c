import type { IncomingHttpHeaders } from 'node:http'

/** Returns true if the origin is that of a page from this server; false for the origin `null`. */
export function isSameOrigin(origin: string, host: string, protocol: string): boolean {
  if (!URL.canParse(origin) || !URL.canParse(`${protocol}://${host}`)) return false
  const page = new URL(origin)
  const serverUrl = new URL(`${protocol}://${host}`)
  return /^https?:$/.test(page.protocol) && withPort(page) === withPort(serverUrl)
}

function withPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`
}

/**
 * Returns whether a browser sent the request for a page of another origin. Requests for images, for
 * example, have no header `Origin`, but the header `Sec-Fetch-Site` describes the relation to the
 * page.
 */
export function isFromForeignPage(headers: IncomingHttpHeaders, protocol: string): boolean {
  const { origin, host = '' } = headers
  if (origin !== undefined) return !isSameOrigin(origin, host, protocol)
  const relation = headers['sec-fetch-site']
  return relation === 'cross-site' || relation === 'same-site'
}
