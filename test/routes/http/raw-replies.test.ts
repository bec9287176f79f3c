import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/index.ts'

async function started() {
  const running = await createUnderstudy({ seed: 'test' })
  onTestFinished(() => running.close())
  const { port } = new URL(await running.listen())
  /** Sends bytes, and returns all that comes until the server ends the connection. */
  const send = async (text: string) => {
    const socket = connect(Number(port), '127.0.0.1')
    let heard = ''
    socket.on('data', (chunk) => {
      heard += String(chunk)
    })
    // What comes behind the answer may meet a connection that is gone.
    socket.on('error', () => {})
    socket.write(text)
    await once(socket, 'close')
    return heard
  }
  const entries = () => running.world().requests.find()
  return { running, send, entries }
}

const lines = (...all: readonly string[]) => `${all.join('\r\n')}\r\n\r\n`
const statusOf = (reply: string) => /^HTTP\/1\.1 (\d+ [^\r]+)\r\n/.exec(reply)?.[1]
const nameOf = (reply: string) => /x-mock-request: (r\d+)\r\n/.exec(reply)?.[1]

describe('behaviour/program#names-of-requests: what Node makes no request of has a name, too', () => {
  test('verbs that nobody knows are answered as the API does, and noted with their headers', async () => {
    const { send, entries } = await started()
    const head = ['FOO /v1/kv/a?list=1 HTTP/1.1', 'Host: mock.test', 'X-Vault-Token: geheim']
    const reply = await send(lines(...head, 'no colon here'))
    expect([statusOf(reply), nameOf(reply), reply.split('\r\n\r\n')[1]]).toEqual([
      '405 Method Not Allowed',
      'r1',
      '{"errors":[]}',
    ])
    expect(entries()).toMatchObject([
      {
        id: 'r1',
        service: 'secrets',
        operation: null,
        method: 'FOO',
        path: '/v1/kv/a',
        query: { list: '1' },
        headers: { host: 'mock.test', 'x-vault-token': expect.stringMatching(/^fp:/) },
        status: 405,
        responseBody: { errors: [] },
        outcome: 'unmatched',
      },
    ])
  })

  test('CONNECT is such a verb', async () => {
    const { send, entries } = await started()
    expect(statusOf(await send(lines('CONNECT /v1/kv/a HTTP/1.1', 'Host: a')))).toMatch(/^405/)
    expect(entries()).toMatchObject([{ method: 'CONNECT', status: 405 }])
  })

  test('worlds are named by prefix, by header or by full addresses; unknown ones note nothing', async () => {
    const { running, send, entries } = await started()
    const world = running.createWorld({ id: 'w' })
    const replies = [
      await send(lines('FOO /_world/w/v1/kv/a HTTP/1.1', 'Host: a')),
      await send(lines('FOO http://a/_world/w/v1/kv/a HTTP/1.1', 'Host: a')),
      await send(lines('FOO /v1/kv/a HTTP/1.1', 'Host: a', 'X-Mock-World: w')),
      await send(lines('FOO /v1/kv/a HTTP/1.1', 'Host: a', 'X-Mock-World: none')),
    ]
    expect(replies.map(nameOf)).toEqual(['r1', 'r2', 'r3', undefined])
    expect(replies.map(statusOf)).toEqual(Array(4).fill('405 Method Not Allowed'))
    expect([world.requests.find().length, entries().length]).toEqual([3, 0])
  })

  test('a head that is too long is 431, one that breaks off 400', async () => {
    const { send, entries } = await started()
    const long = await send(lines('GET /v1/kv/a HTTP/1.1', 'Host: a', `X: ${'x'.repeat(2 ** 20)}`))
    const broken = await send(lines('GET /v1/kv/a HTTP/1.1', 'Host: a', 'Content-Length: -1'))
    expect([statusOf(long)?.slice(0, 3), statusOf(broken)?.slice(0, 3)]).toEqual(['431', '400'])
    expect(entries().map(({ status }) => status)).toContain(400)
  })

  test('what is no HTTP is answered as Node does, without a name', async () => {
    const { send, entries } = await started()
    const reply = await send('\u0016\u0003\u0001 hello\r\n\r\n')
    expect([statusOf(reply), nameOf(reply)]).toEqual(['400 Bad Request', undefined])
    expect(entries()).toEqual([])
  })
})
