import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { World } from '../../state/kernel/world.ts'
import { defaultWorldId, type Worlds } from '../../state/kernel/worlds.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Every world that the app's requests can be about. */
    readonly worlds: Worlds
  }
  interface FastifyRequest {
    /** Scheme and host as the caller used them, plus the world's path prefix. */
    readonly worldOrigin: string
  }
}

const worldName = Symbol('world named in the path')

interface RequestWithWorld extends IncomingMessage {
  [worldName]?: string
}

const worldPath = /^\/_world\/([^/?#]+)(?=[/?#]|$)/

/**
 * Takes `/_world/<id>` off a URL and remembers the world, before any route is looked up: routes are
 * compiled once for all worlds (DESIGN section 2).
 */
export function takeWorldFromUrl(raw: IncomingMessage, url: string): string {
  if (!url.startsWith('/_world/')) return url
  const found = worldPath.exec(url)
  if (found?.[1] === undefined) return url
  const request: RequestWithWorld = raw
  request[worldName] = found[1]
  const rest = url.slice(found[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** The world that a request names: by path prefix, by header `X-Mock-World`, or the default one. */
function namedWorld(request: FastifyRequest): string {
  const raw: RequestWithWorld = request.raw
  const header = request.headers['x-mock-world']
  return raw[worldName] ?? (typeof header === 'string' ? header : defaultWorldId)
}

/**
 * The world that a request is about; `world.request` then does what is due and answers. Not a hook,
 * because a hook costs every request more than the look-up does. An unknown world is an `absent`
 * refusal, in the shape of the API that was asked.
 */
export function worldOf(request: FastifyRequest): World {
  return request.server.worlds.get(namedWorld(request))
}

/** The same with everything done that is due by now, for what is no request of an API. */
export function enterWorld(request: FastifyRequest): World {
  const world = worldOf(request)
  world.settle()
  return world
}

/** Lets the requests of an app find their worlds. */
export function installWorlds(app: FastifyInstance, worlds: Worlds): void {
  app.decorate('worlds', worlds)
  app.decorateRequest('operation')
  app.decorateRequest('worldOrigin', {
    getter(this: FastifyRequest) {
      const name = namedWorld(this)
      const isDefault = name === defaultWorldId && !this.originalUrl.startsWith('/_world/')
      return `${this.protocol}://${this.host}${isDefault ? '' : `/_world/${name}`}`
    },
  })
}
