import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PlatformOptions } from '../../state/platform/options.ts'
import { platform } from '../support/platform.ts'
import { createVersion, localPart, notAllowed, notFound } from '../support/platform-tests.ts'

const mebibyte = 1024 * 1024
const tooLarge = { errors: [{ status: '413', title: 'payload too large' }] }

/** A server on a socket, and a client whose connection stays open. */
async function served(options: Partial<PlatformOptions> = {}) {
  const mock = await platform({ options: { autoCreateTestRunOnUpload: false, ...options } })
  const origin = await mock.app.listen({ port: 0, host: '127.0.0.1' })
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  const version = await createVersion(mock.platform)
  const url = origin + localPart(version.attributes['upload-url'])
  return {
    ...mock,
    origin,
    url,
    id: String(version.id),
    put: (headers: Readonly<Record<string, string | number>> = {}, own = agent) =>
      request(url, { method: 'PUT', agent: own, headers }),
    statusOf: async () => {
      const { body } = await mock.platform.get(`configuration-versions/${version.id}`)
      return body.data.attributes.status
    },
  }
}

async function answerTo(sent: ClientRequest) {
  const [response]: IncomingMessage[] = await once(sent, 'response')
  if (response === undefined) throw new Error('no response')
  let text = ''
  for await (const bytes of response) text += String(bytes)
  return { status: response.statusCode, text }
}

/** Sends a buffer so many times, as fast as it is taken. */
async function write(sent: ClientRequest, bytes: Buffer, times: number): Promise<void> {
  for (let count = 0; count < times; count += 1) {
    if (!sent.write(bytes)) await once(sent, 'drain')
  }
}

/** Mebibytes that what ran before in the process may still let go meanwhile. */
const letGo = 16

/** Bytes in use once everything that nobody holds is gone. */
function memory(): number {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

describe('2-platform-decisions.md section 3: uploads stream in', () => {
  test('64 MiB are never held twice, neither midway nor at the end', async () => {
    const { put, statusOf, id, platform: api, origin } = await served()
    const bytes = Buffer.from(Array.from({ length: mebibyte }, (_, index) => index % 251))
    const before = memory()
    const held = () => (memory() - before) / mebibyte
    const sent = put()
    await write(sent, bytes, 32)
    // As base64 they take four thirds, some of which may still be on its way.
    expect(held()).toBeGreaterThan(32 - letGo)
    expect(held()).toBeLessThan((32 * 4) / 3 + 14)
    await write(sent, bytes, 32)
    sent.end()
    expect(await answerTo(sent)).toEqual({ status: 200, text: '' })
    expect(held()).toBeLessThan((64 * 4) / 3 + 14)
    expect(held()).toBeGreaterThan(64 - letGo)
    expect(await statusOf()).toBe('uploaded')
    const { headers } = await api.get(`configuration-versions/${id}/download`)
    const response = await fetch(origin + localPart(String(headers['location'])))
    expect(response.headers.get('content-length')).toBe(String(64 * mebibyte))
    const received = createHash('sha256').update(Buffer.from(await response.arrayBuffer()))
    const expected = createHash('sha256')
    for (let count = 0; count < 64; count += 1) expected.update(bytes)
    expect(received.digest('hex')).toBe(expected.digest('hex'))
  })

  test('a body that says it is too large is 413 before it comes', async () => {
    const { put, statusOf } = await served({ maxUploadBytes: mebibyte })
    const sent = put({ 'content-length': 64 * mebibyte })
    sent.flushHeaders()
    const reply = await answerTo(sent)
    expect([reply.status, JSON.parse(reply.text)]).toEqual([413, tooLarge])
    sent.destroy()
    expect(await statusOf()).toBe('pending')
  })

  test('a body that turns out too large is 413; the rest is taken and the connection stays', async () => {
    const { origin, url, statusOf } = await served({ maxUploadBytes: mebibyte })
    const { hostname, port } = new URL(origin)
    const socket = connect(Number(port), hostname)
    onTestFinished(() => void socket.destroy())
    let answers = ''
    socket.on('data', (bytes) => {
      answers += String(bytes)
    })
    /** Sends a body in one chunk and waits for the end of an answer. */
    const put = async (body: Buffer, answer: RegExp) => {
      const head = `PUT ${new URL(url).pathname} HTTP/1.1\r\nHost: mock\r\n`
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`)
      socket.write(body)
      socket.write('\r\n0\r\n\r\n')
      while (!answer.test(answers)) await once(socket, 'data')
    }
    await put(Buffer.alloc(8 * mebibyte), /^HTTP\/1\.1 413 .*\}$/s)
    expect(JSON.parse(answers.slice(answers.indexOf('\r\n\r\n')))).toEqual(tooLarge)
    expect(await statusOf()).toBe('pending')
    await put(Buffer.alloc(mebibyte), /\}HTTP\/1\.1 200 .*\r\n\r\n$/s)
    expect(await statusOf()).toBe('uploaded')
  })

  test('a client that goes away midway leaves the version pending', async () => {
    const { app, put, statusOf } = await served()
    const gone = new Promise((resolve) => {
      app.server.once('request', (incoming) => incoming.once('close', resolve))
    })
    const sent = put({ 'content-length': 4 * mebibyte })
    sent.on('error', () => {})
    await write(sent, Buffer.alloc(mebibyte), 2)
    sent.destroy()
    await gone
    expect(await statusOf()).toBe('pending')
    const again = put()
    again.end('files')
    expect((await answerTo(again)).status).toBe(200)
    expect(await statusOf()).toBe('uploaded')
  })

  test('of two uploads at once the first to end wins, the other is 409', async () => {
    const { put, statusOf } = await served()
    const other = new Agent()
    onTestFinished(() => other.destroy())
    const slow = put()
    await write(slow, Buffer.alloc(mebibyte), 1)
    const fast = put({}, other)
    fast.end('files')
    expect((await answerTo(fast)).status).toBe(200)
    slow.end()
    const reply = await answerTo(slow)
    expect([reply.status, JSON.parse(reply.text)]).toEqual([409, notAllowed])
    expect(await statusOf()).toBe('uploaded')
  })

  test('an upload outlives nothing: after a reset midway it is 404', async () => {
    const { put, world } = await served()
    const sent = put()
    await write(sent, Buffer.alloc(mebibyte), 1)
    world.reset()
    sent.end()
    const reply = await answerTo(sent)
    expect([reply.status, JSON.parse(reply.text)]).toEqual([404, notFound])
  })

  test('Expect: 100-continue is answered, HEAD is 404 without a body', async () => {
    const { put, url } = await served()
    const sent = put({ expect: '100-continue', 'content-length': 5 })
    sent.flushHeaders()
    await once(sent, 'continue')
    sent.end('files')
    expect(await answerTo(sent)).toEqual({ status: 200, text: '' })
    const head = await fetch(url, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([404, ''])
  })
})
