import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { checkDocument } from '../../../../routes/control/state/documents.ts'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import { waitingCalls } from '../../../../state/mesh/agent/check-calls.ts'
import { mesh } from '../../../support/mesh/mesh.ts'
import { closedPort } from '../../../support/platform/mail-server.ts'

/** Requests that the server got, as method, path, body and two headers. */
const received: string[] = []
const server = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  const { method, url = '', headers } = request
  received.push(`${method} ${url} ${text} ${headers['user-agent']} ${headers['x-a']}`)
  const [, status = '', location] = url.split('/')
  response.writeHead(Number(status) || 200, location === undefined ? {} : { location: '/200' })
  response.end('fine')
})
let port = 0
let closed = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  closed = await closedPort()
})
afterAll(() => void server.close())

/** Milliseconds that a call may take on a busy machine. */
const patience = 10_000

type Check = Readonly<Record<string, unknown>>

/** Starts a world with checks of the node, and returns functions that read the checks. */
async function world(checks: readonly Check[], callChecks: boolean | 'any' = true) {
  const served = await mesh({ options: { callChecks }, dialect: 'vendor' })
  for (const check of checks) {
    const reply = await served.mesh.put('agent/check/register', { Interval: '10s', ...check })
    expect(reply.status).toBe(200)
  }
  const states = async () => {
    const all: Readonly<Record<string, { Status: string; Output: string }>> = (
      await served.mesh.get('agent/checks')
    ).body
    return Object.values(all).map(({ Status, Output }) => [Status, Output])
  }
  return {
    ...served,
    states,
    settled: (expected: unknown) =>
      vi.waitFor(async () => expect(await states()).toEqual(expected), patience),
  }
}

describe('behaviour/mesh#agent-checks: callChecks', () => {
  test('HTTP checks are called at once, and their status decides', async () => {
    const at = (path: string) => `http://127.0.0.1:${port}${path}`
    const { settled } = await world([
      { Name: 'a', HTTP: at('/200'), Method: 'POST', Body: 'b', Header: { 'X-A': ['1', '2'] } },
      { Name: 'b', HTTP: at('/429') },
      { Name: 'c', HTTP: at('/503') },
      { Name: 'd', HTTP: at('/302/x'), OutputMaxSize: 2 },
      { Name: 'e', HTTP: at('/302/x'), DisableRedirects: true },
      { Name: 'f', HTTP: `http://127.0.0.1:${closed}/` },
    ])
    await settled([
      ['passing', `HTTP POST ${at('/200')}: 200 OK Output: fine`],
      ['warning', `HTTP GET ${at('/429')}: 429 Too Many Requests Output: fine`],
      ['critical', `HTTP GET ${at('/503')}: 503 Service Unavailable Output: fine`],
      ['passing', `HTTP GET ${at('/302/x')}: 200 OK Output: ne`],
      ['critical', `HTTP GET ${at('/302/x')}: 302 Found Output: fine`],
      [
        'critical',
        `Get "http://127.0.0.1:${closed}/": dial tcp 127.0.0.1:${closed}: connect: connection refused`,
      ],
    ])
    expect(received).toContain('POST /200 b Consul Health Check 1, 2')
  })

  test('TCP checks connect', async () => {
    const { settled } = await world([
      { Name: 'a', TCP: `127.0.0.1:${port}` },
      { Name: 'b', TCP: `127.0.0.1:${closed}` },
      { Name: 'c', TCP: 'localhost:x' },
    ])
    await settled([
      ['passing', `TCP connect 127.0.0.1:${port}: Success`],
      ['critical', `dial tcp 127.0.0.1:${closed}: connect: connection refused`],
      ['critical', 'dial tcp: address localhost:x: missing port in address'],
    ])
  })

  test('calls of checks are in the state document, which is valid', async () => {
    const { world: stored } = await world([
      { Name: 'a', HTTP: `http://127.0.0.1:${port}/200` },
      { Name: 'b', TCP: `127.0.0.1:${port}` },
    ])
    const document = JSON.parse(JSON.stringify(exportWorld(stored)))
    const checks: readonly { call: object }[] = Object.values(document.mesh.tables['agent-checks'])
    expect(checks.map(({ call }) => call)).toMatchObject([{ kind: 'http' }, { kind: 'tcp' }])
    expect(checkDocument(stored.services, document)).toBe(document)
  })

  test('a check is called again after its interval, and thresholds count results in a row', async () => {
    const {
      clock,
      settled,
      states,
      world: started,
    } = await world([
      {
        Name: 'a',
        TCP: `127.0.0.1:${closed}`,
        Status: 'passing',
        FailuresBeforeCritical: 3,
        FailuresBeforeWarning: 2,
      },
      { Name: 'b', HTTP: `http://127.0.0.1:${port}/200`, SuccessBeforePassing: 2 },
      { Name: 'c', TCP: `127.0.0.1:${port}` },
    ])
    const [refused, fine] = [
      `dial tcp 127.0.0.1:${closed}: connect: connection refused`,
      `HTTP GET http://127.0.0.1:${port}/200: 200 OK Output: fine`,
    ]
    const connected = ['passing', `TCP connect 127.0.0.1:${port}: Success`]
    await settled([['passing', ''], ['critical', ''], connected])
    await vi.waitFor(() => expect(waitingCalls(started)).toEqual([]), patience)
    clock.advance(9_999)
    expect(await states()).toEqual([['passing', ''], ['critical', ''], connected])
    clock.advance(1)
    await settled([['warning', refused], ['passing', fine], connected])
  })

  // choice/mesh#called-checks
  test('other machines are called only with the option any, and nothing by default', async () => {
    const { world: inside } = await world([{ Name: 'a', TCP: '192.0.2.1:80' }])
    const { world: off } = await world([{ Name: 'a', TCP: `127.0.0.1:${port}` }], false)
    const { world: any, settled } = await world(
      [{ Name: 'a', HTTP: `http://127.0.0.1:${port}/200` }],
      'any',
    )
    await settled([['passing', expect.stringContaining('200 OK')]])
    for (const one of [inside, off]) expect(waitingCalls(one)).toEqual([])
    expect(waitingCalls(any)).toEqual([])
  })

  test('a removed or re-registered check does not get the result of an earlier call', async () => {
    const { mesh: client, settled, states } = await world([{ Name: 'a', TCP: `127.0.0.1:${port}` }])
    await client.put('agent/check/register', {
      Name: 'a',
      TCP: `127.0.0.1:${closed}`,
      Interval: '1s',
    })
    await settled([['critical', expect.stringContaining('refused')]])
    await client.put('agent/check/deregister/a', '')
    expect(await states()).toEqual([])
  })
})
