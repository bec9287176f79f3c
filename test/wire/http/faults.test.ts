import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createUnderstudy,
  type EmbeddedWorld,
  type Understudy,
  type UnderstudyOptions,
} from '../../../src/embedding/index.ts'
import { issueCertificate } from '../../../src/server/certificates.ts'

/** Outcome of a request: a complete or truncated answer, or the code of an error. */
interface Seen {
  readonly status?: number
  readonly body: string
  readonly length?: string | undefined
  readonly error?: string | undefined
  readonly ms: number
}

interface Asked {
  readonly method?: string
  readonly body?: object
  readonly agent?: Agent
  readonly ca?: string
  readonly headers?: Readonly<Record<string, string>>
}

const root = { 'x-secrets-token': 'root' }

/** Sends a request over a socket and returns everything received, also of a truncated answer. */
function ask(
  url: string,
  { method = 'GET', body, agent, ca, headers = root }: Asked = {},
): Promise<Seen> {
  const begun = performance.now()
  const send = url.startsWith('https') ? httpsRequest : httpRequest
  return new Promise((resolve) => {
    const since = () => performance.now() - begun
    const request = send(
      url,
      { method, headers, ...(agent && { agent }), ...(ca && { ca }) },
      (reply) => {
        let text = ''
        const seen = () => ({
          status: reply.statusCode ?? 0,
          body: text,
          length: reply.headers['content-length'],
        })
        reply.setEncoding('latin1')
        reply.on('data', (chunk: string) => {
          text += chunk
        })
        reply.on('end', () => resolve({ ...seen(), ms: since() }))
        reply.on('error', (error: NodeJS.ErrnoException) =>
          resolve({ ...seen(), error: error.code, ms: since() }),
        )
      },
    )
    request.on('error', (error: NodeJS.ErrnoException) =>
      resolve({ body: '', error: error.code, ms: since() }),
    )
    request.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

async function served(options: UnderstudyOptions = {}): Promise<Understudy & { url: string }> {
  const understudy = await createUnderstudy({
    clock: 'frozen@2026-01-01T00:00:00Z',
    seed: 'test',
    ...options,
  })
  onTestFinished(() => understudy.close())
  await understudy.listen()
  return understudy as Understudy & { url: string }
}

const health = '/v1/sys/health'
const app = '/v1/secret/data/app'
const data = { method: 'POST', body: { data: { v: '1' } } }

describe('behaviour/program#faults: actions over a socket', () => {
  test('a reset after the commit causes ECONNRESET, and the write is done', async () => {
    const understudy = await served()
    const world = understudy.world()
    await ask(understudy.url + app, data)
    world.faults.add({
      match: { operation: 'kv2WriteData' },
      times: 1,
      phase: 'afterCommit',
      action: { reset: true },
    })
    expect((await ask(understudy.url + app, data)).error).toBe('ECONNRESET')
    const { body } = await ask(understudy.url + app)
    expect(JSON.parse(body).data.metadata.version).toBe(2)
    expect(world.requests.get('r2')).toMatchObject({
      committed: true,
      outcome: 'faulted',
      fault: 'f1',
      status: null,
      rule: null,
    })
    expect(world.faults.get('f1')).toMatchObject({ matched: 1, hits: 1, spent: true })
  })

  test('after a reset before the commit, nothing is done', async () => {
    const understudy = await served()
    const world = understudy.world()
    world.faults.add({ match: { method: 'POST' }, action: { reset: true } })
    expect((await ask(understudy.url + app, data)).error).toBe('ECONNRESET')
    expect((await ask(understudy.url + app)).status).toBe(404)
    expect(world.requests.get('r1')).toMatchObject({ committed: false, status: null })
  })

  test('a reset of a pipelined request causes ECONNRESET after the earlier answers', async () => {
    const understudy = await served()
    const world = understudy.world()
    for (const phase of ['before', 'afterCommit'] as const) {
      world.faults.add({ match: { path: '/v1/jobs' }, phase, action: { reset: true } })
      let text = ''
      const socket = connect({
        port: Number(new URL(understudy.url).port),
        host: '127.0.0.1',
        // Read byte by byte. Otherwise, Node drops data that arrives together with a reset.
        onread: {
          buffer: Buffer.alloc(1),
          callback: (_, [byte = 0]) => {
            text += String.fromCharCode(byte)
            return true
          },
        },
      })
      onTestFinished(() => void socket.destroy())
      const ended = once(socket, 'close').catch((error: NodeJS.ErrnoException) => error.code)
      const head = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
      socket.write(head(health) + head('/v1/jobs') + head(health))
      expect(await ended).toBe('ECONNRESET')
      expect(text.match(/^HTTP\/1.1 200 OK/gm)?.length).toBe(1)
      world.faults.clear()
    }
  })

  test('faults work over TLS, on a keep-alive connection, and for LIST on a connection with a new parser', async () => {
    const { ca, ...tls } = await issueCertificate(['127.0.0.1'])
    const understudy = await served({ tls: { ...tls, ca, caFile: '' } })
    const world = understudy.world()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const plain = await served()
    onTestFinished(() => agent.destroy())
    world.faults.add({ match: { path: app }, action: { reset: true } })
    plain.world().faults.add({ match: { path: '/v1/secret/metadata' }, action: { reset: true } })
    expect((await ask(understudy.url + app, { ca })).error).toBe('ECONNRESET')
    expect((await ask(understudy.url + health, { ca })).status).toBe(200)
    expect((await ask(plain.url + health, { agent })).status).toBe(200)
    const list = { method: 'LIST', agent }
    expect((await ask(`${plain.url}/v1/secret/metadata`, list)).error).toBe('ECONNRESET')
  })

  test('a status has the format of its API, or the texts, body or headers of the fault', async () => {
    const understudy = await served()
    const { faults } = understudy.world()
    const urls = [health, '/api/v2/ping', '/v1/namespaces', '/v1/jobs', '/v1/nowhere']
    const asked = async () => Promise.all(urls.map((url) => ask(understudy.url + url)))
    faults.add({ id: 'a', action: { status: 503, errors: ['one', 'two'] } })
    expect((await asked()).map(({ status, body }) => [status, body])).toEqual([
      [503, '{"errors":["one","two"]}'],
      [
        503,
        '{"errors":[{"status":"503","title":"service unavailable","detail":"one"},{"status":"503","title":"service unavailable","detail":"two"}]}',
      ],
      [503, 'one\ntwo'],
      [503, 'one\ntwo'],
      [503, '{"errors":["one","two"]}'],
    ])
    faults.clear()
    faults.add({ action: { status: 200, body: { x: 1 }, headers: { 'x-more': 'y' } } })
    expect((await asked()).map(({ status, body }) => [status, body])).toEqual(
      urls.map(() => [200, '{"x":1}']),
    )
  })

  test('truncate sends the head of the complete answer, the given number of bytes, and ends', async () => {
    const understudy = await served()
    const complete = (await ask(understudy.url + health)).body
    for (const count of [0, 5]) {
      understudy.world().faults.clear()
      understudy.world().faults.add({ action: { truncate: count } })
      const { status, body, length, error } = await ask(understudy.url + health)
      expect([status, body.length, error]).toEqual([200, count, 'ECONNRESET'])
      expect([Number(length), complete.startsWith(body)]).toEqual([complete.length, true])
    }
  })

  test('garbage sends 200 with the right headers and invalid JSON, and the write is done', async () => {
    const understudy = await served()
    understudy.world().faults.add({ match: { method: 'POST' }, action: { garbage: true } })
    const { status, body } = await ask(understudy.url + app, data)
    expect(status).toBe(200)
    expect(() => JSON.parse(body)).toThrow(SyntaxError)
    expect((await ask(understudy.url + app)).status).toBe(200)
  })

  test('a slow body arrives completely and evenly, at the given rate', async () => {
    const understudy = await served()
    const complete = (await ask(understudy.url + health)).body
    understudy.world().faults.add({ action: { slowBody: { bytesPerSecond: complete.length * 5 } } })
    const slow = await ask(understudy.url + health)
    expect(slow.body.length).toBe(complete.length)
    expect(slow.ms).toBeGreaterThan(150)
  })

  test('latencies add up, and of the other actions the first in order applies', async () => {
    const understudy = await served()
    const { faults } = understudy.world()
    faults.add({ id: 'slow', action: { latency: '40ms' } })
    faults.add({ id: 'one', action: { latency: { uniform: ['30ms', '30ms'] }, status: 500 } })
    faults.add({ id: 'two', action: { status: 501 } })
    const { status, ms } = await ask(understudy.url + health)
    expect(status).toBe(500)
    expect(ms).toBeGreaterThan(65)
    expect(faults.list().map(({ id, matched, hits }) => [id, matched, hits])).toEqual([
      ['slow', 1, 1],
      ['one', 1, 1],
      ['two', 1, 0],
    ])
    expect(understudy.world().requests.get('r1')).toMatchObject({
      fault: 'one',
      outcome: 'faulted',
    })
  })

  test('a fault with only latency does not change the outcome of a request', async () => {
    const understudy = await served()
    understudy.world().faults.add({ action: { latency: '1ms' } })
    await ask(understudy.url + app)
    expect(understudy.world().requests.get('r1')).toMatchObject({ fault: 'f1', outcome: 'refused' })
  })

  test('hang lasts until its time is over, the fault is deleted or the client leaves', async () => {
    const understudy = await served()
    const { faults, requests } = understudy.world()
    faults.add({ action: { hang: '20ms' } })
    expect((await ask(understudy.url + health)).error).toBe('ECONNRESET')
    faults.clear()
    const { id } = faults.add({ action: { hang: true } })
    const hanging = ask(understudy.url + health)
    await expect.poll(() => faults.get(id).hits).toBe(1)
    faults.delete(id)
    expect((await hanging).error).toBe('ECONNRESET')
    faults.add({ action: { hang: true } })
    const leaving = httpRequest(understudy.url + health).on('error', () => {})
    leaving.end()
    await expect.poll(() => faults.list()[0]?.hits).toBe(1)
    leaving.destroy()
    await requests.wait({ count: 3 })
    expect(requests.find().map(({ outcome, status }) => [outcome, status])).toEqual([
      ['faulted', null],
      ['faulted', null],
      ['faulted', null],
    ])
  })

  test('hang ends if a reset, a restore or the deletion of the world removes the fault', async () => {
    const understudy = await served()
    const empty = understudy.world().snapshot()
    const ways: readonly (readonly [(world: EmbeddedWorld) => void, world: string])[] = [
      [(world) => world.restore(empty.id), 'default'],
      [(world) => world.reset(['state', 'faults']), 'default'],
      [(world) => world.reset(), 'default'],
      [(world) => world.delete(), 'other'],
    ]
    understudy.createWorld({ id: 'other' })
    for (const [end, id] of ways) {
      const world = understudy.world(id)
      world.faults.add({ action: { hang: true } })
      const hanging = ask(understudy.url + world.basePath + health)
      await expect.poll(() => world.faults.list()[0]?.hits).toBe(1)
      // Neither of these two operations removes the fault.
      world.importState(world.state())
      world.reset(['state'])
      await new Promise(setImmediate)
      expect(world.requests.find()).toEqual([])
      end(world)
      expect((await hanging).error).toBe('ECONNRESET')
      understudy.world().requests.clear()
    }
  })

  test('without a socket, faults with an answer return it, and others reject', async () => {
    const understudy = await served()
    const { faults } = understudy.world()
    faults.add({ match: { path: health }, action: { status: 503 } })
    expect((await understudy.inject(health)).statusCode).toBe(503)
    faults.add({ match: { path: '/v1/jobs' }, action: { reset: true } })
    await expect(understudy.inject('/v1/jobs')).rejects.toThrow()
  })

  test('the listener of one API also applies the faults of the world', async () => {
    const understudy = await served({ apiPorts: { scheduler: 0 } })
    understudy.world().faults.add({ match: { service: 'scheduler' }, action: { status: 503 } })
    const url = understudy.apiUrl('scheduler')
    expect((await ask(`${url}/v1/jobs`)).status).toBe(503)
    expect((await ask(`${understudy.url}${health}`)).status).toBe(200)
  })
})
