import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { World } from '../../state/kernel/world.ts'
import { originalVerb } from './extra-verbs.ts'
import { findWorld, hintAtWorlds } from './request-head.ts'
import type { Head, NotedApi, Visit } from './visit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where its requests are noted. */
    readonly visits: VisitBook
  }
}

/** Names requests, and keeps what is noted of them. */
export interface VisitBook {
  /** Notes a request that has come in. */
  open(world: World, api: NotedApi, head: Head): Visit
  /** Told when the answer is known, or when nobody waits for it any more. */
  close(visit: Visit): void
}

/** The header that names a request. */
export const requestHeader = 'x-mock-request'

/** Steps between requests and their answers, where somebody asked for it: faults do. */
export interface Interceptor {
  /** Tells whether it concerns requests of a world at all; each one asks, twice. */
  concerns(world: World): boolean
  /**
   * Takes a request that has had no effect yet.
   *
   * @param goOn handles it, and returns what its handler does
   */
  before(exchange: Exchange, goOn: () => unknown): unknown
  /** Takes the answer to a request; `done` lets one out. */
  after(exchange: Exchange, payload: unknown, done: Sent): void
}

/** A request, its answer to be, and what is noted of both. */
export interface Exchange {
  readonly visit: Visit
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type Sent = (error: null, payload: unknown) => void

/** The parties to the requests of an app. */
export interface Watch {
  readonly book: VisitBook
  readonly interceptor: Interceptor
  /** Returns the API that answers a request outside all routes; undefined for what is none of an API's. */
  apiOf(request: FastifyRequest): NotedApi | undefined
  /** Looks at each refusal before it goes out. */
  refusing?(exchange: Exchange): void
}

/**
 * Lets an app note its requests. That begins where their handlers do and ends in one hook: each
 * further one would cost a small request as much as its look-ups.
 */
export function installVisits(app: FastifyInstance, watch: Watch): void {
  const { book, interceptor } = watch
  app.decorate('visits', book)
  app.decorateRequest('visit')
  app.addHook('onSend', (request, reply, payload, done) => {
    // What failed before there was a handler for it has no name yet.
    const visit = noteVisit(watch, request, reply)
    if (visit === undefined) return done(null, payload)
    if (reply.statusCode >= 400) watch.refusing?.({ visit, request, reply })
    if (interceptor.concerns(visit.world)) {
      return interceptor.after({ visit, request, reply }, payload, done)
    }
    visit.answered(request, reply, payload)
    book.close(visit)
    return done(null, payload)
  })
}

/** Returns a handler whose requests are noted, and may be stepped in. */
export function watched(watch: Watch, handler: RouteHandlerMethod): RouteHandlerMethod {
  const { interceptor } = watch
  return function handle(request, reply) {
    // Handlers may pass a request on to each other.
    if (request.visit !== undefined) return handler.call(this, request, reply)
    const visit = noteVisit(watch, request, reply)
    if (visit === undefined || !interceptor.concerns(visit.world)) {
      return handler.call(this, request, reply)
    }
    const goOn = () => handler.call(this, request, reply)
    return interceptor.before({ visit, request, reply }, goOn)
  }
}

/**
 * Notes a request for which no hook runs.
 *
 * @param answer sends its answer
 */
export function noteAround(
  watch: Watch,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: () => void,
): void {
  const visit = noteVisit(watch, request, reply)
  answer()
  if (visit === undefined) return
  visit.answered(request, reply, undefined)
  watch.book.close(visit)
}

/** Notes a request, unless that was done, and gives it its name. */
function noteVisit(
  { book, apiOf }: Watch,
  request: FastifyRequest,
  reply: FastifyReply,
): Visit | undefined {
  if (request.visit !== undefined) return request.visit
  const api = apiOf(request)
  if (api === undefined) return undefined
  const world = findWorld(request)
  if (world === undefined) {
    hintAtWorlds(request, reply)
    return undefined
  }
  const { raw, originalUrl: target } = request
  const visit = book.open(world, api, { method: originalVerb(raw), target, headers: raw.headers })
  request.visit = visit
  reply.header(requestHeader, visit.id)
  return visit
}

/** Answers nothing, since the client has left. */
export function leaveUnanswered(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { visit } = request
  if (visit !== undefined) {
    visit.left(request)
    request.server.visits.close(visit)
  }
  return reply.hijack()
}

/** Notes an answer that goes out by hand. */
export function closeVisit(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
  const { visit } = request
  if (visit === undefined) return
  visit.answered(request, reply, payload)
  request.server.visits.close(visit)
}
