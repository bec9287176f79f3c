import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Message } from '../../state/kernel/message.ts'
import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import type { ParsedOf } from '../../state/kernel/shape/values.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { type SchedulerCaller, schedulerCaller } from '../../state/scheduler/acl/callers.ts'
import { decodeBody, decodeBodyInParts } from '../../state/scheduler/decoding.ts'
import { writtenIndex } from '../../state/scheduler/indexes.ts'
import { refuse } from '../../state/scheduler/messages.ts'
import { optionsOf } from '../../state/scheduler/options.ts'
import { runBlockingRead } from '../http/blocking/blocking.ts'
import { connectionOf } from '../http/blocking/connection.ts'
import { type StreamUpdate, streamingBody } from '../http/blocking/streaming-body.ts'
import type { Answer } from '../http/declare/operation.ts'
import { JsonText } from '../http/json-text.ts'
import { Query } from '../http/query.ts'
import { checkRights, type SchedulerAccess } from './access.ts'
import { type SchedulerDialect, tokenHeaders } from './dialect.ts'
import type { BodyAddress, Read, SchedulerContext, SchedulerOperation } from './operation.ts'
import { checkQuery, readOptions } from './query.ts'

const defaultNamespace = 'default'

/**
 * Body length in bytes above which a body is decoded in parts. Other worlds are served between the
 * parts.
 */
const longBodyLength = 32 * 1024

interface RequestParts {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly world: World
  readonly dialect: SchedulerDialect
  readonly operation: SchedulerOperation
  readonly params: Readonly<Record<string, string>>
}

export function contextOf(requestParts: RequestParts): SchedulerContext {
  return new RequestContext(requestParts)
}

/**
 * Context of one request. The context is a class because it has a getter. A getter in an object
 * literal would be a new function each time, so V8 would give every object its own hidden class.
 * Such a hidden class would keep the whole request in memory until the next full garbage
 * collection.
 */
class RequestContext implements SchedulerContext {
  readonly world: World
  readonly dialect: SchedulerDialect
  readonly query: Query
  readonly queryNamespace: string | undefined
  namespace: string
  secret: string | undefined
  readonly access: SchedulerAccess
  readonly params: Readonly<Record<string, string>>
  readonly hasBody: boolean
  readonly text: string
  readonly #requestParts: RequestParts
  #region: string | undefined

  constructor(requestParts: RequestParts) {
    const { request } = requestParts
    const query = new Query(request.query)
    const text = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : ''
    const queryNamespace = query.value('namespace')
    this.world = requestParts.world
    this.dialect = requestParts.dialect
    this.query = query
    this.queryNamespace = queryNamespace
    this.namespace = queryNamespace ?? defaultNamespace
    this.hasBody = text !== ''
    this.access = requestParts.operation.access
    this.params = requestParts.params
    this.text = text
    this.#requestParts = requestParts
    this.secret = requestToken(request)
    this.#region = query.value('region')
  }

  get caller(): SchedulerCaller {
    return this.#resolveCaller()
  }

  #resolveCaller(): SchedulerCaller {
    checkRegion(this.#region, this.world)
    const { operation, request } = this.#requestParts
    const caller = schedulerCaller(this.world, this.secret, operation.tokenResolver)
    const { record } = request
    if (record !== undefined) record.caller = caller
    return caller
  }

  decode<const S extends StructShape>(shape: S): ParsedOf<S> {
    const { world, text, dialect } = this
    return isLongBuffer(this.#requestParts.request.body)
      ? world.inParts(() => decodeBodyInParts(text, shape, dialect.name))
      : decodeBody(text, shape, dialect.name)
  }

  authenticate(): void {
    this.#resolveCaller()
  }

  applyBodyAddress({ Region, Namespace, token }: BodyAddress): void {
    this.#region ||= Region || undefined
    if (this.queryNamespace === undefined) this.namespace = Namespace || defaultNamespace
    this.secret ??= token || undefined
  }

  read(read: Read): Answer | Deferred<Answer> {
    return answerRequest(this.#requestParts, this, read)
  }

  readWithoutWaiting(read: Read): Answer | Deferred<Answer> {
    return answerRequest(this.#requestParts, this, read, 0)
  }

  readUnindexed(read: () => unknown): Answer {
    checkRegion(this.#region, this.world)
    checkRights(this, 'before')
    return { status: 200, body: renderBody(this.#requestParts, read()) }
  }

  readUnindexedWithOptions(read: () => unknown): Answer {
    readOptions(this.query)
    return this.readUnindexed(read)
  }

  stream(mediaType: string, readGrowth: () => StreamUpdate): Answer {
    return this.streamResponse({ 'content-type': mediaType }, (response) =>
      streamingBody(this.world, response, readGrowth),
    )
  }

  streamResponse(
    headers: Readonly<Record<string, string>>,
    makeStream: (response: ServerResponse) => Readable,
  ): Answer {
    return { status: 200, body: makeStream(this.#requestParts.reply.raw), headers }
  }

  writeReply(body?: object, index = writtenIndex(this.world)): Answer {
    const { dialect } = this.#requestParts
    return {
      status: 200,
      body: renderBody(this.#requestParts, body),
      headers: dialect.encodeHeaders({ Index: String(index) }),
    }
  }

  writeReplyWithIndex(members: object): Answer {
    const Index = writtenIndex(this.world)
    return this.writeReply({ ...members, Index }, Index)
  }
}

function isLongBuffer(body: unknown): boolean {
  return Buffer.isBuffer(body) && body.length > longBodyLength
}

/**
 * Renders the body of a reply with status 200. The JSON of rows is cached, and long JSON is
 * rendered in parts.
 */
function renderBody({ world, dialect, operation: { renderers } }: RequestParts, body: unknown) {
  const isRendered = renderers === undefined || body instanceof JsonText || typeof body === 'string'
  return isRendered ? body : renderers[dialect.name](world, body)
}

/**
 * Answers a read: validates the common parameters and the region, runs `read` until its index
 * exceeds `minIndex` or the wait ends, and adds the read headers. The caller's rights are checked
 * before each run.
 *
 * @param minIndex 0 to answer without waiting; default: the index in the request
 */
function answerRequest(
  requestParts: RequestParts,
  context: RequestContext,
  read: Read,
  minIndex?: 0,
): Answer | Deferred<Answer> {
  const { request, reply, world, dialect } = requestParts
  const { query } = context
  const options = readOptions(query)
  if (context.access !== 'anyone' && context.access.when === 'before') {
    checkQuery(query, requestParts.operation.query)
  }
  checkRegion(query.value('region'), world)
  const blockingRead = {
    index: minIndex ?? options.index,
    wait: options.wait,
    read: () => {
      checkRights(context, 'before')
      return read(options)
    },
    world,
    jitter: optionsOf(world).waitJitter,
    connection: connectionOf(request.raw, reply.raw),
  }
  return runBlockingRead(blockingRead, ({ index, absentMessage, body, nextToken, maxAge }) => {
    const readHeaders = dialect.encodeHeaders({
      Index: String(index),
      KnownLeader: String(!optionsOf(world).noLeader),
      LastContact: '0',
      ...(nextToken === undefined ? {} : { NextToken: nextToken }),
    })
    const headers =
      maxAge === undefined ? readHeaders : { ...readHeaders, 'cache-control': `max-age=${maxAge}` }
    return absentMessage === undefined
      ? { status: 200, body: renderBody(requestParts, body), headers }
      : { headers, ...absentReply(requestParts, absentMessage) }
  })
}

function absentReply({ request, dialect }: RequestParts, absent: Message): Answer {
  request.record?.setRule(absent)
  return { status: 404, body: dialect.renderMessage(absent) }
}

/**
 * Returns the token of a request: from the first token header that is not empty, otherwise the
 * bearer token in `Authorization`. Returns undefined without a token
 * (behaviour/scheduler#conventions).
 */
function requestToken({ headers }: FastifyRequest): string | undefined {
  for (const name of tokenHeaders) {
    const value = headers[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  if (headers.authorization === undefined) return undefined
  return /^bearer\s+(\S+)/i.exec(headers.authorization)?.[1]
}

/**
 * Throws a refusal for any region other than that of the mock (behaviour/scheduler#conventions).
 */
function checkRegion(requested: string | undefined, world: World): void {
  if (requested !== undefined && requested !== optionsOf(world).region) {
    throw refuse('region-unknown')
  }
}
