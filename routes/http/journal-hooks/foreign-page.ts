import type { IncomingHttpHeaders } from 'node:http'

/**
 * Returns true if `origin` is the origin of this server's own pages. Returns false for the origin
 * `null`.
 */
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
 * Returns whether a page of another origin made the browser send the request. If there is no header
 * `Origin`, as in requests for images, the header `Sec-Fetch-Site` decides.
 */
export function isFromForeignPage(headers: IncomingHttpHeaders, protocol: string): boolean {
  const { origin, host = '' } = headers
  if (origin !== undefined) return !isSameOrigin(origin, host, protocol)
  const fetchSite = headers['sec-fetch-site']
  return fetchSite === 'cross-site' || fetchSite === 'same-site'
}
