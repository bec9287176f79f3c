/** Maximum number of redirects that are followed for one request. */
const maxRedirects = 10

const redirectStatuses: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Sends a request and follows redirects within the origin of its address. `fetch` itself would
 * follow a redirect to any other server and send it the product's token header.
 *
 * @throws {Error} for a redirect to another origin (another host, port or scheme), and for too many
 *   redirects
 */
export async function fetchWithinOrigin(address: string, request: RequestInit): Promise<Response> {
  let url = new URL(address)
  let next = request
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const reply = await fetch(url, { ...next, redirect: 'manual' })
    const location = reply.headers.get('location')
    if (!redirectStatuses.includes(reply.status) || location === null) return reply
    const target = new URL(location, url)
    if (target.origin !== url.origin) {
      throw new Error(
        `the server redirects to ${target.origin}, which must not get the token; use the address of that server`,
      )
    }
    // The body of a redirect is not read, but its connection must be released.
    await reply.body?.cancel()
    if (!repeatsMethod(reply.status, next.method)) next = withoutBody(next)
    url = target
  }
  throw new Error(`the server redirected more than ${maxRedirects} times`)
}

/**
 * Returns true if the redirected request keeps its method and body. Otherwise, the redirected
 * request is a GET without a body (RFC 9110).
 */
function repeatsMethod(status: number, method = 'GET'): boolean {
  if (method === 'GET' || method === 'HEAD') return true
  return status === 307 || status === 308
}

function withoutBody({ body: _, ...request }: RequestInit): RequestInit {
  return { ...request, method: 'GET' }
}
