import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { setAlarm } from '../../state/kernel/time.ts'
import type { World } from '../../state/kernel/world.ts'
import { connectionOf } from '../http/connection.ts'
import { closeVisit, type NotedApi, type Visit } from '../http/visit.ts'
import type { Action } from './fault-shapes.ts'
import { type Encounter, Faults } from './faults.ts'
import { milliseconds } from './latency.ts'
import { garbled, hangUp, reset, trickle, truncate } from './reply.ts'

/** The faults of a process's worlds. */
export class FaultBook {
  readonly #byWorld = new WeakMap<World, Faults>()

  /** The faults of a world. */
  of(world: World): Faults {
    const known = this.#byWorld.get(world)
    if (known !== undefined) return known
    const faults = new Faults(world)
    this.#byWorld.set(world, faults)
    return faults
  }
}

/** Writes a failure as an API does: sets status and headers, and returns the body. */
type WriteFailure = NonNullable<NotedApi['writeFailure']>

/**
 * Lets the requests of an app meet the faults of their worlds, before and after they are answered.
 * To be installed before what notes the answers: that is to see what goes out.
 */
export function installFaults(app: FastifyInstance, book: FaultBook): void {
  app.addHook('preHandler', (request, reply, done) => {
    const { visit } = request
    const faults = visit === undefined ? undefined : book.of(visit.world)
    if (visit === undefined || faults === undefined || !faults.any) return done()
    visit.body = request.body
    visit.operation ??= visit.api.findOperation?.(request, visit.world)
    const encounter = faults.meet(visit, 'before')
    later(encounter, visit, () => {
      const { action } = encounter
      if (action === undefined) return done()
      if (action.status !== undefined) return void answer(action, request, reply)
      vanish(action, { visit, request, reply, faults })
    })
  })
  app.addHook('onSend', (request, reply, payload, done) => {
    const { visit } = request
    const faults = visit === undefined ? undefined : book.of(visit.world)
    if (visit === undefined || faults === undefined || !faults.any) return done(null, payload)
    visit.answered(request, reply, payload)
    const encounter = faults.meet(visit, 'afterCommit', visit.isFaulted)
    later(encounter, visit, () => {
      const { action } = encounter
      if (action === undefined || visit.isAnsweredByFault) return done(null, payload)
      if (action.status !== undefined) return done(null, write(action, request, reply))
      if (action.garbage) return done(null, garbled(reply))
      if (action.truncate !== undefined || action.slowBody !== undefined) {
        closeVisit(request, reply, payload)
        const { truncate: at, slowBody } = action
        const sent =
          at === undefined
            ? trickle(reply, payload, slowBody?.bytesPerSecond ?? 1)
            : truncate(reply, payload, at)
        sent.catch((error: unknown) => request.log.warn({ err: error }, 'a fault was cut short'))
        return undefined
      }
      return vanish(action, { visit, request, reply, faults })
    })
  })
}

/** Notes an encounter and goes on when its latency is over. */
function later({ latency, action, fault }: Encounter, visit: Visit, goOn: () => void): void {
  if (fault !== undefined) visit.fault = fault
  if (action !== undefined) visit.isFaulted = true
  if (latency > 0) setAlarm(latency, goOn)
  else goOn()
}

interface Meeting {
  readonly visit: Visit
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly faults: Faults
}

/** Sends nothing: at once with a reset, else after a while or never. */
function vanish({ hang }: Action, { visit, request, reply, faults }: Meeting): void {
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
