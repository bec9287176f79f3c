import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FaultRow, faultRows } from '../../state/kernel/faults.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import { setAlarm } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/world.ts'
import { connectionOf } from '../http/connection.ts'
import type { JournaledApi, RequestRecord } from '../http/visit.ts'
import { closeRecord, type Exchange, type Interceptor } from '../http/watch.ts'
import { sentToken } from '../journal/facts.ts'
import type { Action } from './fault-shapes.ts'
import { type Encounter, Faults } from './faults.ts'
import { milliseconds } from './latency.ts'
import { garbled, hangUp, reset, trickle, truncate } from './reply.ts'

/** Writes a failure as an API does: sets status and headers, and returns the body. */
type WriteFailure = NonNullable<JournaledApi['writeFailure']>

/** The faults of a process's worlds, which its requests meet before and after they are answered. */
export class FaultBook implements Interceptor {
  readonly #byWorld = new WeakMap<World, Faults>()

  /** The faults of a world. */
  of(world: World): Faults {
    const known = this.#byWorld.get(world)
    if (known !== undefined) return known
    const faults = new Faults(world)
    this.#byWorld.set(world, faults)
    return faults
  }

  appliesTo(world: World): boolean {
    return world.store.hasRows(faultRows)
  }

  before(exchange: Exchange, goOn: () => unknown): unknown {
    const { record: visit, request, reply } = exchange
    const faults = this.of(visit.world)
    visit.body = request.body
    visit.operation ??= visit.api.findOperation?.(request, visit.world)
    visit.caller ??= callerOf(visit)
    faults.prepare(visit, request)
    const { action, latency } = this.#meet(faults, visit, 'before')
    const act = () => {
      if (action === undefined) return goOn()
      if (action.status !== undefined) return answer(action, request, reply)
      return vanish(action, exchange, faults)
    }
    if (latency === 0) return act()
    return new Promise<void>((resolve) => {
      setAlarm(latency, resolve)
    }).then(act)
  }

  after(exchange: Exchange, payload: unknown, done: Parameters<Interceptor['after']>[2]): void {
    const { record: visit, request, reply } = exchange
    const faults = this.of(visit.world)
    visit.answered(request, reply, payload)
    const { action, latency } = this.#meet(faults, visit, 'afterCommit')
    const end = (sent: unknown) => {
      closeRecord(request, reply, sent)
      done(null, sent)
    }
    const act = () => {
      if (action === undefined || visit.isAnsweredByFault) return end(payload)
      if (action.status !== undefined) return end(write(action, request, reply))
      if (action.garbage) return end(garbled(reply))
      if (action.truncate === undefined && action.slowBody === undefined) {
        return void vanish(action, exchange, faults)
      }
      closeRecord(request, reply, payload)
      return mangle(action, exchange, payload)
    }
    if (latency === 0) act()
    else setAlarm(latency, act)
  }

  /** Has a request meet the faults of one phase, and notes what it met. */
  #meet(faults: Faults, record: RequestRecord, phase: FaultRow['phase']): Encounter {
    const encounter = faults.meet(record, phase, record.isFaulted)
    if (encounter.fault !== undefined) record.fault = encounter.fault
    if (encounter.action !== undefined) record.isFaulted = true
    return encounter
  }
}

/** Whom the token of a request stands for; undefined for nobody. */
function callerOf(record: RequestRecord): unknown {
  const token = sentToken(record)
  if (token === undefined) return undefined
  try {
    return record.api.findCaller?.(token, record.world)
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Sends an answer in parts, or a part of it. */
function mangle({ truncate: at, slowBody }: Action, exchange: Exchange, payload: unknown): void {
  const { request, reply } = exchange
  const sent =
    at === undefined
      ? trickle(reply, payload, slowBody?.bytesPerSecond ?? 1)
      : truncate(reply, payload, at)
  sent.catch((error: unknown) => request.log.warn({ err: error }, 'a fault was cut short'))
}

/** Sends nothing: at once with a reset, else after a while or never. */
function vanish(
  { hang }: Action,
  { record: visit, request, reply }: Exchange,
  faults: Faults,
): void {
  const leave = () => {
    visit.aborted(request)
    request.server.requestRecorder.close(visit)
  }
  if (hang === undefined) {
    leave()
    reset(reply)
    return
  }
  reply.hijack()
  const end = () => {
    alarm?.cancel()
    unhold?.()
    unwatch()
    leave()
    hangUp(reply)
  }
  const alarm = typeof hang === 'string' ? setAlarm(milliseconds(hang) ?? 0, end) : undefined
  const unhold = visit.fault === undefined ? undefined : faults.hold(visit.fault, end)
  const connection = connectionOf(request.raw, reply.raw)
  const unwatch = connection.onClose(end)
}

function answer(action: Action, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.record !== undefined) request.record.isAnsweredByFault = true
  const body = write(action, request, reply)
  return reply.serializer((text: string) => text).send(body)
}

/** Makes the answer that a fault gives and returns its body. */
function write(
  { status = 500, errors, body, headers }: Action,
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  const writeFailure: WriteFailure = request.record?.api.writeFailure ?? plainFailure
  const failure = writeFailure(status, errors, request, reply)
  reply.code(status)
  const given =
    body === undefined ? failure : typeof body === 'string' ? body : JSON.stringify(body)
  if (body !== undefined) {
    reply.header(
      'content-type',
      typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
    )
  }
  if (headers !== undefined) reply.headers(headers)
  reply.removeHeader('content-length')
  return given
}

const plainFailure: WriteFailure = (_status, errors = [], _request, reply) => {
  reply.header('content-type', 'text/plain; charset=utf-8')
  return errors.join('\n')
}
