import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { defaultWorldId, type Worlds } from '../../../state/kernel/worlds/worlds.ts'
import { listenerWorld } from '../sockets/listener-world.ts'
import { isFromForeignPage } from './foreign-page.ts'
import type { RequestHead } from './request-record.ts'

/** The worlds that requests to an app can name. */
export type WorldIndex = Pick<Worlds, 'named' | 'find' | 'list'>

declare module 'fastify' {
  interface FastifyInstance {
    readonly worlds: WorldIndex
  }
  interface FastifyRequest {
    /**
     * The scheme and host with which the caller reached the server, followed by the path prefix of
     * the world that the path or the header names. The prefix of the default world is left out
     * unless the path has it.
     */
    readonly worldOrigin: string
  }
}

const worldNameKey = Symbol('world named in the path')

interface RequestWithWorld extends IncomingMessage {
  [worldNameKey]?: string
}

const worldPath = /^\/_world\/([^/?#]+)(?=[/?#]|$)/

/**
 * Returns a URL without the prefix `/_world/<id>`, and stores the name of the world in the request.
 * This happens before routing, so that routes are compiled once for all worlds
 * (behaviour/program#worlds).
 */
export function takeWorldFromUrl(raw: IncomingMessage, url: string): string {
  if (!url.startsWith('/_world/')) return url
  const match = worldPath.exec(url)
  if (match?.[1] === undefined) return url
  const request: RequestWithWorld = raw
  request[worldNameKey] = match[1]
  const rest = url.slice(match[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * Returns the name of the world that a request names by path prefix or by the header
 * `X-Mock-World`, otherwise of the world whose listener accepted the connection; undefined if there
 * is neither.
 */
export function namedWorld(request: FastifyRequest): string | undefined {
  return explicitWorld(request) ?? listenerWorld(request.raw.socket)
}

function explicitWorld({ raw, headers }: FastifyRequest): string | undefined {
  const known: RequestWithWorld = raw
  const header = headers['x-mock-world']
  return known[worldNameKey] ?? (typeof header === 'string' ? header : undefined)
}

/**
 * Returns the name of the world that the head of a request names; the default world if the head
 * names none. Used for requests that Fastify does not receive.
 */
export function worldNameOf({ target, headers }: RequestHead): string {
  const header = headers['x-mock-world']
  const named = worldPath.exec(originForm(target))?.[1]
  return named ?? (typeof header === 'string' ? header : defaultWorldId)
}

/** Returns a request target without scheme, host and world prefix. */
export function targetInWorld(target: string): string {
  const rest = originForm(target).replace(worldPath, '')
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * Returns the world of a request. The caller passes the world to `world.request`, which runs the
 * due jobs. Handlers call this function instead of a hook, because a hook would cost every request
 * more than the look-up. Throws an `absent` refusal, which the API of the path renders, if the
 * world does not exist, or if the request names no world although it must.
 */
export function worldOf(request: FastifyRequest): World {
  const recorded = request.record?.world
  // A world can end while a fault delays the request.
  if (recorded !== undefined && !recorded.closed) return recorded
  return requireWorld(namedWorld(request), request)
}

/**
 * Returns the world that a request names, or the default world if it names none, and restarts the
 * world's time to live. If the settings allow it, creates a missing world, except for requests from
 * pages of other origins. Returns undefined if there is no such world, or if the request names no
 * world although it must.
 */
export function findWorld(request: FastifyRequest, name = namedWorld(request)): World | undefined {
  const { worlds } = request.server
  const mayCreate =
    name === undefined ||
    worlds.find(name) !== undefined ||
    !isFromForeignPage(request.headers, request.protocol)
  return mayCreate ? worlds.named(name) : undefined
}

function requireWorld(name: string | undefined, request: FastifyRequest): World {
  const world = findWorld(request, name)
  if (world !== undefined) return world
  throw new Refusal(
    'absent',
    name === undefined ? 'the request names no world' : `there is no world "${name}"`,
  )
}

/**
 * Returns the world of a request that no API handles, after running the due jobs of the world.
 * Throws an `absent` refusal if the world does not exist.
 *
 * @param unnamed world for requests that name no world; applies even if requests to APIs must name
 *   one
 */
export function upToDateWorld(request: FastifyRequest, unnamed?: string): World {
  const world = requireWorld(namedWorld(request) ?? unnamed, request)
  world.runDueJobs()
  return world
}

/**
 * Adds a hint to the reply. If the request names a world, the hint says how to create the world;
 * otherwise, how to name one (behaviour/program#worlds).
 */
export function addWorldHint(request: FastifyRequest, reply: FastifyReply): void {
  const name = namedWorld(request)
  reply.header(
    'x-mock-hint',
    name === undefined
      ? 'Name a world: put /_world/<id> before the path, or send X-Mock-World: <id>.'
      : 'Create the world first, with PUT /_mock/worlds/<id>, or start the server with --worlds auto.',
  )
}

/** Adds `worlds` to an app, and `operation` and `worldOrigin` to its requests. */
export function installWorlds(app: FastifyInstance, worlds: WorldIndex): void {
  app.decorate('worlds', worlds)
  app.decorateRequest('operation')
  app.decorateRequest('worldOrigin', {
    getter(this: FastifyRequest) {
      const name = explicitWorld(this) ?? defaultWorldId
      const isDefault = name === defaultWorldId && !this.originalUrl.startsWith('/_world/')
      return originOf(this) + (isDefault ? '' : `/_world/${name}`)
    },
  })
}

/** Pattern of the hosts that most callers send. These hosts are valid, so they are not parsed. */
const commonHost = /^(?:localhost|127\.0\.0\.1)(?::\d{1,4})?$/

/**
 * Returns the scheme and host with which the caller reached the server. A host that is invalid in a
 * URL, such as one with the port 99999, is replaced with `localhost`, so that URLs in replies are
 * valid.
 */
export function originOf({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  const origin = `${protocol}://${host}`
  return commonHost.test(host) || URL.canParse(origin) ? origin : `${protocol}://localhost`
}

const absoluteForm = /^https?:\/\/[^/?#]*/i

/**
 * Returns a request target as path and query. Servers also accept the absolute form with scheme and
 * host, which proxies send (RFC 9112 section 3.2.2). Node does not convert the absolute form.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const match = absoluteForm.exec(target)
  if (match === null) return target
  const rest = target.slice(match[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

const sentTypeKey = Symbol('content type as sent')

interface RequestWithType extends IncomingMessage {
  [sentTypeKey]?: string
}

/** Pattern of the content types that Fastify can parse. */
const plainType = /^[a-z0-9.+-]+\/[a-z0-9.+-]+(; ?charset=[a-z0-9-]+)?$/i

/**
 * Replaces a content type that Fastify would refuse with an accepted one, because each API has its
 * own rules about content types. Called from Fastify's `rewriteUrl`, because a hook would slow down
 * every request. `contentTypeOf` still returns the original content type.
 */
export function tolerateContentType(raw: IncomingMessage): void {
  const { headers } = raw
  const type = headers['content-type']
  if (type === undefined || plainType.test(type)) return
  const request: RequestWithType = raw
  request[sentTypeKey] = type
  headers['content-type'] = 'application/octet-stream'
}

/** Returns the content type of the request, unchanged; undefined if there was none. */
export function contentTypeOf(raw: IncomingMessage): string | undefined {
  const request: RequestWithType = raw
  return request[sentTypeKey] ?? raw.headers['content-type']
}

/** Pattern for a quick test of paths that may not be clean. Most paths do not match. */
const uncleanPath = /\/\/|\/\.\.?(?:\/|$)/

/**
 * Returns the clean path to which Go's HTTP servers redirect a caller: empty segments, `.` and `..`
 * are resolved, and a trailing slash is kept. Percent-encoded dots and slashes are not resolved.
 *
 * @returns undefined for a path that is already clean
 */
export function cleanPath(path: string): string | undefined {
  if (!uncleanPath.test(path)) return undefined
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const trailingSlash = kept.length > 0 && path.endsWith('/') ? '/' : ''
  return `/${kept.join('/')}${trailingSlash}`
}

/** HTML entities for `&`, `<`, `>` and quotes. */
const htmlEntities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&#34;',
  "'": '&#39;',
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => htmlEntities[character] ?? character)
}

/**
 * Returns the target of the redirect for a path that is not clean: the clean path below the world's
 * prefix, with the unchanged query.
 *
 * @returns undefined for a path that is already clean
 */
export function cleanTarget({
  originalUrl,
}: Pick<FastifyRequest, 'originalUrl'>): string | undefined {
  // Unlike `url`, `originalUrl` does not have the query parameter that replaces an extra verb.
  const target = originalUrl.startsWith('/')
    ? originalUrl
    : originalUrl.replace(/^[a-z]+:\/\/[^/]*/i, '')
  const queryStart = target.indexOf('?')
  const clean = cleanPath(queryStart < 0 ? target : target.slice(0, queryStart))
  return clean === undefined || queryStart < 0 ? clean : clean + target.slice(queryStart)
}

/** Texts of the statuses of a redirect to a clean path. Go's servers send 307 since Go 1.26. */
const redirectNames = { 301: 'Moved Permanently', 307: 'Temporary Redirect' } as const

/**
 * Redirects as Go's HTTP servers do. The reply to GET has a link in HTML as its body; the reply to
 * HEAD has only the content type of HTML.
 *
 * @param verb method in the request; LIST does not count as GET
 */
export function redirect(
  reply: FastifyReply,
  location: string,
  verb: string,
  status: keyof typeof redirectNames,
): FastifyReply {
  reply.code(status).header('location', location)
  if (verb !== 'GET' && verb !== 'HEAD') return reply.send()
  return reply
    .type('text/html; charset=utf-8')
    .send(
      verb === 'HEAD' ? '' : `<a href="${escapeHtml(location)}">${redirectNames[status]}</a>.\n\n`,
    )
}
