import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem } from './errors.ts'

/** A built file of the inspector. */
export interface InspectorFile {
  readonly type: string
  readonly bytes: Buffer
  /**
   * Quoted hash of the content, for the header `ETag`. Except for the page, the names of the files
   * also contain a hash, so the content behind such a name never changes.
   */
  readonly etag: string
}

/** Function that returns the files of the inspector by name. The first call reads the files. */
export type InspectorFiles = () => ReadonlyMap<string, InspectorFile>

const pageFile = 'index.html'

/**
 * Content security policy that blocks external content, inline content and injected markup
 * (behaviour/program#inspector).
 */
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

/**
 * Returns true for a path of the inspector. The path is relative to the prefix of the control
 * plane. The files of the inspector contain no data of worlds, so they need no control token.
 */
export function isInspectorPath(path: string): boolean {
  return /^\/ui(?:\/[^/]*)?$/.test(path)
}

/**
 * Returns true if a browser requests the root of the control plane or of the server: a GET request
 * that accepts HTML.
 */
export function wantsPage(request: FastifyRequest): boolean {
  const { method, headers, routeOptions } = request
  const isRoot = ['/', '/_mock', '/_mock/'].includes(routeOptions.url ?? '')
  return isRoot && method === 'GET' && /\btext\/html\b/.test(headers.accept ?? '')
}

/**
 * Redirects a browser to the page of the inspector. The address is relative, because the prefix of
 * a world or of a proxy may precede the path.
 */
export function redirectToPage({ originalUrl }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = ''] = originalUrl.split('?', 1)
  const pageAddress = /_mock\/?$/.test(path) ? '_mock/ui' : lastSegmentWithSlash(path) + '_mock/ui'
  return reply.redirect(path.endsWith('/_mock/') ? 'ui' : pageAddress, 302)
}

/**
 * Returns the last segment of a path, followed by a slash; an empty string if the path ends with a
 * slash. A browser replaces the last segment of the current path with a relative address, so the
 * address must repeat that segment.
 */
function lastSegmentWithSlash(path: string): string {
  return path.endsWith('/') ? '' : `${path.slice(path.lastIndexOf('/') + 1)}/`
}

/** Serves the inspector below the prefix of the control plane (behaviour/program#inspector). */
export function serveInspector(app: FastifyInstance, files: InspectorFiles): void {
  function serveFile(name: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const file = files().get(name)
    if (file === undefined) throw new HttpProblem(404, `the inspector has no file "${name}"`)
    const isPage = name === pageFile
    if (isPage) reply.headers(pageHeaders)
    reply
      .header('cache-control', isPage ? 'no-cache' : 'public, max-age=31536000, immutable')
      .header('etag', file.etag)
      .header('x-content-type-options', 'nosniff')
    if (request.headers['if-none-match']?.includes(file.etag)) return reply.code(304).send()
    return reply.type(file.type).send(request.method === 'HEAD' ? '' : file.bytes)
  }

  const method = ['GET', 'HEAD']
  app.route({
    method,
    url: '/ui',
    handler: (request, reply) => serveFile(pageFile, request, reply),
  })
  app.route({
    method,
    url: '/ui/:file',
    handler: (request, reply) => {
      const { file } = request.params as { readonly file: string }
      // The relative addresses in the page require a path without a trailing slash.
      return file === '' ? reply.redirect('../ui', 302) : serveFile(file, request, reply)
    },
  })
}
