import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  createUnderstudy,
  type Understudy,
  type UnderstudyOptions,
} from '../../../src/embedding/index.ts'

async function started(options: UnderstudyOptions = {}): Promise<Understudy> {
  const understudy = await createUnderstudy(options)
  onTestFinished(() => understudy.close())
  return understudy
}

const ids = (understudy: Understudy) => understudy.worlds().map(({ id }) => id)

/** A path of each API, in a dialect. */
const paths = {
  neutral: ['/v1/sys/health', '/api/v2/ping', '/v1/namespaces', '/v1/jobs'],
  vendor: ['/v1/sys/health', '/api/v2/ping', '/v1/namespaces', '/v1/jobs'],
} as const
const dialects = ['neutral', 'vendor'] as const

describe('behaviour/program#worlds-for-clients: --worlds auto', () => {
  // choice/process#worlds-auto
  test.each(dialects)(
    'a world that a request names is made on first touch (%s)',
    async (dialect) => {
      const understudy = await started({ dialect, worlds: 'auto' })
      const byPrefix = await understudy.inject('/_world/a/v1/sys/health')
      const byHeader = await understudy.inject({
        url: '/v1/sys/health',
        headers: { 'x-mock-world': 'b' },
      })
      expect([byPrefix.statusCode, byPrefix.headers['x-mock-request']]).toEqual([200, 'r1'])
      expect([byHeader.statusCode, byHeader.headers['x-mock-request']]).toEqual([200, 'r1'])
      expect((await understudy.inject('/_world/c/_mock/info')).json().world).toBe('c')
      expect(ids(understudy)).toEqual(['default', 'a', 'b', 'c'])
      expect((await understudy.inject('/_world/a/v1/sys/health')).headers['x-mock-request']).toBe(
        'r2',
      )
    },
  )

  // choice/process#worlds-auto
  test('impossible names, and paths of the control plane, create no world', async () => {
    const understudy = await started({ worlds: 'auto' })
    const statuses = ['/_world/-a/v1/sys/health', '/_mock/worlds/d', '/_mock/worlds/d/info'].map(
      async (url) => (await understudy.inject(url)).statusCode,
    )
    expect(await Promise.all(statuses)).toEqual([404, 404, 404])
    expect(ids(understudy)).toEqual(['default'])
  })

  // choice/process#worlds-auto
  test('a page of another origin uses a world but creates none', async () => {
    const understudy = await started({ worlds: 'auto' })
    await understudy.inject('/_world/a/v1/sys/health')
    const foreign = [
      { origin: 'http://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign) {
      const statuses = ['/_world/a/v1/sys/health', '/_world/b/v1/sys/health'].map(
        async (url) => (await understudy.inject({ url, headers })).statusCode,
      )
      expect(await Promise.all(statuses)).toEqual([200, 404])
    }
    expect(ids(understudy)).toEqual(['default', 'a'])
    const own = {
      host: 'localhost:80',
      origin: 'http://localhost',
      'sec-fetch-site': 'same-origin',
    }
    await understudy.inject({ url: '/_world/c/v1/sys/health', headers: own })
    await understudy.inject({
      url: '/_world/d/v1/sys/health',
      headers: { 'sec-fetch-site': 'none' },
    })
    expect(ids(understudy)).toEqual(['default', 'a', 'c', 'd'])
  })

  // choice/process#unknown-world
  test('without --worlds auto an unknown world is refused, with a hint', async () => {
    const understudy = await started()
    const reply = await understudy.inject('/_world/a/v1/sys/health')
    expect([reply.statusCode, reply.json()]).toEqual([404, { errors: ['there is no world "a"'] }])
    expect(reply.headers['x-mock-hint']).toBe(
      'Create the world first, with PUT /_mock/worlds/<id>, or start the server with --worlds auto.',
    )
  })

  // choice/process#world-of-request
  test('a prefix takes precedence over the header', async () => {
    const understudy = await started()
    const [a, b] = ['a', 'b'].map((id) => understudy.createWorld({ id }))
    const headers = { 'x-mock-world': 'b' }
    await understudy.inject({ url: '/_world/a/v1/sys/health', headers })
    expect([a, b].map((world) => world?.requests.find().length)).toEqual([1, 0])
    const info = await understudy.inject({ url: '/_world/a/_mock/info', headers })
    expect(info.json().world).toBe('a')
  })
})

describe('behaviour/program#worlds-for-clients: --default-world off', () => {
  // choice/process#default-world-off
  test.each(dialects)(
    'requests that name no world are 404 in their shape (%s)',
    async (dialect) => {
      const understudy = await started({ dialect, defaultWorld: false })
      const replies = paths[dialect].map(async (url) => {
        const { statusCode, headers, body } = await understudy.inject(url)
        const hint = String(headers['x-mock-hint'])
        expect(hint).toBe(
          'Name a world: put /_world/<id> before the path, or send X-Mock-World: <id>.',
        )
        expect(headers['x-mock-request']).toBeUndefined()
        return [statusCode, body]
      })
      expect(await Promise.all(replies)).toEqual([
        [404, '{"errors":["the request names no world"]}'],
        [404, expect.stringContaining('"status":"404"')],
        [404, 'the request names no world'],
        [404, 'the request names no world'],
      ])
      expect(understudy.world().requests.find()).toEqual([])
    },
  )

  // choice/process#default-world-off
  test('requests that name a world are served, and so is the control plane', async () => {
    const understudy = await started({ defaultWorld: false })
    const named = await understudy.inject('/_world/default/v1/sys/health')
    expect([named.statusCode, named.headers['x-mock-hint']]).toEqual([200, undefined])
    const info = await understudy.inject('/_mock/info')
    expect([info.statusCode, info.json().world]).toEqual([200, 'default'])
    expect(info.headers['x-mock-hint']).toBeUndefined()
  })

  test('a request to an unknown path also has the hint', async () => {
    const understudy = await started({ defaultWorld: false })
    const reply = await understudy.inject('/v1/nothing/here')
    expect([reply.statusCode, String(reply.headers['x-mock-hint'])]).toEqual([
      404,
      expect.stringContaining('/_world/<id>'),
    ])
  })
})

describe('behaviour/program#worlds-for-clients: PUT /worlds/{id}', () => {
  const put = (understudy: Understudy, id: string, payload: object = {}) =>
    understudy.inject({ method: 'PUT', url: `/_mock/worlds/${id}`, payload })

  test('makes the world once: 201, then 200 with nothing changed', async () => {
    const understudy = await started()
    const created = await put(understudy, 'w', { seed: 's', clock: { mode: 'frozen' } })
    expect([created.statusCode, created.headers['location']]).toEqual([201, '/_mock/worlds/w'])
    expect([created.json().id, created.json().info.seed]).toEqual(['w', 's'])
    await understudy.inject({
      method: 'POST',
      url: '/_world/w/v1/secret/data/a',
      headers: { 'x-secrets-token': 'root' },
      payload: { data: { a: 1 } },
    })
    const before = understudy.world('w').state()
    const again = await put(understudy, 'w', {
      seed: 'other',
      options: { secrets: { sealed: true } },
    })
    expect([again.statusCode, again.headers['location']]).toEqual([200, undefined])
    expect(again.json()).toEqual(created.json())
    expect(understudy.world('w').state()).toEqual(before)
    expect((await put(understudy, 'default')).statusCode).toBe(200)
  })

  test('bad input is reported by its position and creates nothing', async () => {
    const understudy = await started()
    const cases = [
      [{ id: 'w' }, ['/id is unknown']],
      [{ ttl: 'soon' }, ['/ttl is not a Go duration: time: invalid duration "soon"']],
      [{ ttl: '0s' }, ['/ttl must be longer than nothing']],
      [{ ttl: '-1s' }, ['/ttl must be longer than nothing']],
      [{ ttl: 0 }, ['/ttl must be > 0']],
      [{ options: { garden: {} } }, [expect.stringContaining('/options/garden')]],
    ] as const
    for (const [payload, problems] of cases) {
      for (const reply of [
        await put(understudy, 'w', payload),
        ...('id' in payload
          ? []
          : [await understudy.inject({ method: 'POST', url: '/_mock/worlds', payload })]),
      ]) {
        expect(reply.headers['content-type']).toMatch(/^application\/problem\+json/)
        expect([reply.statusCode, reply.json().problems]).toEqual([400, problems])
      }
    }
    expect((await put(understudy, '-w')).statusCode).toBe(400)
    expect(ids(understudy)).toEqual(['default'])
  })

  test('embedded: a world is found or made', async () => {
    const understudy = await started()
    const first = await understudy.provideWorld('w', { seed: 's' })
    first.changeOptions({ secrets: { sealed: false } })
    const second = await understudy.provideWorld('w', { seed: 'other' })
    expect([first.info().seed, second.info().seed]).toEqual(['s', 's'])
  })

  test('a world with a ttl ends without requests, but not during a request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const understudy = await started()
    await put(understudy, 'w', { ttl: '1m' })
    understudy.createWorld({ id: 'e', ttl: 60_000 })
    for (let minute = 0; minute < 3; minute++) {
      vi.advanceTimersByTime(50_000)
      expect((await understudy.inject('/_world/w/v1/sys/health')).statusCode).toBe(200)
      understudy.world('e').info()
      vi.advanceTimersByTime(50_000)
      expect((await understudy.inject('/_mock/worlds/w/clock')).statusCode).toBe(200)
      understudy.world('e').options()
    }
    vi.advanceTimersByTime(61_000)
    expect((await understudy.inject('/_mock/worlds/w')).statusCode).toBe(404)
    expect(ids(understudy)).toEqual(['default'])
  })
})

describe('behaviour/program#worlds-for-clients: the environment of a world', () => {
  test('names a listener of its own for each API that has only the combined one', async () => {
    const understudy = await started({ dialect: 'vendor', apiPorts: { scheduler: 0 } })
    const url = await understudy.listen()
    const environment = async (path = '') => {
      const reply = await fetch(`${url}${path}/_mock/env?format=json`)
      return (await reply.json()) as Record<string, string>
    }
    const variables = await environment()
    const keys = await fetch(`${variables['CONSUL_HTTP_ADDR']}/v1/kv/?keys`, {
      headers: { 'x-consul-token': String(variables['CONSUL_HTTP_TOKEN']) },
    })
    expect(keys.status).toBe(200)
    expect(keys.headers.get('x-consul-index')).not.toBeNull()
    expect(variables['NOMAD_ADDR']).toBe(understudy.apiUrl('scheduler'))
    expect(await environment()).toEqual(variables)
    understudy.createWorld({ id: 'w' })
    const own = await environment('/_world/w')
    expect(new Set([...Object.values(own), ...Object.values(variables)]).size).toBeGreaterThan(8)
    expect((await fetch(`${own['VAULT_ADDR']}/v1/sys/health`)).status).toBe(200)
  })

  test('opens no listener for a server that has no socket', async () => {
    const understudy = await started()
    const reply = await understudy.inject('/_mock/env?format=json')
    expect(reply.json()['VAULT_ADDR']).toBe('http://localhost:80')
  })
})
