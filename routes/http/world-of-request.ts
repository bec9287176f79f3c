import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { World } from '../../state/kernel/world.ts'
import { defaultWorldId, type Worlds } from '../../state/kernel/worlds.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The world that the request is about. */
    world: World
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
 * Gives every request of an app its world and lets what is due happen first, so that no request sees
 * a deadline that has passed. An unknown world is an `absent` refusal in the shape of the API asked.
 */
export function resolveWorlds(app: FastifyInstance, worlds: Worlds): void {
  // Set before any handler runs; a World here would be shared by all requests.
  app.decorateRequest('world')
  app.decorateRequest('operation')
  app.decorateRequest('worldOrigin', {
    getter(this: FastifyRequest) {
      const raw: RequestWithWorld = this.raw
      const name = raw[worldName]
      return `${this.protocol}://${this.host}${name === undefined ? '' : `/_world/${name}`}`
    },
  })
  app.addHook('onRequest', (request, _reply, done) => {
    const world = worlds.find(namedWorld(request))
    if (world === undefined) {
      done(new Refusal('absent', `there is no world "${namedWorld(request)}"`))
      return
    }
    request.world = world
    world.settle()
    done()
  })
}
