import { createServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { dr, twoClusters } from '../../../support/secrets/replication.ts'
import {
  activationTokenFor,
  membership,
  type Script,
  type ScriptedReply,
  scriptedPrimary,
} from '../../../support/secrets/scripted-primary.ts'
import { multierrorReply, statusAndBody } from '../replies.ts'

const unwrapping = '/v1/sys/wrapping/unwrap'
const activating = '/_replication/dr/activate'

/** Starts a cluster that accepts at most 200 ms of silence from a primary. */
async function clusterWithShortTimeout() {
  const { first } = await twoClusters({ secrets: { replicationTimeout: '200ms' } })
  await first.secrets.post('kv/own', { x: 1 })
  return first
}

/** Tries to join a primary, and expects that it fails in bounded time without any change. */
async function attemptJoin(script: Script) {
  const [cluster, { url, token, requestCounts: asked }] = [
    await clusterWithShortTimeout(),
    await scriptedPrimary(script),
  ]
  const startedAt = performance.now()
  const reply = await cluster.secrets.post(`${dr}/secondary/enable`, { token })
  expect(performance.now() - startedAt).toBeLessThan(3_000)
  expect(await cluster.status()).toEqual({ mode: 'disabled' })
  expect((await cluster.secrets.get('kv/own')).body.data).toEqual({ x: 1 })
  return { url, asked, reply: statusAndBody(reply) }
}

const unwrapError = (why: string) =>
  multierrorReply(502, `error unwrapping secondary token: ${why}`)
const unwrapStatusError = (status: number, text: string, as = status < 500 ? 400 : 502) =>
  multierrorReply(
    as,
    `error response unwrapping secondary token; status code is ${status}, message is "${status} ${text}"`,
  )

const neverRespond: ScriptedReply = () => {}
const sendSlowly = (head: boolean): ScriptedReply => {
  return (response) => {
    const socket = response.socket
    socket?.write(head ? 'HTTP/1.1 200 OK\r\n\r\n' : 'HTTP/1.1 200 OK\r\nX-')
    const timer = setInterval(() => socket?.write('x'), 20)
    socket?.once('close', () => clearInterval(timer))
  }
}
const sendEndlessly: ScriptedReply = (response) => {
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(65_536))) {}
  }
  response.on('drain', more)
  more()
}
const status =
  (code: number, body = ''): ScriptedReply =>
  (response) =>
    response.writeHead(code).end(body)
const body = (text: string) => status(200, text)
const abortMidway: ScriptedReply = (response) => {
  response.writeHead(200, { 'content-length': '100' }).write('{"data":')
  setImmediate(() => response.destroy())
}
const destroySocket: ScriptedReply = (response) => response.destroy()

describe('behaviour/secrets#replication: primaries that cannot be joined', () => {
  const failures: [string, ScriptedReply, (url: string) => object][] = [
    ['never answers', neverRespond, (url) => unwrapError(`POST "${url}": no answer within 200 ms`)],
    [
      'never ends its head',
      sendSlowly(false),
      (url) => unwrapError(`POST "${url}": no answer within 200 ms`),
    ],
    ['never ends its body', sendSlowly(true), () => unwrapError('no whole answer within 200 ms')],
    ['hangs up', destroySocket, (url) => unwrapError(`POST "${url}": socket hang up`)],
    ['breaks off', abortMidway, () => unwrapError('aborted')],
    ['answers without an end', sendEndlessly, () => unwrapError('the answer is too large')],
    ['answers 500', status(500, 'x'), () => unwrapStatusError(500, 'Internal Server Error')],
    ['answers 503', status(503), () => unwrapStatusError(503, 'Service Unavailable')],
    ['answers 404', status(404), () => unwrapStatusError(404, 'Not Found')],
    ['answers 403', status(403), () => unwrapStatusError(403, 'Forbidden')],
    ['answers 302', status(302), () => unwrapStatusError(302, 'Found')],
    ['answers 599', status(599), () => unwrapStatusError(599, 'unknown')],
  ]

  // choice/secrets#replication-refused-tickets choice/secrets#replication-timeout
  test.each(failures)('unwrap: %s', async (_, unwrap, expected) => {
    const { reply, url, asked } = await attemptJoin({ unwrap })
    expect(reply).toEqual(expected(url + unwrapping))
    expect(asked).toEqual({ unwrap: 1, activate: 0, stream: 0 })
  })

  // choice/secrets#replication-refused-tickets
  test.each(failures)('activate: %s', async (_, activate, expected) => {
    const { reply, url, asked } = await attemptJoin({ activate })
    expect(reply).toEqual(expected(url + activating))
    expect(asked).toEqual({ unwrap: 1, activate: 1, stream: 0 })
  })

  const unexpected = /^Unexpected (token|end of JSON input)/
  test.each([
    ['nothing', body(''), unexpected],
    ['no content', status(204), unexpected],
    ['garbage', body('garbage'), unexpected],
    ['HTML', body('<!doctype html><title>Welcome</title>'), unexpected],
    ['null', body('null'), /^the primary sent no data$/],
    ['a list', body('[]'), /^the primary sent no data$/],
    ['no data', body('{}'), /^the primary sent no data$/],
    ['null data', body('{"data":null}'), /^the primary sent no id$/],
    ['text as data', body('{"data":"x"}'), /^the primary sent no id$/],
    ['another body', body('{"data":{"id":"x","keys":[]}}'), /^the primary sent no credential$/],
    [
      'a number',
      body(JSON.stringify({ data: { ...membership('x'), cluster_id: 1 } })),
      /^the primary sent no cluster_id$/,
    ],
  ])('unwrap answers with %s', async (_, unwrap, why) => {
    const { reply, asked } = await attemptJoin({ unwrap })
    const before = '1 error occurred:\n\t* error unwrapping secondary token: '
    expect(reply).toEqual({ status: 502, body: { errors: [expect.any(String)] } })
    const { errors } = (reply as { body: { errors: string[] } }).body
    expect(errors[0]?.slice(0, before.length)).toBe(before)
    expect(errors[0]?.slice(before.length, -2)).toMatch(why)
    expect(asked.activate).toBe(0)
  })

  test('a server that does not speak HTTP is refused', async () => {
    const cluster = await clusterWithShortTimeout()
    const server = createServer((socket) => socket.end('220 mail.example ESMTP\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    const url = `http://127.0.0.1:${port}`
    const reply = await cluster.secrets.post(`${dr}/secondary/enable`, {
      token: activationTokenFor(url),
    })
    expect(statusAndBody(reply)).toEqual(
      unwrapError(`POST "${url}${unwrapping}": Parse Error: Expected HTTP/, RTSP/ or ICE/`),
    )
  })

  test('several clusters may wait for such a primary, and answer others meanwhile', async () => {
    const { token } = await scriptedPrimary({ unwrap: neverRespond })
    const cluster = await clusterWithShortTimeout()
    const waiting = [1, 2, 3].map(() => cluster.secrets.post(`${dr}/secondary/enable`, { token }))
    expect((await cluster.secrets.get('kv/own')).body.data).toEqual({ x: 1 })
    expect((await Promise.all(waiting)).map((reply) => reply.status)).toEqual([502, 502, 502])
  })
})
