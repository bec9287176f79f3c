import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

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
    // Data after the response may meet a closed connection.
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

describe('behaviour/program#names-of-requests: input that Node rejects is named as well', () => {
  test('unknown verbs are answered as the API does, and recorded with their headers', async () => {
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

  test('paths that several APIs share are answered in the format of their owner', async () => {
    const { send, entries } = await started()
    const platformBody = '{"errors":[{"status":"404","title":"not found"}]}'
    for (const [path, service, status, body] of [
      ['/v1/namespace/a', 'mesh', 405, 'method FOO not allowed'],
      ['/_world/default/v1/jobs', 'scheduler', 405, 'Invalid method'],
      ['http://a/v1/job/x?y', 'scheduler', 405, 'Invalid method'],
      ['/v1/object/geheim', 'platform', 404, platformBody],
      ['/api/v2/organizations', 'platform', 404, platformBody],
      ['/v1/jobsx', 'secrets', 405, '{"errors":[]}'],
    ] as const) {
      const reply = await send(lines(`FOO ${path} HTTP/1.1`, 'Host: a'))
      const said = [statusOf(reply)?.slice(0, 3), reply.split('\r\n\r\n')[1]]
      expect([path, ...said]).toEqual([path, String(status), body])
      expect([path, entries().at(-1)?.service]).toEqual([path, service])
    }
    const control = await send(lines('FOO /_mock/worlds HTTP/1.1', 'Host: a'))
    expect([statusOf(control), nameOf(control)]).toEqual(['405 Method Not Allowed', undefined])
  })

  test('verbs without a route and undecodable paths are answered in that format as well', async () => {
    const { running } = await started()
    const ask = async (method: string, url: string) => {
      const reply = await running.inject({ method: method as 'GET', url })
      return [reply.statusCode, reply.body.slice(0, 90)]
    }
    expect(await ask('PROPFIND', '/v1/namespace/a')).toEqual([405, 'method PROPFIND not allowed'])
    expect(await ask('PROPFIND', '/v1/jobs')).toEqual([405, 'Invalid method'])
    expect(await ask('PROPFIND', '/v1/object/a')).toEqual([
      404,
      '{"errors":[{"status":"404","title":"not found"}]}',
    ])
    expect(await ask('GET', '/v1/namespace/%zz')).toEqual([400, expect.not.stringMatching(/^{/)])
    expect(await ask('GET', '/v1/job/%zz')).toEqual([400, expect.not.stringMatching(/^{/)])
    expect(await ask('GET', '/v1/object/%zz')).toEqual([
      404,
      '{"errors":[{"status":"404","title":"not found"}]}',
    ])
  })

  test('CONNECT is an unknown verb', async () => {
    const { send, entries } = await started()
    expect(statusOf(await send(lines('CONNECT /v1/kv/a HTTP/1.1', 'Host: a')))).toMatch(/^405/)
    expect(entries()).toMatchObject([{ method: 'CONNECT', status: 405 }])
  })

  test('worlds are named by prefix, header or absolute URL; unknown ones record nothing', async () => {
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

  test('a head that is too long gets 431, an incomplete one 400', async () => {
    const { send, entries } = await started()
    const long = await send(lines('GET /v1/kv/a HTTP/1.1', 'Host: a', `X: ${'x'.repeat(2 ** 20)}`))
    const broken = await send(lines('GET /v1/kv/a HTTP/1.1', 'Host: a', 'Content-Length: -1'))
    expect([statusOf(long)?.slice(0, 3), statusOf(broken)?.slice(0, 3)]).toEqual(['431', '400'])
    expect(entries().map(({ status }) => status)).toContain(400)
  })

  test('other protocols than HTTP are answered as Node does, without a name', async () => {
    const { send, entries } = await started()
    const reply = await send('\u0016\u0003\u0001 hello\r\n\r\n')
    expect([statusOf(reply), nameOf(reply)]).toEqual(['400 Bad Request', undefined])
    expect(entries()).toEqual([])
  })
})
