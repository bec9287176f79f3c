import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Message } from '../../../state/kernel/message.ts'
import type { Shape } from '../../../state/kernel/shape/kinds.ts'
import type { Change } from '../../../state/kernel/store/commits.ts'
import { monotonicTime } from '../../../state/kernel/time.ts'
import type { Trace } from '../../../state/kernel/worlds/deferred.ts'
import type { World } from '../../../state/kernel/worlds/world.ts'
import type { WorldCheckpoint } from '../../../state/kernel/worlds/world-snapshot.ts'
import type { OperationDeclaration } from '../declare/operation.ts'
import type { ApiExplanations, SiblingApi } from './api-explanations.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What is noted of it; undefined of requests that are none of an API's, or of no world. */
    record: RequestRecord | undefined
  }
}

/** What an API says of its requests for those who look at them later. */
export interface JournaledApi {
  readonly name: string
  /** Headers that hold secrets, in lower case; the first that is sent is the caller's token. */
  readonly secretHeaders?: readonly string[]
  /** Parameters of the query that do; the first that is sent is a token where no header is. */
  readonly secretParameters?: readonly string[]
  /** What follows such a prefix of a path lets in whoever knows it. */
  readonly secretPaths?: string
  /** Places of secrets in every reply: see `SecretPlaces`. */
  readonly secretReplies?: readonly string[]
  /** Nothing of a request is shown plainly that no operation takes: what is secret in it is not known. */
  readonly hidesUnknown?: true
  /** Returns the operation that a request will come to, as far as that can be known before. */
  findOperation?(
    request: FastifyRequest,
    world: World,
  ): OperationDeclaration<string, unknown> | undefined
  /**
   * Writes a failure as this API does: sets its headers and returns the body.
   *
   * @param errors its texts; the API's usual ones when undefined
   */
  writeFailure?(
    status: number,
    errors: readonly string[] | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): string
  /** Returns the shape of an operation's body or fields where its `body` is none by itself. */
  bodyShape?(operation: OperationDeclaration<string, unknown>): Shape | undefined
  /** Returns the shape of an answer that its `reply` does not say. */
  replyShape?(operation: OperationDeclaration<string, unknown>, status: number): Shape | undefined
  /**
   * Returns whom a token stands for, as `Visit.caller` has it, before a request comes to its
   * operation; refuses, or has nobody, for one that it does not know.
   */
  findCaller?(token: string, world: World): unknown
  /**
   * Returns what a caller is called and the names of its policies or roles.
   *
   * @param caller whom the API has noted as `Visit.caller`
   */
  describeCaller?(caller: unknown, world: World): CallerDescription
  /** What it knows of its refusals. */
  readonly explanations?: ApiExplanations
  /** Returns the other APIs of the process. */
  siblings?(): readonly SiblingApi[]
}

/** A caller as others see it. */
export interface CallerDescription {
  readonly name?: string
  readonly policies?: readonly string[]
}

/** An answer that is written to the socket by hand, because Node made no request of what came. */
export interface RawReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The head of a request, as it was sent. */
export interface RequestHead {
  readonly method: string
  /** The world's prefix included. */
  readonly target: string
  readonly headers: IncomingHttpHeaders
}

/** A fault that is applied to a request. */
export interface AppliedFault {
  readonly id: string
  readonly preset: string | null
  /** The name of the request. */
  readonly request: string
  /** As it was given. */
  readonly action: object
}

/** The requests of a world. */
export interface WorldRecords {
  /** Returns those that are kept, oldest first. */
  records(): Iterable<RequestRecord>
  /**
   * Told of each fault when it is applied.
   *
   * @param kind the name of its action, `latency` for latency alone
   */
  faultApplied(fault: AppliedFault, kind: string): void
}

/**
 * The facts noted of a request of an API while it is answered: references, which are made readable
 * when somebody looks (behaviour/program#journal).
 */
export class RequestRecord implements Trace {
  /** Counts the requests of the world. */
  readonly number: number
  readonly world: World
  readonly api: JournaledApi
  /** As on the wire. */
  readonly method: string
  /** The request target as it was sent, the world's prefix included. */
  readonly target: string
  headers: IncomingHttpHeaders
  /** By the world's clock, in milliseconds since 1970. */
  readonly at: number
  /** Position of the world's feed before it. */
  readonly sequence: number
  /** The service's index before it. */
  readonly indexBefore: number
  indexAfter: number
  /** Whom the API takes for its caller, in a form of its own; undefined for nobody it knows. */
  caller: unknown
  operation: OperationDeclaration<string, unknown> | undefined
  /** As the API's parser left it: text, bytes or a stream; undefined without one. */
  body: unknown
  /** Null while there is none, and for ever when the client left first. */
  status: number | null = null
  /** But for its name, which may be another's. */
  responseHeaders: Readonly<Record<string, unknown>> = {}
  responseBody: unknown
  /** The fault that was applied. */
  fault: string | undefined
  /** All that were, in order. */
  faults: readonly AppliedFault[] = noFaults
  /** That fault did more than wait. */
  isFaulted = false
  /** The answer is the fault's, not the API's. */
  isAnsweredByFault = false
  /** In milliseconds of real time. */
  duration = 0
  /** Everything that it wrote, the kernel's own tables included. */
  changes: readonly Change[] = noChanges
  /** The state right after it; undefined where the journal does not keep it. */
  checkpoint: WorldCheckpoint | undefined
  /** What ended it: a refusal or an exception. */
  failure: unknown
  /** The rule of a refusal that was not thrown. */
  rule = ''
  /** Bit n is set if the n-th check of the API's list was made. */
  checksMade = 0
  /** True once every check of the list has passed. */
  hasPassedChecks = false
  /** By the stopwatch. */
  readonly startedAt = monotonicTime()

  /** The requests of its world, where it is one of them. */
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

  /** `r17` */
  get id(): string {
    return `r${this.number}`
  }

  committed(changes: readonly Change[]): void {
    this.changes = this.changes.length === 0 ? changes : [...this.changes, ...changes]
  }

  failed(error: unknown): void {
    this.failure = error
  }

  /** Notes what an answer says that is no exception: that something is absent, for one. */
  setRule({ rule }: Message): void {
    this.rule = rule
  }

  /** Notes the answer. */
  answered(request: FastifyRequest, reply: FastifyReply, payload: unknown): void {
    this.status = reply.statusCode
    this.responseHeaders = reply.getHeaders()
    this.responseBody = payload
    this.#complete(request)
  }

  /** Notes an answer to what never became a request. */
  answeredRaw({ status, headers, body }: RawReply): void {
    this.status = status
    this.responseHeaders = headers
    this.responseBody = body
  }

  /** Notes that no answer went out. */
  aborted(request: FastifyRequest): void {
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
