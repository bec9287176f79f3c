import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../state/kernel/refusal.ts'
import type { DialectName } from '../../state/kernel/shape/dialect.ts'
import { setAlarm } from '../../state/kernel/time.ts'
import { type FaultRow, faultRows } from '../../state/kernel/worlds/fault-tables.ts'
import type { World } from '../../state/kernel/worlds/world.ts'
import { connectionOf } from '../http/blocking/connection.ts'
import type { JournaledApi, RequestRecord } from '../http/journal-hooks/request-record.ts'
import {
  closeRecord,
  type Exchange,
  type Interceptor,
} from '../http/journal-hooks/request-recording.ts'
import { sentToken } from '../journal/record-values.ts'
import type { Action } from './declare/fault-shapes.ts'
import { parseMilliseconds } from './declare/latency.ts'
import type { Preset } from './declare/preset.ts'
import { type FaultDecision, Faults } from './faults.ts'
import { PresetCatalog } from './presets/catalog.ts'
import {
  destroyConnection,
  garbageBody,
  resetConnection,
  sendSlowly,
  sendTruncated,
} from './reply.ts'

/**
 * Function that renders a failure in the format of an API. The function sets headers of the reply
 * and returns its body.
 */
type WriteFailure = NonNullable<JournaledApi['writeFailure']>

/**
 * Interceptor that applies the faults of all worlds of a process: before the API handles a
 * request, and again before the answer is sent.
 */
export class FaultInjector implements Interceptor {
  readonly #byWorld = new WeakMap<World, Faults>()
  readonly #catalog: PresetCatalog

  /**
   * @param presets presets of the services
   * @param dialect dialect of the summaries of presets
   */
  constructor(presets: readonly Preset[] = [], dialect: DialectName = 'neutral') {
    this.#catalog = new PresetCatalog(presets, dialect)
  }

  of(world: World): Faults {
    const known = this.#byWorld.get(world)
    if (known !== undefined) return known
    const faults = new Faults(world, this.#catalog)
    this.#byWorld.set(world, faults)
    return faults
  }

  appliesTo(world: World): boolean {
    return world.store.hasRows(faultRows)
  }

  before(exchange: Exchange, runHandler: () => unknown): unknown {
    const { record, request, reply } = exchange
    const faults = this.of(record.world)
    record.body = request.body
    record.operation ??= record.api.findOperation?.(request, record.world)
    record.caller ??= findCaller(record)
    faults.prepare(record, request)
    const { action, latency } = this.#decide(faults, record, 'before')
    const applyAction = () => {
      if (action === undefined) return runHandler()
      if (action.status !== undefined) return replyWithFault(action, request, reply)
      return dropConnection(action, exchange, faults)
    }
    if (latency === 0) return applyAction()
    return new Promise<void>((resolve) => {
      setAlarm(latency, resolve)
    }).then(applyAction)
  }

  after(exchange: Exchange, payload: unknown, done: Parameters<Interceptor['after']>[2]): void {
    const { record, request, reply } = exchange
    const faults = this.of(record.world)
    record.recordAnswer(request, reply, payload)
    const { action, latency } = this.#decide(faults, record, 'afterCommit')
    const finish = (sent: unknown) => {
      closeRecord(request, reply, sent)
      done(null, sent)
    }
    const applyAction = () => {
      if (action === undefined || record.isAnsweredByFault) return finish(payload)
      if (action.status !== undefined) return finish(writeFault(action, request, reply))
      if (action.garbage) return finish(garbageBody(reply))
      if (action.truncate === undefined && action.slowBody === undefined) {
        return void dropConnection(action, exchange, faults)
      }
      closeRecord(request, reply, payload)
      return distortBody(action, exchange, payload)
    }
    if (latency === 0) applyAction()
    else setAlarm(latency, applyAction)
  }

  /** Decides which faults of a phase apply to a request, and stores the result in the record. */
  #decide(faults: Faults, record: RequestRecord, phase: FaultRow['phase']): FaultDecision {
    const decision = faults.decide(record, phase, record.isFaulted)
    if (decision.fault !== undefined) record.fault = decision.fault
    if (decision.action !== undefined) record.isFaulted = true
    return decision
  }
}

/**
 * Returns the caller that the API finds for the request's token; undefined without a token, or if
 * the API finds no caller.
 */
function findCaller(record: RequestRecord): unknown {
  const token = sentToken(record)
  if (token === undefined) return undefined
  try {
    return record.api.findCaller?.(token, record.world)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Truncates the body of an answer, or sends the body slowly. A failure while sending is logged. */
function distortBody({ truncate: at, slowBody }: Action, exchange: Exchange, payload: unknown) {
  const { request, reply } = exchange
  const sent =
    at === undefined
      ? sendSlowly(reply, payload, slowBody?.bytesPerSecond ?? 1)
      : sendTruncated(reply, payload, at)
  sent.catch((error: unknown) => request.log.warn({ err: error }, 'a fault was cut short'))
}

/**
 * Drops the connection without an answer, and records the request as aborted. Without `hang`, the
 * connection is reset. With `hang`, the connection stays open until the duration in `hang` is over,
 * the fault is deleted, the world ends or the client disconnects. If `hang` is true, the duration
 * has no limit.
 */
function dropConnection({ hang }: Action, { record, request, reply }: Exchange, faults: Faults) {
  const recordAborted = () => {
    record.recordAbort(request)
    request.server.requestRecorder.close(record)
  }
  if (hang === undefined) {
    recordAborted()
    resetConnection(reply)
    return
  }
  reply.hijack()
  const finish = () => {
    alarm?.cancel()
    stopWatchingFault?.()
    unwatch()
    recordAborted()
    destroyConnection(reply)
  }
  const alarm =
    typeof hang === 'string' ? setAlarm(parseMilliseconds(hang) ?? 0, finish) : undefined
  const stopWatchingFault =
    record.fault === undefined ? undefined : faults.watchDeletion(record.fault, finish)
  const connection = connectionOf(request.raw, reply.raw)
  const unwatch = connection.onClose(finish)
}

function replyWithFault(action: Action, request: FastifyRequest, reply: FastifyReply) {
  if (request.record !== undefined) request.record.isAnsweredByFault = true
  const body = writeFault(action, request, reply)
  return reply.serializer((text: string) => text).send(body)
}

/**
 * Sets the status and headers of the answer that a fault sends instead of the API's answer, and
 * returns the body.
 */
function writeFault(
  { status = 500, errors, body, headers }: Action,
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  const writeFailure: WriteFailure = request.record?.api.writeFailure ?? plainFailure
  const failure = writeFailure(status, errors, request, reply)
  reply.code(status)
  const text = body === undefined ? failure : typeof body === 'string' ? body : JSON.stringify(body)
  if (body !== undefined) {
    reply.header(
      'content-type',
      typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
    )
  }
  if (headers !== undefined) reply.headers(headers)
  reply.removeHeader('content-length')
  return text
}

const plainFailure: WriteFailure = (_status, errors = [], _request, reply) => {
  reply.header('content-type', 'text/plain; charset=utf-8')
  return errors.join('\n')
}
