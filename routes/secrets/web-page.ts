import type { FastifyReply, FastifyRequest } from 'fastify'
import { optionsOf } from '../../state/secrets/options.ts'
import { sentUiHeaders } from '../../state/secrets/ui-headers.ts'
import { escapeHtml, redirect, worldOf } from '../http/journal-hooks/request-head.ts'
import { originalVerb } from '../http/sockets/extra-verbs.ts'

/** Path of the OpenAPI document. Reading the document requires a token. */
const referencePath = '/v1/sys/internal/specs/openapi'
/** Path of the inspector, which only the combined listener serves. */
const inspectorPath = '/_mock/ui'

/** Paths that redirect to the page that replaces the product's web interface. */
const redirectedPaths: ReadonlySet<string> = new Set(['/', '/ui', '/robots.txt'])

/**
 * Answers requests to the web interface (behaviour/secrets#web-interface).
 *
 * @returns undefined, without sending an answer, if the request is for another path or the
 *   interface is turned off
 */
export function serveWebPage(
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | undefined {
  const { originalUrl, url } = request
  const [path = ''] = url.split('?', 1)
  const isPage = path.startsWith('/ui/')
  const verb = originalVerb(request.raw)
  const isRead = verb === 'GET' || verb === 'HEAD'
  if (!isRead || !(isPage || redirectedPaths.has(path))) return undefined
  const world = worldOf(request)
  if (!optionsOf(world).ui) return undefined
  const worldPrefix = originalUrl.slice(0, Math.max(0, originalUrl.length - url.length))
  reply.header('cache-control', 'no-store')
  if (!isPage) return redirect(reply, `${worldPrefix}/ui/`, verb, 307)
  const hasInspector = request.server.hasRoute({ method: 'GET', url: inspectorPath })
  return reply
    .headers(sentUiHeaders(world))
    .type('text/html; charset=utf-8')
    .send(verb === 'HEAD' ? '' : pageText(escapeHtml(worldPrefix), hasInspector))
}

/**
 * Returns the page as HTML.
 *
 * @param worldPrefix prefix of the world's paths, with HTML escapes
 */
function pageText(worldPrefix: string, hasInspector: boolean): string {
  const inspector = hasInspector
    ? `<a href="${worldPrefix}${inspectorPath}">The inspector</a> shows requests and state.`
    : `The inspector, at <code>${inspectorPath}</code> of the combined port, shows requests and state.`
  return `<!doctype html>
<html lang="en">
<title>Secrets service</title>
<p>This server is a stand-in and has no web interface of its own. The API is at <code>/v1</code>.</p>
<p><a href="${worldPrefix}${referencePath}">The API's reference</a> is an OpenAPI document, which only requests with a token can read. ${inspector}</p>
</html>
`
}
