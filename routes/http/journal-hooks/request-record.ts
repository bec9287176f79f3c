import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Message } from '../../../state/kernel/message.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import type { Change } from '../../../state/kernel/store/commits.ts'
import { monotonicTime } from '../../../state/kernel/time.ts'
import type { RequestObserver } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { WorldCheckpoint } from '../../../state/kernel/worlds/world-snapshot.ts'
import type { OperationDeclaration } from '../declare/operation.ts'
import type { ApiExplanations, SiblingApi } from './api-explanations.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The record of the request; undefined for requests to no API or to no world. */
    record: RequestRecord | undefined
  }
}

/** The members of `JournaledApi` except those that identify the API. */
export type JournaledApiOptions = Omit<JournaledApi, 'name' | 'prefix'>

/** A description of an API for the journal and for explanations. */
export interface JournaledApi {
  /** Name of the API in the configuration and on the control plane. */
  readonly name: string
  /**
   * Path prefix of the API. The API also answers requests below this prefix that match no route.
   */
  readonly prefix: string
  /**
   * Lower-case names of headers that contain secrets. The first listed header that a request has is
   * the token of the caller.
   */
  readonly secretHeaders?: readonly string[]
  /**
   * Query parameters that contain secrets. If a request has no token header, the first of these
   * parameters that the request has is the token.
   */
  readonly secretParameters?: readonly string[]
  /** Prefix of the paths whose remainder is a secret, because the remainder grants access. */
  readonly secretPaths?: string
  /** Locations of secrets in every reply, as in `SecretLocations`. */
  readonly secretReplies?: readonly string[]
  /**
   * Present if the journal hides requests without an operation completely, because the locations of
   * their secrets are unknown.
   */
  readonly hidesUnroutedRequests?: true
  /**
   * Returns the operation that a request will reach; undefined if the operation is not known before
   * routing.
   */
  findOperation?(
    request: FastifyRequest,
    world: World,
  ): OperationDeclaration<string, unknown> | undefined
  /**
   * Renders a failure in the format of this API: sets the headers of the reply and returns its
   * body.
   *
   * @param errors error messages; if undefined, the messages that the API usually sends
   */
  writeFailure?(
    status: number,
    errors: readonly string[] | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): string
  /**
   * Returns the body as the connection carries it (for example, compressed), and sets the headers
   * that describe the encoding. The journal has already recorded the body without the encoding.
   */
  encodeBody?(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown
  /**
   * Returns the shape of the body or of the fields of an operation whose declared `body` is not a
   * shape; undefined if the operation has neither body nor fields.
   */
  bodyShape?(operation: OperationDeclaration<string, unknown>): Shape | undefined
  /**
   * Returns the shape of an answer that the operation's `reply` does not declare; undefined if
   * there is no such answer.
   */
  replyShape?(operation: OperationDeclaration<string, unknown>, status: number): Shape | undefined
  /**
   * Returns the caller of a token, in the form of `RequestRecord.caller`, before the request
   * reaches its operation. For an unknown token, throws a refusal or returns undefined.
   */
  findCaller?(token: string, world: World): unknown
  /**
   * Returns the caller's name and the names of its policies or roles.
   *
   * @param caller value that the API stored as `RequestRecord.caller`
   */
  describeCaller?(caller: unknown, world: World): CallerDescription
  readonly explanations?: ApiExplanations
  /** Returns the other APIs of the process. */
  siblings?(): readonly SiblingApi[]
}

/** Caller as the journal and reports show it. */
interface CallerDescription {
  readonly name?: string
  readonly policies?: readonly string[]
}

/** A response to a request that Fastify does not receive, such as one that Node cannot parse. */
export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface RequestHead {
  readonly method: string
  /** Request target, including the prefix of the world. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
}

export interface AppliedFault {
  readonly id: string
  readonly preset: string | null
  /** Id of the request, such as `r17`. */
  readonly request: string
  /** Action of the fault, as configured. */
  readonly action: object
}

/** The parts of an answered request that log lines show, without secrets. */
export interface LoggedRequest {
  /** Name of the API, such as `secrets`. */
  readonly api: string
  readonly method: string
  readonly path: string
  /** Status of the answer; null if the client disconnected before the answer was sent. */
  readonly status: number | null
  /** Duration in milliseconds of real time. */
  readonly ms: number
  /** Instant of the request on the world's clock, in milliseconds since 1970. */
  readonly at: number
}

export interface WorldRecords {
  /** Returns the recorded requests, oldest first. */
  records(): Iterable<RequestRecord>
  /**
   * Returns a world with the state right after a request and a stopped clock. If the journal does
   * not keep that state, returns the current world.
   */
  worldAfter(record: RequestRecord): World
  /**
   * Counts a fault that was applied.
   * @param kind name of the fault's action; `latency` if the fault only adds latency
   */
  recordAppliedFault(fault: AppliedFault, kind: string): void
  /**
   * Calls the listener with each request that is answered from now on. Returns a function that
   * unsubscribes.
   */
  followLog(listener: (request: LoggedRequest) => void): () => void
}

/**
 * The record of a request to an API, which is filled in while the request is answered. The members
 * refer to the request's own objects, which are formatted only if somebody reads the journal
 * (behaviour/program#journal).
 */
export class RequestRecord implements RequestObserver {
  /** Number of the request in its world. */
  readonly number: number
  readonly world: World
  readonly api: JournaledApi
  /** Method in the spelling of the request. */
  readonly method: string
  /** Request target in the spelling of the request, including the prefix of the world. */
  readonly target: string
  headers: IncomingHttpHeaders
  /** Instant of the request on the world's clock, in milliseconds since 1970. */
  readonly at: number
  /** Position of the world's change feed before the request. */
  readonly sequence: number
  /** Index of the service before the request. */
  readonly indexBefore: number
  indexAfter: number
  /** The caller in the API's own representation; undefined if the API does not know the caller. */
  caller: unknown
  operation: OperationDeclaration<string, unknown> | undefined
  /**
   * Body in the form that the API's parser returned: text, bytes or a stream; undefined if there
   * was no body.
   */
  body: unknown
  /**
   * Status of the answer. Null until the answer is sent; stays null if the client disconnects
   * first.
   */
  status: number | null = null
  /**
   * Headers of the response. Several records may share equal headers, so the header with the id of
   * the request may contain the id of another request.
   */
  responseHeaders: Readonly<Record<string, unknown>> = {}
  responseBody: unknown
  /** Id of the fault whose action was applied; undefined if there is none. */
  fault: string | undefined
  /** All faults that were applied, in order. */
  faults: readonly AppliedFault[] = noFaults
  /** True if a fault had an effect other than latency. */
  isFaulted = false
  /** True if a fault sent the answer instead of the API. */
  isAnsweredByFault = false
  /** Duration in milliseconds of real time. */
  duration = 0
  /** All changes of the request, including those of the kernel's tables. */
  changes: readonly Change[] = noChanges
  /** State right after the request; undefined if the journal does not keep the state. */
  checkpoint: WorldCheckpoint | undefined
  /** The refusal or exception that ended the request; undefined if there is none. */
  failure: unknown
  /** Rule of `reason`; empty if `reason` is undefined. */
  rule = ''
  /**
   * Reason of a refusal that was answered without an exception, or of another reply that has an
   * explanation; undefined if there is none.
   */
  reason: Message | undefined
  /** Bit field of checks. Bit n is set if the n-th check in the list of the API was made. */
  checksMade = 0
  /** True once all checks in the list have passed. */
  hasPassedChecks = false
  /** Start time on the monotonic clock, in milliseconds. */
  readonly startedAt = monotonicTime()

  /** Recorded requests of the request's world. */
  readonly worldRecords: WorldRecords

  constructor(
    number: number,
    world: World,
    api: JournaledApi,
    head: RequestHead,
    worldRecords: WorldRecords,
  ) {
    this.worldRecords = worldRecords
    this.number = number
    this.world = world
    this.api = api
    this.method = head.method
    this.target = head.target
    this.headers = head.headers
    this.at = world.clock.now()
    this.sequence = world.store.sequence
    this.indexBefore = world.store.index(api.name)
    this.indexAfter = this.indexBefore
  }

  /** Request id, such as `r17`. */
  get id(): string {
    return `r${this.number}`
  }

  committed(changes: readonly Change[]): void {
    this.changes = this.changes.length === 0 ? changes : [...this.changes, ...changes]
  }

  failed(error: unknown): void {
    this.failure = error
  }

  /**
   * Stores the rule of a refusal that is answered without an exception, for example because an
   * object is missing. Also stores the reason of a reply that is not a refusal but has an
   * explanation.
   */
  setRule(reason: Message): void {
    this.rule = reason.rule
    this.reason = reason
  }

  /**
   * Stores the answer that is about to be sent, together with the operation, the body, the index
   * and the duration of the request.
   */
  recordAnswer(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    this.status = reply.statusCode
    this.responseHeaders = reply.getHeaders()
    this.responseBody = payload
    this.#complete(request)
  }

  /** Stores an answer that was sent without Fastify. */
  recordRawAnswer({ status, headers, body }: RawReply): void {
    this.status = status
    this.responseHeaders = headers
    this.responseBody = body
  }

  /**
   * Records that no answer was sent, together with the operation, the body, the index and the
   * duration of the request.
   */
  recordAbort(request: FastifyRequest): void {
    this.status = null
    this.#complete(request)
  }

  #complete({ operation, body }: FastifyRequest): void {
    this.operation = operation ?? this.operation
    this.body = body
    this.indexAfter = this.world.store.index(this.api.name)
    this.duration = monotonicTime() - this.startedAt
  }
}

const noChanges: readonly Change[] = []
const noFaults: readonly AppliedFault[] = []
