import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem } from './errors.ts'

/** A file of the inspector, as it was built. */
export interface InspectorFile {
  readonly type: string
  readonly bytes: Buffer
  /** Of its content; the names of all but the page have it too. */
  readonly etag: string
}

/** The inspector's files by name; read when they are first asked for. */
export type InspectorFiles = () => ReadonlyMap<string, InspectorFile>

/** The page among them. */
const page = 'index.html'

/** Nothing from elsewhere, nothing inline, and no text becomes markup (behaviour/program#inspector). */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
}

/** Whether a path below the control plane's prefix leads to the inspector, which tells nothing itself. */
export function isInspectorPath(path: string): boolean {
  return /^\/ui(?:\/[^/]*)?$/.test(path)
}

/** Whether somebody looks with a browser at the root of the control plane, or of the server. */
export function wantsPage(request: FastifyRequest): boolean {
  const { method, headers, routeOptions } = request
  const isRoot = ['/', '/_mock', '/_mock/'].includes(routeOptions.url ?? '')
  return isRoot && method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '')
}

/** Leads a browser to the page, by a relative address: a world's prefix or a proxy's may stand before. */
export function redirectToPage({ originalUrl }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = originalUrl.split('?', 1)
  const below = /_mock\/?$/.test(path) ? '_mock/ui' : lastSegment(path) + '_mock/ui'
  return reply.redirect(path.endsWith('/_mock/') ? 'ui' : below, 302)
}

/** What a relative address needs before it where a world's prefix has no slash behind it. */
function lastSegment(path: string): string {
  return path.endsWith('/') ? '' : `${path.slice(path.lastIndexOf('/') + 1)}/`
}

/** Serves the inspector below the control plane's prefix (behaviour/program#inspector). */
export function serveInspector(app: FastifyInstance, files: InspectorFiles): void {
  function serve(name: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const file = files().get(name)
    if (file === undefined) throw new HttpProblem(404, `the inspector has no file "${name}"`)
    const isPage = name === page
    if (isPage) reply.headers(pageHeaders)
    reply
      .header('cache-control', isPage ? 'no-cache' : 'public, max-age=31536000, immutable')
      .header('etag', file.etag)
      .header('x-content-type-options', 'nosniff')
    if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
    return reply.type(file.type).send(request.method === 'HEAD' ? '' : file.bytes)
  }

  const method = ['GET', 'HEAD']
  app.route({ method, url: '/ui', handler: (request, reply) => serve(page, request, reply) })
  app.route({
    method,
    url: '/ui/:file',
    handler: (request, reply) => {
      const { file } = request.params as { readonly file: string }
      // The page's own addresses are relative to one without the slash.
      return file === '' ? reply.redirect('../ui', 302) : serve(file, request, reply)
    },
  })
}
