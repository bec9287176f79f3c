import type { FastifyReply } from 'fastify'
import type { Answer } from '../http/declare/operation.ts'
import type { RequestInWorld } from '../http/text-api.ts'
import type { MeshDialect, MeshHeaders } from './dialect.ts'

/** Names of the headers that every response has, except responses to unknown paths. */
const commonHeaders: MeshHeaders = { 'Default-ACL-Policy': '' }

/** Removes the headers that every response has. */
export function removeCommonHeaders(reply: FastifyReply, dialect: MeshDialect): void {
  for (const name of Object.keys(dialect.headers(commonHeaders))) reply.removeHeader(name)
}

const html = 'text/html; charset=utf-8'

/** Page that replaces the product's web interface. */
const page = `<!doctype html>
<html lang="en">
<title>Service mesh</title>
<p>This server is a stand-in and has no web interface of its own. The API is at <code>/v1</code>.</p>
</html>
`

/**
 * Returns the pages outside of the API. `/` and `/ui` redirect to `/ui/`
 * (behaviour/mesh#conventions).
 */
export function webPages(dialect: MeshDialect) {
  return {
    paths: ['/', '/ui', '/ui/', '/ui/*'],
    handle({ request, reply }: RequestInWorld): Answer {
      removeCommonHeaders(reply, dialect)
      const { originalUrl, url } = request
      const [path = ''] = url.split('?', 1)
      if (path.startsWith('/ui/')) {
        return { status: 200, headers: { 'content-type': html }, body: Buffer.from(page) }
      }
      const world = originalUrl.slice(0, Math.max(0, originalUrl.length - url.length))
      const location = `${world}/ui/`
      const body = Buffer.from(`<a href="${location}">Moved Permanently</a>.\n\n`)
      return { status: 301, headers: { location, 'content-type': html }, body }
    },
  }
}
