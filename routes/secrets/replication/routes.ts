import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { JsonSchema } from '../../../state/kernel/schema.ts'
import type { ReplicationMessage } from '../../../state/secrets/replication/feed.ts'
import type { SecondaryIntroduction } from '../../../state/secrets/replication/secondaries.ts'
import { isSealed } from '../../../state/secrets/seal/seal.ts'
import { sharedValidator } from '../../http/declare/validate.ts'
import { upToDateWorld } from '../../http/journal-hooks/request-head.ts'
import { refuse } from '../messages.ts'
import { replicationPrefix } from './messages.ts'
import type { Replication } from './replication.ts'

const introductionSchema: JsonSchema = {
  type: 'object',
  required: ['node_id', 'api_address'],
  properties: { node_id: { type: 'string' }, api_address: { type: 'string' } },
}

/**
 * Adds the routes for secondaries in other processes, which join with the credential of their
 * activation token and read a stream with one JSON message per line. The real service replicates
 * through its cluster port with its own protocol, so these routes are not part of the product's
 * API. Also attaches the server to `replication`, and starts the links of its secondaries when the
 * server is ready.
 */
export function serveReplication(app: FastifyInstance, replication: Replication): void {
  const { worlds, log } = app
  replication.attach({ worlds, warn: (data, message) => log.warn(data, message) })
  app.addHook('onReady', (done) => {
    // Fixtures may declare that a world is a secondary, so the links start with the server.
    for (const world of worlds.list()) replication.follow(world)
    done()
  })
  const shutdown = new AbortController()
  app.addHook('preClose', (done) => {
    // Streams have no end, so the server must end them before it can close.
    shutdown.abort()
    done()
  })

  app.post(`${replicationPrefix}/activate`, (request, reply) => {
    const world = upToDateWorld(request)
    if (isSealed(world)) throw refuse('sealed')
    const introduction = readIntroduction(request)
    replication.activate(world, credentialOf(request), introduction)
    return reply.code(204).send()
  })

  app.get(`${replicationPrefix}/stream`, async (request, reply) => {
    const world = upToDateWorld(request)
    const { feed = '', sequence = '', root = '' } = request.query as Record<string, string>
    const position = /^\d+$/.test(sequence) ? { feed, sequence: Number(sequence) } : undefined
    const disconnected = new AbortController()
    reply.raw.once('close', () => disconnected.abort())
    const signal = AbortSignal.any([disconnected.signal, shutdown.signal])
    const credential = credentialOf(request)
    const messages = replication.stream(world, { credential, position, root }, signal)
    // The first message is read before the headers are sent, because a refusal needs its own
    // status.
    const first = await messages.next()
    // `return` also ends a stream that waits because the secondary does not read.
    signal.addEventListener('abort', () => void messages.return(undefined))
    const lines = Readable.from(linesOf(first, messages))
    return reply
      .header('connection', 'close')
      .type('application/x-ndjson')
      .serializer((body) => body as string)
      .send(lines)
  })
}

async function* linesOf(
  first: IteratorResult<ReplicationMessage>,
  rest: AsyncIterable<ReplicationMessage>,
): AsyncGenerator<string> {
  if (first.done === true) return
  yield `${JSON.stringify(first.value)}\n`
  for await (const message of rest) yield `${JSON.stringify(message)}\n`
}

function credentialOf({ headers: { authorization = '' } }: FastifyRequest): string {
  return authorization.replace(/^Bearer /, '')
}

function readIntroduction(request: FastifyRequest): SecondaryIntroduction {
  let body: unknown
  try {
    body = JSON.parse(String(request.body))
  } catch {
    throw refuse('body-unreadable')
  }
  const [problem] = sharedValidator.check(introductionSchema, body, 'the body')
  if (problem !== undefined) throw refuse('introduction-invalid', { problem })
  return body as SecondaryIntroduction
}
