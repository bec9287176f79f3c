import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Message } from '../../state/kernel/message.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { StructShape } from '../../state/kernel/shape/kinds.ts'
import type { ParsedOf } from '../../state/kernel/shape/values.ts'
import type { Deferred } from '../../state/kernel/worlds/deferred.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { type MeshCaller, meshCaller } from '../../state/mesh/acl/callers.ts'
import { defaultAgentToken } from '../../state/mesh/agent/agent-tokens.ts'
import type { AgentFiles } from '../../state/mesh/file-definitions.ts'
import { message, refuse } from '../../state/mesh/messages.ts'
import { defaultNamespace } from '../../state/mesh/namespaces/namespaces.ts'
import { hasNamespaces, isCommunity, optionsOf } from '../../state/mesh/options.ts'
import { runBlockingRead } from '../http/blocking/blocking.ts'
import { connectionOf } from '../http/blocking/connection.ts'
import { type LogLevel, logStream } from '../http/blocking/log-stream.ts'
import type { Answer } from '../http/declare/operation.ts'
import type { Query } from '../http/query.ts'
import { checkRights, type MeshAccess } from './access.ts'
import { cacheHeaders } from './cache-headers.ts'
import { decodeBody, refuseScope } from './decode.ts'
import { headerNamesOf, type MeshDialect, type MeshHeaders } from './dialect.ts'
import type { MeshContext, MeshOperation, Read, ReadFlags, Reading } from './operation.ts'
import { agentReadOptions, readOptions } from './read-options.ts'
import { requestLogLine } from './request-log.ts'

const noBody = Buffer.alloc(0)

/** A request after routing. */
interface RequestParts {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly world: World
  readonly dialect: MeshDialect
  readonly operation: MeshOperation
  readonly query: Query
  /** Decoded path parameters by name. */
  readonly params: Readonly<Record<string, string>>
  readonly files: AgentFiles | undefined
}

/**
 * Creates the context of an operation. Throws a refusal in these cases (behaviour/mesh#conventions
 * and behaviour/mesh#namespace): the request names a partition other than `default`; it names a
 * namespace or partition, and the world does not support them; it writes a namespace or restores a
 * snapshot in another datacenter.
 */
export function contextOf(requestParts: RequestParts): MeshContext {
  const { request, world, query, operation } = requestParts
  const secret = requestToken(request, query) ?? defaultAgentToken(world)
  if (!isCommunity(world)) refusePartition(query.value('partition'))
  const { tenancy } = operation
  const hasNamespace = tenancy === undefined || !isCommunity(world)
  const namespace = hasNamespace ? requestedNamespace(request, query, world) : undefined
  if (isCommunity(world) && tenancy !== 'none') refuseAnyPartition(request, query)
  const isWrite = request.method !== 'GET'
  if (isWrite && forwardedFirst.test(operation.path)) checkDatacenter(query, world)
  return new RequestContext(requestParts, secret, namespace, bodyOf(request))
}

const bodyOf = ({ body }: FastifyRequest) => (Buffer.isBuffer(body) ? body : noBody)

/** Prefix of the paths that ignore `dc`. */
const agentPrefix = '/agent/'

/** Path of the list of events. `dc` is ignored, because every agent keeps its own list. */
const eventListPath = '/event/list'

/** Path of the count of services. `dc` is ignored. */
const usagePath = '/operator/usage'

/** Paths of the writes that check `dc` before the rights (behaviour/mesh#datacenters). */
const forwardedFirst = /^\/(?:namespace(?:\/|$)|snapshot$)/

/**
 * The context is a class because of its getter. A getter in an object literal would be a new
 * function each time, so V8 would give every object its own hidden class. Each hidden class would
 * keep its whole request in memory until the next full garbage collection.
 */
class RequestContext implements MeshContext {
  readonly world: World
  readonly dialect: MeshDialect
  readonly query: Query
  readonly secret: string | undefined
  readonly namespace: string | undefined
  readonly access: MeshAccess
  readonly params: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly accept: string
  readonly files: AgentFiles | undefined
  readonly #requestParts: RequestParts

  constructor(
    requestParts: RequestParts,
    secret: string | undefined,
    namespace: string | undefined,
    body: Buffer,
  ) {
    this.world = requestParts.world
    this.dialect = requestParts.dialect
    this.query = requestParts.query
    this.secret = secret
    this.namespace = namespace
    this.access = requestParts.operation.access
    this.params = requestParts.params
    this.body = body
    this.accept = requestParts.request.headers.accept ?? ''
    this.files = requestParts.files
    this.#requestParts = requestParts
  }

  noteReason(reason: Message): void {
    this.#requestParts.request.record?.setRule(reason)
  }

  get caller(): MeshCaller {
    const caller = meshCaller(this.world, this.secret)
    const { record } = this.#requestParts.request
    if (record !== undefined) record.caller = caller
    return caller
  }

  decode<const S extends StructShape>(shape: S, subject = 'Request'): ParsedOf<S> {
    const toRefusal = (problem: Message) => refuse('body-unreadable', { what: subject, problem })
    if (isCommunity(this.world)) refuseScope(this.body, toRefusal)
    return decodeBody(this, shape, toRefusal)
  }

  checkReadParameters(): void {
    readOptions(this.query, this.#requestParts.request.headers['cache-control'])
  }

  requireOwnDatacenter(): void {
    checkDatacenter(this.query, this.world)
  }

  streamLog(level: LogLevel, isJson: boolean): Answer<200> {
    const { request, reply } = this.#requestParts
    const { record } = request
    return {
      status: 200,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body:
        record && logStream({ response: reply.raw, record, level, isJson, lineOf: requestLogLine }),
    }
  }

  read<Status extends number = 200>(
    read: Read<Status>,
    flags: ReadFlags = {},
  ): Answer<Status | 200> | Deferred<Answer<Status | 200>> {
    const { query, world } = this
    const isOfAgent = this.#requestParts.operation.path.startsWith(agentPrefix)
    const isLocal =
      isOfAgent ||
      this.#requestParts.operation.path === eventListPath ||
      this.#requestParts.operation.path === usagePath
    const checkedRead = () => {
      if (!isLocal) checkDatacenter(query, world)
      checkRights(this, 'before')
      return read()
    }
    const guardedRead =
      flags.hasReadHeadersOnRefusal === true
        ? withReadHeadersOnRefusal(this.#requestParts, checkedRead)
        : checkedRead
    return answerRequest(this.#requestParts, guardedRead, flags, this.secret !== undefined)
  }
}

/**
 * Returns a read that works as `read` but sets the headers of an empty read before it throws an
 * error. Refusals of invalid parameters get no such headers (behaviour/mesh#conventions).
 */
function withReadHeadersOnRefusal<Status extends number>(
  { reply, dialect }: RequestParts,
  read: Read<Status>,
): Read<Status> {
  return () => {
    try {
      return read()
    } catch (error) {
      if (error instanceof Refusal && error.kind === 'invalid') throw error
      reply.headers(dialect.headers({ Index: '1', KnownLeader: 'false', ...contactHeaders(0) }))
      throw error
    }
  }
}

/**
 * Returns the headers about how a read was served: the backend, and the milliseconds since the
 * server last heard from the leader.
 */
const contactHeaders = (milliseconds: number) => ({
  LastContact: String(milliseconds),
  'Query-Backend': 'blocking-query',
})

/** Headers of a read from a stream. The agent answers such a read without asking the leader. */
const streamHeaders: MeshHeaders = {
  KnownLeader: 'false',
  LastContact: '0',
  'Query-Backend': 'streaming',
}

/** Replaces the index of a reading with its `indexAtTimeout`, if any, after a wait timed out. */
function withIndexAtTimeout<Status extends number>(reading: Reading<Status>): Reading<Status> {
  const { index, indexAtTimeout = index } = reading
  return indexAtTimeout === index ? reading : { ...reading, index: indexAtTimeout }
}

/**
 * Replaces the index of a reading that has an `unorderedIndex`: with 0 if the client has seen the
 * `unorderedIndex`, so that a wait continues; otherwise with infinity, so that the wait ends.
 *
 * @param requested the index that the client has seen
 */
function withOrderedIndex<Status extends number>(
  reading: Reading<Status>,
  requested: string | undefined,
): Reading<Status> {
  const { unorderedIndex } = reading
  if (unorderedIndex === undefined) return reading
  const isSeen = unorderedIndex === BigInt(requested || 0)
  return { ...reading, index: isSeen ? 0 : Number.POSITIVE_INFINITY }
}

function answerRequest<Status extends number>(
  { request, reply, world, dialect, query, operation, params }: RequestParts,
  read: Read<Status>,
  flags: ReadFlags,
  hasToken: boolean,
): Answer<Status | 200> | Deferred<Answer<Status | 200>> {
  const requested = operation.path.startsWith(agentPrefix)
    ? agentReadOptions
    : readOptions(query, request.headers['cache-control'])
  const { showsConsistency = false, showsFilteringToAnonymous = false, isPlain = false } = flags
  const { index: minIndex, wait } = flags.replacementWait ?? {
    ...requested,
    ...(isPlain && { index: 0 }),
  }
  const isStreamed =
    flags.isStreamable === true && !query.has('near') && (minIndex > 0 || query.has('cached'))
  const { waitJitter, staleLastContact, noLeader } = optionsOf(world)
  const connection = connectionOf(request.raw, reply.raw)
  const sent = bodyOf(request)
  return runBlockingRead<Reading<Status>, Answer<Status | 200>>(
    {
      index: minIndex,
      wait,
      read: () => withOrderedIndex(read(), query.value('index')),
      world,
      jitter: waitJitter && !isStreamed,
      connection,
      resultAtTimeout: withIndexAtTimeout,
    },
    ({ status, body, index, headers, unorderedIndex, ...reading }) => {
      const { isFiltered = false, omitsReadHeaders = false } = reading
      const readHeaders: MeshHeaders = {}
      if (unorderedIndex !== undefined) readHeaders.Index = String(unorderedIndex)
      else if (!(omitsReadHeaders || isPlain)) {
        readHeaders.Index = String(index)
        readHeaders.KnownLeader = String(!noLeader)
        Object.assign(
          readHeaders,
          contactHeaders(requested.consistency === 'stale' ? staleLastContact : 0),
        )
        if (isStreamed) Object.assign(readHeaders, streamHeaders)
        if (showsConsistency) readHeaders['Effective-Consistency'] = requested.consistency
      }
      if (isFiltered) request.record?.setRule(message('entries-left-out'))
      if (isFiltered && (hasToken || showsFilteringToAnonymous))
        readHeaders['Results-Filtered-By-ACLs'] = 'true'
      return {
        status: status ?? 200,
        body,
        headers: Object.assign(
          dialect.headers(readHeaders),
          flags.cache &&
            cacheHeaders({ world, params, query, body: sent }, operation.path, flags.cache),
          headers,
        ),
      }
    },
  )
}

/**
 * Returns the token of a request. The query takes precedence over the token header, and the token
 * header over `Authorization`. Empty values are ignored (behaviour/mesh#token).
 */
function requestToken(request: FastifyRequest, query: Query): string | undefined {
  return (
    query.value('token') ?? headerOf(request, acceptedHeaderNames.token) ?? bearerToken(request)
  )
}

function bearerToken({ headers: { authorization } }: FastifyRequest): string | undefined {
  return authorization === undefined ? undefined : /^bearer\s+(\S+)/i.exec(authorization)?.[1]
}

/** Request headers that the API reads. */
const acceptedHeaderNames = {
  token: headerNamesOf('Token'),
  namespace: headerNamesOf('Namespace'),
  partition: headerNamesOf('Partition'),
}

function headerOf({ headers }: FastifyRequest, names: readonly string[]): string | undefined {
  for (const headerName of names) {
    const value = headers[headerName]
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

function requestedNamespace(request: FastifyRequest, query: Query, world: World) {
  const requested = query.value('ns')
  const header = headerOf(request, acceptedHeaderNames.namespace)
  const name = requested ?? header
  if (name !== undefined && !hasNamespaces(world)) {
    const where = header === undefined ? 'query' : 'header'
    throw refuse(`namespaces-unsupported-in-${where}`)
  }
  return name
}

/**
 * Throws a refusal for any partition except `default`. An empty or missing partition is accepted.
 */
export function refusePartition(partition: string | undefined): void {
  if ((partition ?? '') === '' || partition?.toLowerCase() === defaultNamespace) return
  throw refuse('other-partition')
}

/**
 * Throws a refusal if a request names a partition, even `default` (behaviour/mesh#community).
 */
function refuseAnyPartition(request: FastifyRequest, query: Query): void {
  const hasPartitionHeader = headerOf(request, acceptedHeaderNames.partition) !== undefined
  if (hasPartitionHeader) throw refuse('partitions-unsupported-in-header')
  if (query.value('partition') !== undefined) throw refuse('partitions-unsupported-in-query')
}

function checkDatacenter(query: Query, world: World): void {
  const requested = query.value('dc')
  if (requested !== undefined && requested !== optionsOf(world).datacenter) {
    throw refuse('other-datacenter')
  }
}
