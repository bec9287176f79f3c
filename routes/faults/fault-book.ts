import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FaultRow, faultRows } from '../../state/kernel/faults.ts'
import { Refusal } from '../../state/kernel/refusal.ts'
import { setAlarm } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/world.ts'
import { connectionOf } from '../http/connection.ts'
import type { NotedApi, Visit } from '../http/visit.ts'
import { closeVisit, type Exchange, type Interceptor } from '../http/watch.ts'
import { sentToken } from '../journal/facts.ts'
import type { Action } from './fault-shapes.ts'
import { type Encounter, Faults } from './faults.ts'
import { milliseconds } from './latency.ts'
import { garbled, hangUp, reset, trickle, truncate } from './reply.ts'

/** Writes a failure as an API does: sets status and headers, and returns the body. */
type WriteFailure = NonNullable<NotedApi['writeFailure']>

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

  concerns(world: World): boolean {
    return world.store.holds(faultRows)
  }

  before(exchange: Exchange, goOn: () => unknown): unknown {
    const { visit, request, reply } = exchange
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
    const { visit, request, reply } = exchange
    const faults = this.of(visit.world)
    visit.answered(request, reply, payload)
    const { action, latency } = this.#meet(faults, visit, 'afterCommit')
    const end = (sent: unknown) => {
      closeVisit(request, reply, sent)
      done(null, sent)
    }
    const act = () => {
      if (action === undefined || visit.isAnsweredByFault) return end(payload)
      if (action.status !== undefined) return end(write(action, request, reply))
      if (action.garbage) return end(garbled(reply))
      if (action.truncate === undefined && action.slowBody === undefined) {
        return void vanish(action, exchange, faults)
      }
      closeVisit(request, reply, payload)
      return mangle(action, exchange, payload)
    }
    if (latency === 0) act()
    else setAlarm(latency, act)
  }

  /** Has a request meet the faults of one phase, and notes what it met. */
  #meet(faults: Faults, visit: Visit, phase: FaultRow['phase']): Encounter {
    const encounter = faults.meet(visit, phase, visit.isFaulted)
    if (encounter.fault !== undefined) visit.fault = encounter.fault
    if (encounter.action !== undefined) visit.isFaulted = true
    return encounter
  }
}

/** Whom the token of a request stands for; undefined for nobody. */
function callerOf(visit: Visit): unknown {
  const token = sentToken(visit)
  if (token === undefined) return undefined
  try {
    return visit.api.findCaller?.(token, visit.world)
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
function vanish({ hang }: Action, { visit, request, reply }: Exchange, faults: Faults): void {
  const leave = () => {
    visit.left(request)
    request.server.visits.close(visit)
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
  if (request.visit !== undefined) request.visit.isAnsweredByFault = true
  const body = write(action, request, reply)
  return reply.serializer((text: string) => text).send(body)
}

/** Makes the answer that a fault gives and returns its body. */
function write(
  { status = 500, errors, body, headers }: Action,
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  const writeFailure: WriteFailure = request.visit?.api.writeFailure ?? plainFailure
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
