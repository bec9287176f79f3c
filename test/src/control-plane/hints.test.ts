import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createUnderstudy,
  type Understudy,
  type UnderstudyOptions,
} from '../../../src/embedding/index.ts'
import { logOptions } from '../../../src/server/log.ts'

const root = { 'x-secrets-token': 'root' }

/** Starts a server whose log is an array of lines. */
async function logged(
  options: UnderstudyOptions = {},
): Promise<{ understudy: Understudy; lines: Record<string, unknown>[] }> {
  const lines: Record<string, unknown>[] = []
  const log = await logOptions(
    { logLevel: 'info', logFormat: 'json' },
    { write: (line) => void lines.push(JSON.parse(line)) },
  )
  const understudy = await createUnderstudy({ seed: 'hints', log, ...options })
  onTestFinished(() => understudy.close())
  return { understudy, lines }
}

describe('X-Mock-Hint (behaviour/program#journal)', () => {
  test('a path of another API is refused as always, with a hint that the explanation also contains', async () => {
    const { understudy } = await logged()
    const reply = await understudy.inject({ url: '/v1/allocations', headers: root })
    expect(reply.statusCode).toBe(404)
    expect(reply.json()).toEqual({
      errors: ['no handler for route "allocations". route entry not found.'],
    })
    const hint = reply.headers['x-mock-hint']
    expect(hint).toBe('Send the request to the scheduler API, on its own port (--scheduler-port).')
    expect(understudy.world().explain('r1').wouldPass?.change).toBe(hint)
  })

  test('the hint says where that API listens', async () => {
    const { understudy } = await logged({ apiPorts: { scheduler: 0 } })
    await understudy.listen()
    const reply = await understudy.inject({ url: '/v1/allocations' })
    expect(reply.headers['x-mock-hint']).toBe(
      `Send the request to the scheduler API at ${understudy.apiUrl('scheduler')}.`,
    )
  })

  test.each([
    ['neutral', '/v1/kubernetes/config', '/v1/orch/config'],
    ['vendor', '/v1/orch/config', '/v1/kubernetes/config'],
  ] as const)("in %s, the other dialect's %s gets one", async (dialect, url, otherHeader) => {
    const { understudy } = await logged({ dialect })
    const reply = await understudy.inject({ url, headers: root })
    expect(reply.statusCode).toBe(404)
    expect(reply.headers['x-mock-hint']).toContain(otherHeader)
    expect(understudy.world().explain('r1')).toMatchObject({ rule: 'wrong-dialect' })
  })

  test('a refused request gets one also where its path is one of both APIs', async () => {
    const { understudy, lines } = await logged({ dialect: 'vendor' })
    const read = () => understudy.inject({ url: '/v1/kv/app', headers: { 'x-consul-token': 'x' } })
    const refused = await read()
    expect(refused.statusCode).toBe(403)
    expect(refused.headers['x-mock-hint']).toBe(
      'Send the request to the mesh API, on its own port (--mesh-port).',
    )
    expect(lines.filter(({ rule }) => rule === 'wrong-api')).toEqual([])
    const vault = { 'x-vault-token': 'root' }
    await understudy.inject({
      method: 'POST',
      url: '/v1/sys/mounts/kv',
      headers: vault,
      payload: { type: 'kv' },
    })
    await understudy.inject({
      method: 'POST',
      url: '/v1/kv/app',
      headers: vault,
      payload: { a: 1 },
    })
    const served = await understudy.inject({ url: '/v1/kv/app', headers: vault })
    expect([served.statusCode, served.headers['x-mock-hint']]).toEqual([200, undefined])
  })

  test('nothing else gets one', async () => {
    const { understudy } = await logged()
    const urls = [
      '/v1/sys/health',
      '/v1/secret/data/x',
      '/v1/nowhere/x',
      '/api/v2/ping',
      '/v1/jobs',
    ]
    for (const url of [...urls, '/api/v2/nowhere', '/v1/job/x', '/v1/namespaces', '/nowhere']) {
      const reply = await understudy.inject({ url, headers: root })
      expect([url, reply.headers['x-mock-hint']]).toEqual([url, undefined])
    }
    understudy.world().faults.add({ match: { path: '/v1/nodes' }, action: { status: 404 } })
    const faulted = await understudy.inject({ url: '/v1/nodes', headers: root })
    expect(faulted.headers['x-mock-hint']).toBeUndefined()
  })

  test('the log says each kind once', async () => {
    const { understudy, lines } = await logged({ logRequests: 'none' })
    for (const url of ['/v1/allocations', '/v1/nodes', '/v1/catalog/nodes', '/v1/kubernetes/x']) {
      await understudy.inject({ url, headers: root })
      await understudy.inject({ url, headers: root })
    }
    expect(lines.map(({ rule, msg }) => [rule, String(msg).split(' is ')[0]])).toEqual([
      ['wrong-api', 'GET /v1/allocations'],
      ['wrong-api', 'GET /v1/catalog/nodes'],
      ['wrong-dialect', 'kubernetes/'],
    ])
  })
})

describe('--log-requests (behaviour/program#journal)', () => {
  const created = async (understudy: Understudy) => {
    await understudy.inject({ url: '/v1/sys/mounts', headers: root })
    await understudy.inject('/v1/sys/health')
    await understudy.inject({
      url: '/v1/sys/mounts',
      headers: { 'x-secrets-token': 's.geheimgeheim' },
    })
  }

  test('by default there is a line for each refused request, with the reason', async () => {
    const { understudy, lines } = await logged()
    await created(understudy)
    const because = 'the token that was sent does not exist in this world.'
    const [line] = lines
    expect(lines).toHaveLength(1)
    expect(line).toMatchObject({
      api: 'secrets',
      method: 'GET',
      path: '/v1/sys/mounts',
      status: 403,
      world: 'default',
      because,
    })
    expect(String(line?.['msg'])).toMatch(
      /^secrets GET \/v1\/sys\/mounts 403 [\d.]+ ms world default: the token that was sent/,
    )
    expect(JSON.stringify(lines)).not.toContain('geheim')
  })

  test('all: for each request; none: for no request', async () => {
    const all = await logged({ logRequests: 'all' })
    await created(all.understudy)
    expect(all.lines.map(({ status }) => status)).toEqual([200, 200, 403])
    expect(all.lines[0]).not.toHaveProperty('because')
    const none = await logged({ logRequests: 'none' })
    await created(none.understudy)
    expect(none.lines).toEqual([])
  })

  test('another value is refused', async () => {
    await expect(
      createUnderstudy({ logRequests: 'some' } as unknown as UnderstudyOptions),
    ).rejects.toThrow("option logRequests must be 'none', 'refused' or 'all'")
  })
})

describe('behaviour/program#command: a URL that grants access without a token', () => {
  test.each([
    '/v1/object/top-secret-1',
    '/v1/auth/token/lookup/top-secret-1',
    '/v1/sys/renew/orch/creds/a/top-secret-1',
    '/v1/sys/leases/revoke/top-secret-1',
  ])('is on no line of the log, for any API: %s', async (url) => {
    const { understudy, lines } = await logged({
      logRequests: 'all',
      apiPorts: { scheduler: 0 },
    })
    await understudy.listen()
    for (const method of ['GET', 'PUT'] as const) {
      await understudy.inject({ method, url, headers: root })
      await understudy.inject({ method, url: `/_world/default${url}` })
      await fetch(understudy.apiUrl('scheduler') + url, { method })
    }
    const text = JSON.stringify(lines)
    expect(text).toContain('[hidden]')
    expect(text).not.toContain('top-secret-1')
  })
})
