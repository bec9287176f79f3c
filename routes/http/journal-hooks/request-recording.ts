import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { originalVerb } from '../sockets/extra-verbs.ts'
import { addWorldHint, findWorld } from './request-head.ts'
import type { JournaledApi, RequestHead, RequestRecord } from './request-record.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Where its requests are noted. */
    readonly requestRecorder: RequestRecorder
  }
}

/** Names requests, and keeps what is noted of them. */
export interface RequestRecorder {
  /** Notes a request that has come in. */
  open(world: World, api: JournaledApi, head: RequestHead): RequestRecord
  /** Told when the answer is known, or when nobody waits for it any more. */
  close(record: RequestRecord): void
}

/** The header that names a request. */
export const requestHeader = 'x-mock-request'

/** Steps between requests and their answers, where somebody asked for it: faults do. */
export interface Interceptor {
  /** Tells whether it concerns requests of a world at all; each one asks, twice. */
  appliesTo(world: World): boolean
  /**
   * Takes a request that has had no effect yet.
   *
   * @param runHandler handles it, and returns what its handler does
   */
  before(exchange: Exchange, runHandler: () => unknown): unknown
  /** Takes the answer to a request; `done` lets one out. */
  after(exchange: Exchange, payload: unknown, done: SendPayload): void
}

/** A request, its answer to be, and what is noted of both. */
export interface Exchange {
  readonly record: RequestRecord
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type SendPayload = (error: null, payload: unknown) => void

/** The parties to the requests of an app. */
export interface RequestObservers {
  readonly recorder: RequestRecorder
  readonly interceptor: Interceptor
  /** Returns the API that answers a request outside all routes; undefined for what is none of an API's. */
  apiOf(request: FastifyRequest): JournaledApi | undefined
  /** Looks at each refusal before it goes out. */
  onRefusal?(exchange: Exchange): void
}

/**
 * Lets an app note its requests. That begins where their handlers do and ends in one hook: each
 * further one would cost a small request as much as its look-ups.
 */
export function installRecording(app: FastifyInstance, observers: RequestObservers): void {
  const { recorder, interceptor } = observers
  app.decorate('requestRecorder', recorder)
  app.decorateRequest('record')
  app.addHook('onSend', (request, reply, payload, done) => {
    // What failed before there was a handler for it has no name yet.
    const record = openRecord(observers, request, reply)
    if (record === undefined) return done(null, payload)
    if (reply.statusCode >= 400) observers.onRefusal?.({ record, request, reply })
    if (interceptor.appliesTo(record.world)) {
      return interceptor.after({ record, request, reply }, payload, done)
    }
    record.answered(request, reply, payload)
    recorder.close(record)
    return done(null, payload)
  })
}

/** Returns a handler whose requests are noted, and may be stepped in. */
export function recordedHandler(
  observers: RequestObservers,
  handler: RouteHandlerMethod,
): RouteHandlerMethod {
  const { interceptor } = observers
  return function handle(request, reply) {
    // Handlers may pass a request on to each other.
    if (request.record !== undefined) return handler.call(this, request, reply)
    const record = openRecord(observers, request, reply)
    if (record === undefined || !interceptor.appliesTo(record.world)) {
      return handler.call(this, request, reply)
    }
    const runHandler = () => handler.call(this, request, reply)
    return interceptor.before({ record, request, reply }, runHandler)
  }
}

/**
 * Notes a request for which no hook runs.
 *
 * @param answer sends its answer
 */
export function recordAround(
  observers: RequestObservers,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: () => void,
): void {
  const record = openRecord(observers, request, reply)
  answer()
  if (record === undefined) return
  record.answered(request, reply, undefined)
  observers.recorder.close(record)
}

/** Notes a request, unless that was done, and gives it its name. */
function openRecord(
  { recorder, apiOf }: RequestObservers,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestRecord | undefined {
  if (request.record !== undefined) return request.record
  const api = apiOf(request)
  if (api === undefined) return undefined
  const world = findWorld(request)
  if (world === undefined) {
    addWorldHint(request, reply)
    return undefined
  }
  const { raw, originalUrl: target } = request
  const record = recorder.open(world, api, {
    method: originalVerb(raw),
    target,
    headers: raw.headers,
  })
  request.record = record
  reply.header(requestHeader, record.id)
  return record
}

/** Answers nothing, since the client has left. */
export function leaveUnanswered(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { record } = request
  if (record !== undefined) {
    record.aborted(request)
    request.server.requestRecorder.close(record)
  }
  return reply.hijack()
}

/** Notes an answer that goes out by hand. */
export function closeRecord(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
  const { record } = request
  if (record === undefined) return
  record.answered(request, reply, payload)
  request.server.requestRecorder.close(record)
}
