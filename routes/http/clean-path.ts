import type { FastifyReply, FastifyRequest } from 'fastify'

/** What a path must have somewhere to be unclean; most have none of it. */
const unclean = /\/\/|\/\.\.?(?:\/|$)/

/**
 * The path that Go's HTTP servers send a caller to whose path has empty segments, `.` or `..`: those
 * taken out, with the slash at its end if it had one. Percent-encoded ones are none.
 *
 * @returns undefined for a path that is clean
 */
export function cleanPath(path: string): string | undefined {
  if (!unclean.test(path)) return undefined
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const closing = kept.length > 0 && path.endsWith('/') ? '/' : ''
  return `/${kept.join('/')}${closing}`
}

/** What stands for `&`, `<`, `>` and quotes in the text of a link. */
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

/**
 * Where the caller of an unclean path is to go: the clean path below the world's prefix, with the
 * query as it came.
 *
 * @returns undefined for a path that is clean
 */
export function cleanTarget({
  originalUrl,
}: Pick<FastifyRequest, 'originalUrl'>): string | undefined {
  // As it came: without what stands for a verb that Node does not know.
  const target = originalUrl.replace(/^[a-z]+:\/\/[^/]*/i, '')
  const mark = target.indexOf('?')
  const clean = cleanPath(mark < 0 ? target : target.slice(0, mark))
  return clean === undefined || mark < 0 ? clean : clean + target.slice(mark)
}

/**
 * Sends a caller elsewhere as Go's HTTP servers do: 307, on GET and HEAD with a link as HTML.
 *
 * @param verb as the caller sent it: LIST is no GET
 */
export function redirect(reply: FastifyReply, location: string, verb: string): FastifyReply {
  reply.code(307).header('location', location)
  if (verb !== 'GET' && verb !== 'HEAD') return reply.send()
  const link = location.replace(/[&<>"']/g, (character) => entities[character] ?? character)
  return reply
    .type('text/html; charset=utf-8')
    .send(verb === 'HEAD' ? '' : `<a href="${link}">Temporary Redirect</a>.\n\n`)
}
