import type { FastifyReply, FastifyRequest } from 'fastify'
import { isDevelopmentServer, optionsOf } from '../../state/secrets/options.ts'
import { redirect, worldOf } from '../http/journal-hooks/request-head.ts'
import { originalVerb } from '../http/sockets/extra-verbs.ts'

const page = `<!doctype html>
<html lang="en">
<title>Secrets service</title>
<p>This server is a stand-in and has no web interface of its own. The API is at <code>/v1</code>.</p>
</html>
`

/** Paths that redirect to the page that replaces the product's web interface. */
const redirectedPaths: ReadonlySet<string> = new Set(['/', '/ui', '/robots.txt'])

/**
 * Answers requests to the web interface of a development server (behaviour/secrets#start-state).
 *
 * @returns undefined, without sending an answer, for other requests
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
  if (!isDevelopmentServer(world) || !optionsOf(world).ui) return undefined
  if (isPage) return reply.type('text/html; charset=utf-8').send(verb === 'HEAD' ? '' : page)
  const worldPrefix = originalUrl.slice(0, Math.max(0, originalUrl.length - url.length))
  return redirect(reply, `${worldPrefix}/ui/`, verb, 307)
}
