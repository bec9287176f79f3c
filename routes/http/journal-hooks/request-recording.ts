import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { World } from '../../../state/kernel/worlds/world.ts'
import { originalVerb } from '../sockets/extra-verbs.ts'
import { addWorldHint, findWorld } from './request-head.ts'
import type { JournaledApi, RequestHead, RequestRecord } from './request-record.ts'

declare module 'fastify' {
  interface FastifyInstance {
    readonly requestRecorder: RequestRecorder
  }
}

/** Recorder that assigns ids to requests and stores their records. */
export interface RequestRecorder {
  /** Opens the record of a request and assigns its id, before the request is handled. */
  open(world: World, api: JournaledApi, head: RequestHead): RequestRecord
  /** Closes the record once the answer is known or the client has disconnected. */
  close(record: RequestRecord): void
}

/** Response header with the id of the request. */
export const requestIdHeader = 'x-mock-request'

/** Hooks that run before and after requests are handled, such as those of faults. */
export interface Interceptor {
  /** Returns true if these hooks apply to the world. Called twice per request. */
  appliesTo(world: World): boolean
  /**
   * Receives a request before the request has any effect. The result is used as the handler's result.
   * @param runHandler runs the handler and returns its result
   */
  before(exchange: Exchange, runHandler: () => unknown): unknown
  /** Receives the answer to a request. Calling `done` sends an answer. */
  after(exchange: Exchange, payload: unknown, done: SendPayload): void
}

export interface Exchange {
  readonly record: RequestRecord
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

type SendPayload = (error: null, payload: unknown) => void

export interface RequestObservers {
  readonly recorder: RequestRecorder
  readonly interceptor: Interceptor
  /** Returns the API that answers a request that matches no route; undefined if no API does. */
  apiOf(request: FastifyRequest): JournaledApi | undefined
  /** Receives each request to an API whose world does not exist. */
  onUnknownWorld?(request: FastifyRequest): void
  /** Receives each answer with a status of 400 or more, before the answer is sent. */
  onRefusal?(exchange: Exchange): void
}

/**
 * Installs the recording of an app's requests. The handlers open the records, and a single hook
 * closes them. A second hook would cost as much time as all look-ups of a small request.
 */
export function installRecording(app: FastifyInstance, observers: RequestObservers): void {
  const { recorder, interceptor } = observers
  app.decorate('requestRecorder', recorder)
  app.decorateRequest('record')
  app.addHook('onSend', (request, reply, payload, done) => {
    // A request that failed before it reached a handler has no record yet.
    const record = request.record ?? openRecord(observers, observers.apiOf(request), request, reply)
    if (record === undefined) return done(null, payload)
    if (reply.statusCode >= 400) observers.onRefusal?.({ record, request, reply })
    if (interceptor.appliesTo(record.world)) {
      return interceptor.after({ record, request, reply }, payload, (_error, body) =>
        sendEncoded({ record, request, reply }, body, done),
      )
    }
    record.recordAnswer(request, reply, payload)
    recorder.close(record)
    return sendEncoded({ record, request, reply }, payload, done)
  })
}

/** Sends a payload in the encoding that the API gives it. */
function sendEncoded(
  { record: { api }, request, reply }: Exchange,
  payload: unknown,
  done: (error: Error | null, payload?: unknown) => void,
): void {
  const encoded = api.encodeBody === undefined ? payload : api.encodeBody(request, reply, payload)
  if (encoded instanceof Promise) encoded.then((bytes) => done(null, bytes), done)
  else done(null, encoded)
}

/**
 * Returns a handler that opens the records of its requests. If the interceptor applies to the world
 * of a request, the request is given to `interceptor.before`.
 *
 * @param api API of every request to the handler; by default, `apiOf` is called for each request
 */
export function recordedHandler(
  observers: RequestObservers,
  handler: RouteHandlerMethod,
  api?: JournaledApi,
): RouteHandlerMethod {
  const { interceptor } = observers
  return function handle(request, reply) {
    // A recorded handler can call another one with its request, which then already has a record.
    if (request.record !== undefined) return handler.call(this, request, reply)
    const record = openRecord(observers, api ?? observers.apiOf(request), request, reply)
    if (record === undefined || !interceptor.appliesTo(record.world)) {
      return handler.call(this, request, reply)
    }
    const runHandler = () => handler.call(this, request, reply)
    return interceptor.before({ record, request, reply }, runHandler)
  }
}

/**
 * Calls `sendAnswer` and records a request that failed before routing. Fastify runs no hooks for
 * such a request.
 *
 * @param sendAnswer sends the answer to the request
 */
export function recordAround(
  observers: RequestObservers,
  request: FastifyRequest,
  reply: FastifyReply,
  sendAnswer: () => void,
): void {
  const record = request.record ?? openRecord(observers, observers.apiOf(request), request, reply)
  sendAnswer()
  if (record === undefined) return
  record.recordAnswer(request, reply, undefined)
  observers.recorder.close(record)
}

/**
 * Opens the record of a request to an API, and sets the header with its id. Returns undefined for a
 * request to no API. For an unknown world, adds a hint to the reply, notifies the observer, and
 * returns undefined as well.
 */
function openRecord(
  { recorder, onUnknownWorld }: RequestObservers,
  api: JournaledApi | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestRecord | undefined {
  if (api === undefined) return undefined
  const world = findWorld(request)
  if (world === undefined) {
    addWorldHint(request, reply)
    onUnknownWorld?.(request)
    return undefined
  }
  const { raw, originalUrl: target } = request
  const record = recorder.open(world, api, {
    method: originalVerb(raw),
    target,
    headers: raw.headers,
  })
  request.record = record
  reply.header(requestIdHeader, record.id)
  return record
}

/**
 * Closes the record of a request that gets no answer because its client has disconnected. Keeps
 * Fastify from sending an answer.
 */
export function leaveUnanswered(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { record } = request
  if (record !== undefined) {
    record.recordAbort(request)
    request.server.requestRecorder.close(record)
  }
  return reply.hijack()
}

/**
 * Stores an answer that is written directly to the socket, and closes the record of its request.
 */
export function closeRecord(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
  const { record } = request
  if (record === undefined) return
  record.recordAnswer(request, reply, payload)
  request.server.requestRecorder.close(record)
}
