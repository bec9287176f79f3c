import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Meanwhile } from '../../state/kernel/meanwhile.ts'
import type { World } from '../../state/kernel/world.ts'
import { schedulerCaller } from '../../state/scheduler/acl/callers.ts'
import { decodeBody } from '../../state/scheduler/decoding.ts'
import { optionsOf } from '../../state/scheduler/options.ts'
import { refuse } from '../../state/scheduler/texts.ts'
import { answerRead } from '../http/blocking.ts'
import { connectionOf } from '../http/connection.ts'
import { JsonText } from '../http/json-text.ts'
import type { Answer } from '../http/operation.ts'
import { Query } from '../http/query.ts'
import { type SchedulerDialect, tokenHeaders } from './dialect.ts'
import type { Read, SchedulerContext, SchedulerOperation } from './operation.ts'
import { readOptions } from './query.ts'

/** The namespace of requests that name none. */
export const defaultNamespace = 'default'

interface Parts {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly world: World
  readonly dialect: SchedulerDialect
  readonly operation: SchedulerOperation
}

/** Makes what an operation works in. */
export function contextOf(parts: Parts): SchedulerContext {
  const { request, world, dialect, operation } = parts
  const query = new Query(request.query)
  const secret = tokenOf(request)
  const text = Buffer.isBuffer(request.body) ? request.body.toString('utf8') : ''
  const sentNamespace = query.value('namespace')
  return {
    world,
    dialect,
    query,
    get caller() {
      checkRegion(query, world)
      return schedulerCaller(world, secret)
    },
    sentNamespace,
    namespace: sentNamespace ?? defaultNamespace,
    hasBody: text !== '',
    text,
    decode: (shape) => decodeBody(text, shape, dialect.name),
    read: (read) => answer(parts, query, read),
    written: (body, index) => ({
      status: 200,
      body: written(dialect, operation, body),
      headers: dialect.headers({ Index: String(index) }),
    }),
  }
}

function written(
  dialect: SchedulerDialect,
  { answers }: SchedulerOperation,
  body: unknown,
): unknown {
  return answers === undefined || typeof body === 'string' ? body : dialect.value(answers, body)
}

/** The body of a read: rows, which are written once, and lists of them. */
function rendered({ world, dialect, operation: { writers } }: Parts, body: unknown): unknown {
  const isWritten = writers === undefined || body instanceof JsonText || typeof body === 'string'
  return isWritten ? body : writers[dialect.name](world, body)
}

function answer(parts: Parts, query: Query, read: Read): Answer | Meanwhile<Answer> {
  const { request, reply, world, dialect } = parts
  const options = readOptions(query)
  checkRegion(query, world)
  const blocking = {
    index: options.index,
    wait: options.wait,
    read: () => read(options),
    world,
    jitter: optionsOf(world).waitJitter,
    connection: connectionOf(request.raw, reply.raw),
  }
  return answerRead(blocking, ({ index, absent, body, nextToken }) => ({
    ...(absent === undefined
      ? { status: 200, body: rendered(parts, body) }
      : { status: 404, body: dialect.tell(absent) }),
    headers: dialect.headers({
      Index: String(index),
      KnownLeader: 'true',
      LastContact: '0',
      ...(nextToken === undefined ? {} : { NextToken: nextToken }),
    }),
  }))
}

/** The token in order of precedence; an empty one is none (3b-scheduler-decisions.md section 1). */
function tokenOf({ headers }: FastifyRequest): string | undefined {
  for (const name of tokenHeaders) {
    const value = headers[name]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  if (headers.authorization === undefined) return undefined
  return /^bearer\s+(\S+)/i.exec(headers.authorization)?.[1]
}

/** Refuses another region than the only one (section 1). */
export function checkRegion(query: Query, world: World): void {
  const asked = query.value('region')
  if (asked !== undefined && asked !== optionsOf(world).region) {
    throw refuse('region-unknown')
  }
}
