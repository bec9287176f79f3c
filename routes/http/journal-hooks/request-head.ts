import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../../state/kernel/refusal.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { defaultWorldId, type Worlds } from '../../../state/kernel/worlds/worlds.ts'
import { listenerWorld } from '../sockets/listener-world.ts'
import type { RequestHead } from './request-record.ts'

/** The worlds that the requests of an app can be about. */
export type WorldIndex = Pick<Worlds, 'named' | 'find' | 'list'>

declare module 'fastify' {
  interface FastifyInstance {
    readonly worlds: WorldIndex
  }
  interface FastifyRequest {
    /** Scheme and host as the caller used them, plus the world's path prefix. */
    readonly worldOrigin: string
  }
}

const worldNameKey = Symbol('world named in the path')

interface RequestWithWorld extends IncomingMessage {
  [worldNameKey]?: string
}

const worldPath = /^\/_world\/([^/?#]+)(?=[/?#]|$)/

/**
 * Takes `/_world/<id>` off a URL and remembers the world, before any route is looked up: routes are
 * compiled once for all worlds (behaviour/program#worlds).
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
 * The world that a request names, by path prefix or by header `X-Mock-World`, else the one to whose
 * own listener it came; undefined for none.
 */
function namedWorld(request: FastifyRequest): string | undefined {
  return explicitWorld(request) ?? listenerWorld(request.raw.socket)
}

function explicitWorld({ raw, headers }: FastifyRequest): string | undefined {
  const known: RequestWithWorld = raw
  const header = headers['x-mock-world']
  return known[worldNameKey] ?? (typeof header === 'string' ? header : undefined)
}

/** The same of a head that became no request. */
export function worldNameOf({ target, headers }: RequestHead): string {
  const header = headers['x-mock-world']
  const named = worldPath.exec(originForm(target))?.[1]
  return named ?? (typeof header === 'string' ? header : defaultWorldId)
}

/** A request target without scheme, host and world. */
export function targetInWorld(target: string): string {
  const rest = originForm(target).replace(worldPath, '')
  return rest.startsWith('/') ? rest : `/${rest}`
}

/**
 * The world that a request is about; `world.request` then does what is due and answers. Not a hook,
 * because a hook costs every request more than the look-up does. An unknown world is an `absent`
 * refusal, in the shape of the API that was asked.
 */
export function worldOf(request: FastifyRequest): World {
  return requireWorld(namedWorld(request), request)
}

function requireWorld(name: string | undefined, { server }: FastifyRequest): World {
  const world = server.worlds.named(name)
  if (world !== undefined) return world
  throw new Refusal(
    'absent',
    name === undefined ? 'the request names no world' : `there is no world "${name}"`,
  )
}

/** The same where an unknown one is none. */
export function findWorld(request: FastifyRequest): World | undefined {
  return request.server.worlds.named(namedWorld(request))
}

/**
 * The same with everything done that is due by now, for what is no request of an API.
 *
 * @param unnamed the world meant where none is named, even if requests of APIs must name one
 */
export function upToDateWorld(request: FastifyRequest, unnamed?: string): World {
  const world = requireWorld(namedWorld(request) ?? unnamed, request)
  world.runDueJobs()
  return world
}

/** Says to the caller of a world that is not there what to do (behaviour/program#worlds-for-clients). */
export function addWorldHint(request: FastifyRequest, reply: FastifyReply): void {
  const name = namedWorld(request)
  reply.header(
    'x-mock-hint',
    name === undefined
      ? 'Name a world: put /_world/<id> before the path, or send X-Mock-World: <id>.'
      : 'Make the world first, by PUT /_mock/worlds/<id>, or start the server with --worlds auto.',
  )
}

/** Lets the requests of an app find their worlds. */
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

/** What most callers say, so that no address has to be read. */
const commonHost = /^(?:localhost|127\.0\.0\.1)(?::\d{1,4})?$/

/**
 * Scheme and host as a caller used them. A host that stands in no address, such as one with the port
 * 99999, is taken for `localhost`: what tells addresses has to tell one.
 */
export function originOf({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  const origin = `${protocol}://${host}`
  return commonHost.test(host) || URL.canParse(origin) ? origin : `${protocol}://localhost`
}

const absoluteForm = /^https?:\/\/[^/?#]*/i

/**
 * A request target as path and query. Servers also take it with scheme and host, as proxies send it
 * (RFC 9112 section 3.2.2); Node hands that on unchanged.
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

/** Content types that Fastify knows how to read. */
const plainType = /^[a-z0-9.+-]+\/[a-z0-9.+-]+(; ?charset=[a-z0-9-]+)?$/i

/**
 * Shows Fastify a content type that it takes where it would refuse the one sent: what one means is
 * for each API to decide (behaviour/program#http). Called where URLs are rewritten, because every request
 * would pay for a hook; `contentTypeOf` still knows the one sent.
 */
export function tolerateContentType(raw: IncomingMessage): void {
  const { headers } = raw
  const type = headers['content-type']
  if (type === undefined || plainType.test(type)) return
  const request: RequestWithType = raw
  request[sentTypeKey] = type
  headers['content-type'] = 'application/octet-stream'
}

/** The content type that the client sent; undefined when it sent none. */
export function contentTypeOf(raw: IncomingMessage): string | undefined {
  const request: RequestWithType = raw
  return request[sentTypeKey] ?? raw.headers['content-type']
}

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
  const trailingSlash = kept.length > 0 && path.endsWith('/') ? '/' : ''
  return `/${kept.join('/')}${trailingSlash}`
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
  const queryStart = target.indexOf('?')
  const clean = cleanPath(queryStart < 0 ? target : target.slice(0, queryStart))
  return clean === undefined || queryStart < 0 ? clean : clean + target.slice(queryStart)
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
