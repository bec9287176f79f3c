import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy, type Understudy } from '../../../src/embedding/index.ts'
import { issueCertificate } from '../../../src/server/certificates.ts'
import { formatTimestamp, wallClock } from '../../../state/kernel/time.ts'

async function listening(options: object = {}): Promise<Understudy> {
  const understudy = await createUnderstudy(options)
  onTestFinished(() => understudy.close())
  await understudy.listen()
  return understudy
}

const portOf = ({ url = '' }: Understudy) => Number(new URL(url).port)

/** Waits until a connection has ended, with or without an error. */
async function closing(socket: Socket): Promise<void> {
  // Without a listener, the error would fail the test.
  socket.on('error', () => {})
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
}

/** Sends bytes to the combined listener, and waits until the server has closed the connection. */
async function sendBytes(understudy: Understudy, bytes: string): Promise<void> {
  const socket = connect({ port: portOf(understudy), host: '127.0.0.1' })
  socket.resume()
  socket.write(bytes)
  await closing(socket)
}

/** Begins a handshake of TLS that fails. */
async function failHandshake(understudy: Understudy): Promise<void> {
  const socket = connectTls({ port: portOf(understudy), host: '127.0.0.1' })
  await closing(socket)
}

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`

/** Sends one request of each kind that reaches no world, and a call that changes something. */
async function sendStrays(understudy: Understudy): Promise<void> {
  await sendBytes(understudy, lines('no request at all'))
  await failHandshake(understudy)
  const foreign = ['Host: evil.example', 'Connection: close']
  await sendBytes(understudy, lines('GET /_mock/info HTTP/1.1', ...foreign))
  const unknown = ['Host: 127.0.0.1', 'X-Mock-World: nowhere', 'Connection: close']
  await sendBytes(understudy, lines('GET /v1/sys/health HTTP/1.1', ...unknown))
  await sendBytes(understudy, lines('FROB /_world/none/v1/sys/health HTTP/1.1', 'Host: a'))
  await fetch(`${understudy.url}/_mock/reset`, { method: 'POST' })
}

describe('behaviour/program#traces: requests that reached no world', () => {
  test('each kind is shown once, as it came through a socket', async () => {
    const understudy = await listening()
    understudy.traces.collectStrays()
    await sendStrays(understudy)
    const { unattributed, controlCalls } = await understudy.traces.data()
    expect(unattributed.map(({ kind, method, path }) => [kind, method, path])).toEqual([
      ['parse-error', undefined, undefined],
      ['tls-error', undefined, undefined],
      ['refused-caller', 'GET', '/_mock/info'],
      ['unknown-world', 'GET', '/v1/sys/health'],
      ['unknown-world', 'FROB', '/_world/none/v1/sys/health'],
    ])
    expect(unattributed.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^Parse Error: .+\.$/),
      'The client speaks TLS, and the port does not.',
      expect.stringContaining('evil.example'),
      'There is no world "nowhere".',
      'There is no world "none".',
    ])
    expect(controlCalls.map(({ path, status }) => [path, status])).toEqual([['/_mock/reset', 204]])
  })

  test('a failed handshake on a port with TLS', async () => {
    const { cert, key } = await issueCertificate(['127.0.0.1'])
    const understudy = await listening({ tls: { cert, key } })
    understudy.traces.collector.start()
    await failHandshake(understudy)
    await sendBytes(understudy, lines('GET /v1/sys/health HTTP/1.1', 'Host: a'))
    const details = async () => {
      const { unattributed } = await understudy.traces.data()
      return unattributed.map(({ kind, detail }) => `${kind}: ${detail}`)
    }
    await expect
      .poll(details)
      .toEqual([
        'tls-error: The TLS handshake failed: socket hang up.',
        'tls-error: The TLS handshake failed: http request.',
      ])
  })

  test('without a collecting trace, such requests are not stored', async () => {
    const understudy = await listening()
    await sendStrays(understudy)
    understudy.traces.collector.start()
    const { unattributed, controlCalls } = await understudy.traces.data()
    expect([unattributed, controlCalls]).toEqual([[], []])
  })

  test('requests before the start of a test are not part of its trace', async () => {
    const understudy = await listening()
    understudy.traces.collector.start()
    await sendStrays(understudy)
    const at = (offset: number) => ({ startedAt: formatTimestamp(wallClock() + offset) })
    const before = await understudy.traces.data(at(-60_000))
    expect([before.unattributed.length, before.controlCalls.length]).toEqual([5, 1])
    expect(before.unattributed.every(({ ms }) => ms > 0)).toBe(true)
    const after = await understudy.traces.data(at(60_000))
    expect([after.unattributed, after.controlCalls]).toEqual([[], []])
  })
})
