import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createGunzip, gunzipSync, inflateRawSync } from 'node:zlib'
import Fastify from 'fastify'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeBody } from '../../../routes/http/compression.ts'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { frozenScheduler } from './support.ts'

const section = 'behaviour/scheduler#compression'

describe(`compressed replies (${section})`, () => {
  test.for([
    ['jobs', 'Accept-Encoding'],
    ['nosuch', 'Accept-Encoding'],
    ['vars', ['Accept-Encoding', 'Origin']],
    ['var/a', ['Accept-Encoding', 'Origin']],
    ['client/stats', ['Accept-Encoding', 'Origin']],
    ['client/metadata', ['Accept-Encoding', 'Origin']],
    ['client/fs/ls/x', ['Accept-Encoding', 'Origin']],
  ] as const)('%s varies by %s', async ([path, vary]) => {
    const { scheduler: client } = await frozenScheduler()
    expect((await client.get(path)).headers['vary']).toEqual(vary)
  })

  test('an unknown path is 404 without a body and content type', async () => {
    const { scheduler: client } = await frozenScheduler()
    const { status, text, headers } = await client.get('nosuch')
    expect([status, text, headers['content-type']]).toEqual([404, '', undefined])
  })

  test.for([
    ['gzip', 'gzip'],
    ['br, deflate, gzip', 'deflate'],
    ['gzip;q=1', undefined],
    ['*', undefined],
  ] as const)('Accept-Encoding %s: %s', async ([accepted, encoding]) => {
    const { understudy, url } = await listening()
    for (const path of ['/v1/status/leader', '/v1/job/none', '/v1/nosuch', '/nosuch']) {
      const plain = await replyOf(url + path)
      const reply = await replyOf(url + path, { 'accept-encoding': accepted })
      expect([path, reply.headers['content-encoding']]).toEqual([path, encoding])
      expect(reply.headers.vary).toBe('Accept-Encoding')
      const decode = encoding === 'gzip' ? gunzipSync : inflateRawSync
      const body = encoding === undefined ? reply.body : decode(reply.body)
      expect(body.toString()).toBe(plain.body.toString())
    }
    // The journal records the body as it was before it was encoded.
    const [first, second] = understudy.world().requests.find()
    expect(second?.responseBody).toEqual(first?.responseBody)
  })

  test.for(['gzip', 'deflate'] as const)(
    'a long body is encoded by %s in another thread',
    async (encoding) => {
      const app = Fastify()
      onTestFinished(() => app.close())
      const body = JSON.stringify(Array.from({ length: 20_000 }, (_, at) => at))
      let encoded: unknown
      app.addHook('onSend', async (request, reply, payload) => {
        encoded = encodeBody(request, reply, payload)
        return encoded
      })
      app.get('/', () => body)
      const reply = await app.inject({ url: '/', headers: { 'accept-encoding': encoding } })
      expect(encoded).toBeInstanceOf(Promise)
      const decode = encoding === 'gzip' ? gunzipSync : inflateRawSync
      expect(decode(reply.rawPayload).toString()).toBe(body)
    },
  )

  test('a stream reaches the client piece by piece', async () => {
    const { url } = await listening()
    const stream = await open(`${url}/v1/event/stream`, { 'accept-encoding': 'gzip' })
    expect(stream.headers['content-encoding']).toBe('gzip')
    const events = stream.pipe(createGunzip())
    const [piece] = await once(events, 'data')
    expect(String(piece)).toBe('{}\n')
    stream.destroy()
  })
})

async function listening() {
  const understudy = await createUnderstudy({ dialect: 'vendor', apiPorts: { scheduler: 0 } })
  onTestFinished(() => understudy.close())
  await understudy.listen()
  return { understudy, url: understudy.apiUrl('scheduler') ?? '' }
}

/** Sends a request and returns its reply once the headers are there. */
async function open(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const [reply] = await once(get(url, { headers, agent: false }), 'response')
  return reply
}

async function replyOf(url: string, headers?: Record<string, string>) {
  const reply = await open(url, headers)
  return { headers: reply.headers, body: Buffer.concat(await reply.toArray()) }
}
