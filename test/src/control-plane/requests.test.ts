import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { VerificationError, WaitError } from '../../../routes/journal/journal-queries.ts'
import {
  createUnderstudy,
  type Understudy,
  type UnderstudyOptions,
} from '../../../src/embedding/index.ts'

const root = { 'x-secrets-token': 'root' }
const defaultOptions = { clock: 'frozen@2026-01-01T00:00:00Z', seed: 'test' } as const

async function started(options: UnderstudyOptions = {}): Promise<Understudy> {
  const understudy = await createUnderstudy({ ...defaultOptions, ...options })
  onTestFinished(() => understudy.close())
  return understudy
}

/** Asks the control plane, by default about the default world. */
async function ask(understudy: Understudy, method: string, path: string, payload?: object) {
  const reply = await understudy.inject({
    method,
    url: `/_mock${path}`,
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: reply.statusCode, body: reply.body === '' ? undefined : reply.json() }
}

const write = (understudy: Understudy, path: string, data: object, prefix = '') =>
  understudy.inject({
    method: 'POST',
    url: `${prefix}/v1/secret/data/${path}`,
    headers: root,
    payload: { data },
  })
const read = (understudy: Understudy, path: string) =>
  understudy.inject({ url: `/v1/secret/data/${path}`, headers: root })

describe('behaviour/program#names-of-requests: requests have names', () => {
  test('every reply of the four APIs has a name, whatever its status', async () => {
    const understudy = await started()
    const urls = ['/v1/sys/health', '/v1/nowhere', '/api/v2/ping', '/v1/jobs', '/v1/namespaces']
    const names: unknown[] = []
    for (const url of [...urls, '/api/v2/nowhere', '/nowhere', '/%zz', '/v1/sys/mounts']) {
      names.push((await understudy.inject({ url })).headers['x-mock-request'])
    }
    expect(names).toEqual(['r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'r9'])
  })

  test('requests of the control plane have no names, and each world counts its own requests', async () => {
    const understudy = await started()
    const world = understudy.createWorld({ id: 'w' })
    await understudy.inject('/v1/sys/health')
    const other = await world.inject('/v1/sys/health')
    const control = await understudy.inject('/_mock/info')
    expect(other.headers['x-mock-request']).toBe('r1')
    expect(control.headers['x-mock-request']).toBeUndefined()
    expect((await understudy.inject('/_world/none/v1/sys/health')).headers).not.toHaveProperty(
      'x-mock-request',
    )
  })

  test('numbering continues after the journal is cleared, and starts again after a reset of everything', async () => {
    const understudy = await started()
    const name = async () => (await understudy.inject('/v1/sys/health')).headers['x-mock-request']
    await name()
    understudy.world().requests.clear()
    expect(await name()).toBe('r2')
    understudy.world().reset(['journal'])
    expect([await name(), understudy.world().requests.find().length]).toEqual(['r3', 1])
    understudy.world().reset()
    expect(await name()).toBe('r1')
    expect(understudy.world().fork('copy').requests.find()).toEqual([])
  })
})

describe('behaviour/program#journal: an entry', () => {
  test('integers in bodies keep their digits, and secret ones are fingerprints', async () => {
    const understudy = await started()
    const exact = '{"Job":{"ID":"a","Meta":{"n":9007199254740993}}}'
    const jsonType = { 'content-type': 'application/json' }
    await understudy.inject({ method: 'PUT', url: '/v1/jobs', headers: jsonType, payload: exact })
    await understudy.inject({
      method: 'POST',
      url: '/v1/secret/data/a',
      headers: { ...root, ...jsonType },
      payload: '{"data":{"pin":12345678901234567}}',
    })
    const { body: list } = await understudy.inject('/_mock/requests')
    expect(list).toContain('"n":9007199254740993')
    expect(list).not.toContain('1234567890123456')
    const { requests } = understudy.world()
    const bodyWith = (n: number) => ({ body: { Job: { ID: 'a', Meta: { n } } } })
    expect(requests.find(bodyWith(Number('9007199254740993')))).toHaveLength(1)
    const match = bodyWith(5)
    expect(() => requests.verify({ match })).toThrow(/is 9007199254740993, not 5/)
  })

  test('contains a write, its reply and its changes, but no secrets', async () => {
    const understudy = await started()
    const reply = await write(understudy, 'app?x=1&y=a&y=b', { a: 'geheim' })
    const { body: entry } = await ask(understudy, 'GET', '/requests/r1')
    const caller = entry.caller.id
    expect(caller).toMatch(/^fp:[0-9a-f]{12}$/)
    expect(entry).toMatchObject({
      id: 'r1',
      world: 'default',
      sequence: 1,
      at: '2026-01-01T00:00:00Z',
      service: 'secrets',
      operation: 'kv2WriteData',
      method: 'POST',
      path: '/v1/secret/data/app',
      query: { x: '1', y: ['a', 'b'] },
      caller: { id: caller, name: 'root', policies: ['root'] },
      status: 200,
      responseBody: { request_id: reply.json().request_id },
      committed: true,
      index: { before: 1, after: 2 },
      fault: null,
      outcome: 'served',
      rule: null,
    })
    expect(entry.headers['x-secrets-token']).toBe(caller)
    expect(entry.responseHeaders['x-mock-request']).toBe('r1')
    expect(
      entry.changes.map(({ table, kind }: { table: string; kind: string }) => [table, kind]),
    ).toEqual([
      ['secrets.kv2-data', 'put'],
      ['secrets.kv2-keys', 'put'],
    ])
    expect(entry.durationMs).toBeGreaterThan(0)
  })

  test.each([
    ['served', '/v1/sys/health', root, 'served', null, 'readHealth'],
    ['a missing secret', '/v1/secret/data/none', root, 'refused', 'secret-unknown', 'kv2ReadData'],
    [
      'an unknown token',
      '/v1/secret/data/a',
      { 'x-secrets-token': 'x' },
      'refused',
      'token-unknown',
      'kv2ReadData',
    ],
    ['an unknown path', '/v1/sys/nowhere', root, 'unmatched', 'unsupported-path', null],
    ['an unknown path without a token', '/v1/nowhere', {}, 'unmatched', 'token-missing', null],
    [
      'no token at the platform',
      '/api/v2/organizations/a',
      {},
      'refused',
      'token-missing',
      'readOrganization',
    ],
    ['an unknown path of the platform', '/api/v2/nowhere', {}, 'unmatched', 'unknown-path', null],
    ['a missing job', '/v1/job/none', {}, 'refused', 'job-not-found', 'readJob'],
  ])('outcome, rule and operation: %s', async (_, url, headers, outcome, rule, operation) => {
    const understudy = await started()
    await understudy.inject({ url, headers })
    expect(understudy.world().requests.get('r1')).toMatchObject({ outcome, rule, operation })
  })

  test('repeated parts of requests are stored once and shown in every entry', async () => {
    const understudy = await started()
    const agents = ['one', 'one', 'two']
    for (const agent of agents) {
      await understudy.inject({ url: '/v1/sys/health', headers: { 'user-agent': agent } })
    }
    await understudy.inject({ url: '/v1/sys/health', headers: { 'user-agent': 'two', via: 'b' } })
    await understudy.inject('/v1/nowhere')
    const entries = understudy.world().requests.find()
    expect(entries.map(({ headers }) => headers['user-agent'])).toEqual([
      ...agents,
      'two',
      'lightMyRequest',
    ])
    expect(entries.map(({ headers }) => headers['via'])).toEqual([...Array(3), 'b', undefined])
    expect(entries.map(({ responseHeaders }) => responseHeaders['x-mock-request'])).toEqual(
      entries.map(({ id }) => id),
    )
  })

  // choice/process#journal-order
  test('requests stand in the order of their answers, named in that of their arrival', async () => {
    const understudy = await started()
    const world = understudy.world()
    world.faults.add({ times: 1, action: { latency: '50ms' } })
    const late = understudy.inject('/v1/sys/health')
    await expect.poll(() => world.faults.list()[0]?.hits).toBe(1)
    await understudy.inject('/v1/sys/leader')
    await late
    expect(world.requests.find().map(({ id }) => id)).toEqual(['r2', 'r1'])
  })

  test('a refused write has committed nothing', async () => {
    const understudy = await started()
    await write(understudy, 'app', {})
    await understudy.inject({
      method: 'POST',
      url: '/v1/secret/data/app',
      headers: root,
      payload: { data: {}, options: { cas: 7 } },
    })
    expect(understudy.world().requests.get('r2')).toMatchObject({
      outcome: 'refused',
      committed: false,
      changes: [],
      index: { before: 2, after: 2 },
    })
  })

  test('of credentials the scheme stays; cookies and parameters with tokens are hidden', async () => {
    const understudy = await started()
    await understudy.inject({
      url: '/v1/namespaces?token=abc',
      headers: { authorization: 'Bearer abc', cookie: 'a=abc' },
    })
    const { headers, query, caller } = understudy.world().requests.get('r1')
    const hidden = String(query['token'])
    expect([headers['authorization'], caller]).toEqual([`Bearer ${hidden}`, { id: hidden }])
    expect(JSON.stringify([headers, query])).not.toContain('abc')
  })

  test('large bodies are recorded as their size and SHA-256, and bodies are omitted if options disable them', async () => {
    const understudy = await started()
    const text = 'x'.repeat(20_000)
    const put = (payload: string) =>
      understudy.inject({ method: 'PUT', url: '/v1/jobs/parse', payload })
    await put(text)
    expect(understudy.world().requests.get('r1').body).toEqual({
      bytes: 20_000,
      sha256: createHash('sha256').update(text).digest('hex'),
    })
    understudy.world().changeOptions({ control: { journalBodies: false } })
    await put('{}')
    expect(understudy.world().requests.get('r2')).not.toHaveProperty('body')
    expect(understudy.world().requests.get('r2')).not.toHaveProperty('responseBody')
  })
})

describe('behaviour/program#bounds: limits of matchers', () => {
  const members = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, '1']))

  test.each(['body', 'query', 'headers'])(
    '1,000 members of the %s are matched, and 1,001 are refused',
    async (part) => {
      const understudy = await started()
      await read(understudy, 'app')
      const verified = await ask(understudy, 'POST', '/requests/verify', {
        match: { [part]: members(1000) },
      })
      expect(verified.status).toBe(422)
      expect(verified.body.nearMisses[0].differences).toHaveLength(1000)
      const match = { [part]: members(1001) }
      const problem = '/match may have at most 1000 criteria, not 1001'
      for (const path of ['/requests/find', '/requests/verify', '/requests/wait']) {
        const { status, body } = await ask(understudy, 'POST', path, { match })
        expect([status, body.problems]).toEqual([400, [problem]])
      }
      const action = { status: 503 }
      const { status, body } = await ask(understudy, 'POST', '/faults', { match, action })
      expect([status, body.problems]).toEqual([400, [problem]])
    },
  )

  test('the body of each compared request is parsed only a few times', async () => {
    const understudy = await started()
    await write(understudy, 'app', { user: 'ada' })
    const parse = vi.spyOn(JSON, 'parse')
    onTestFinished(() => parse.mockRestore())
    const { requests } = understudy.world()
    expect(() => requests.verify({ match: { body: members(1000) } })).toThrow(VerificationError)
    // The request is searched for, its distance and its differences are computed, and it is shown.
    expect(parse.mock.calls.length).toBeLessThan(20)
  })
})

describe('behaviour/program#journal: the ring', () => {
  test('keeps a number of requests, counts the dropped ones, and answers 410 for them', async () => {
    const understudy = await started({ options: { control: { journalSize: 3 } } })
    for (let count = 0; count < 5; count += 1) await understudy.inject('/v1/sys/health')
    const listed = await ask(understudy, 'GET', '/requests')
    expect(listed.body.requests.map(({ id }: { id: string }) => id)).toEqual(['r3', 'r4', 'r5'])
    expect([listed.body.total, listed.body.dropped]).toEqual([3, 2])
    const statuses = await Promise.all(
      ['r2', 'r3', 'r6', 'x'].map(
        async (id) => (await ask(understudy, 'GET', `/requests/${id}`)).status,
      ),
    )
    expect(statuses).toEqual([410, 200, 404, 404])
    expect((await ask(understudy, 'GET', '/requests?after=r2')).status).toBe(410)
    expect((await ask(understudy, 'GET', '/requests?after=r9')).status).toBe(404)
    expect((await ask(understudy, 'DELETE', '/requests')).status).toBe(204)
    expect((await ask(understudy, 'GET', '/requests')).body).toEqual({
      requests: [],
      total: 0,
      dropped: 0,
    })
    expect((await ask(understudy, 'GET', '/requests/r5')).status).toBe(410)
  })

  test('the size of the journal can change, and with size 0 it records only names', async () => {
    const understudy = await started()
    const world = understudy.world()
    const ids = () => world.requests.find().map(({ id }) => id)
    for (let count = 0; count < 4; count += 1) await understudy.inject('/v1/sys/health')
    world.changeOptions({ control: { journalSize: 2 } })
    await understudy.inject('/v1/sys/health')
    expect(ids()).toEqual(['r4', 'r5'])
    world.changeOptions({ control: { journalSize: 3 } })
    await understudy.inject('/v1/sys/health')
    await understudy.inject('/v1/sys/health')
    expect(ids()).toEqual(['r5', 'r6', 'r7'])
    world.changeOptions({ control: { journalSize: 0 } })
    const reply = await understudy.inject('/v1/sys/health')
    expect([reply.headers['x-mock-request'], ids()]).toEqual(['r8', []])
  })

  test('lists by outcome and service, after a given request, and up to a limit', async () => {
    const understudy = await started()
    for (const url of ['/v1/sys/health', '/api/v2/ping', '/api/v2/none', '/v1/sys/health']) {
      await understudy.inject(url)
    }
    const ids = async (query: string) => {
      const { body } = await ask(understudy, 'GET', `/requests?${query}`)
      return [body.total, ...body.requests.map(({ id }: { id: string }) => id)]
    }
    expect(await ids('service=platform')).toEqual([2, 'r2', 'r3'])
    expect(await ids('outcome=unmatched')).toEqual([1, 'r3'])
    expect(await ids('after=r1&limit=2')).toEqual([4, 'r2', 'r3'])
    expect((await ask(understudy, 'GET', '/requests?limit=-1')).status).toBe(400)
    expect((await ask(understudy, 'GET', '/requests?outcome=nice')).status).toBe(400)
  })
})

describe('behaviour/program#journal: find and verify', () => {
  async function worked() {
    const understudy = await started()
    await write(understudy, 'app', { user: 'u', pin: 4711 })
    await read(understudy, 'app')
    await understudy.inject({ url: '/v1/secret/data/app', headers: { 'x-secrets-token': 'other' } })
    await understudy.inject({ method: 'PUT', url: '/v1/jobs', payload: { Job: { ID: 'j' } } })
    return understudy
  }

  test.each([
    [{}, 4],
    [{ service: 'secrets' }, 3],
    [{ operation: 'kv2ReadData' }, 2],
    [{ method: 'GET' }, 2],
    [{ method: ['POST', 'PUT'] }, 2],
    [{ path: '/v1/secret/**' }, 3],
    [{ path: '/v1/*' }, 1],
    [{ status: 403 }, 1],
    [{ status: [200, 403] }, 3],
    [{ outcome: 'refused' as const }, 2],
    [{ headers: { 'X-Secrets-Token': 'root' } }, 2],
    [{ headers: { 'x-secrets-token': { absent: true as const } } }, 1],
    [{ headers: { 'x-secrets-token': { matches: '^fp:' } } }, 3],
    [{ caller: 'root' }, 2],
    [{ body: { data: { user: 'u' } } }, 1],
    [{ body: { data: { user: 'v' } } }, 0],
    [{ body: { Job: { ID: { matches: '^[a-z]$' } } } }, 1],
    [{ body: { absent: true } }, 2],
    [{ body: { Job: { Name: { absent: true } } }, method: 'PUT' }, 1],
    [{ method: 'GET', status: 200 }, 1],
  ])('a matcher %j fits %i', async (match, count) => {
    const understudy = await worked()
    const { body } = await ask(understudy, 'POST', '/requests/find', { match, limit: 1 })
    expect([body.total, body.requests.length]).toEqual([count, Math.min(count, 1)])
    expect(understudy.world().requests.find(match).length).toBe(count)
    expect(understudy.world().requests.verify({ match, count: { exactly: count } })).toBe(count)
  })

  test('a caller is known by token, fingerprint and name', async () => {
    const understudy = await worked()
    const { caller } = understudy.world().requests.get('r3')
    for (const who of ['other', caller?.id ?? '']) {
      expect(
        understudy
          .world()
          .requests.find({ caller: who })
          .map(({ id }) => id),
      ).toEqual(['r3'])
    }
  })

  // choice/process#near-miss-order
  test('a failed verification is 422 with the nearest requests first', async () => {
    const understudy = await worked()
    const match = { method: 'GET', path: '/v1/secret/data/app', status: 500 }
    const reply = await ask(understudy, 'POST', '/requests/verify', {
      match,
      count: { atLeast: 2 },
    })
    expect([reply.status, reply.body.count]).toEqual([422, 0])
    expect(reply.body.nearMisses).toEqual([
      { request: 'r3', distance: 1, differences: [{ at: '/status', expected: 500, actual: 403 }] },
      { request: 'r2', distance: 1, differences: [{ at: '/status', expected: 500, actual: 200 }] },
      {
        request: 'r1',
        distance: 2,
        differences: [
          { at: '/method', expected: 'GET', actual: 'POST' },
          { at: '/status', expected: 500, actual: 200 },
        ],
      },
    ])
    expect(reply.body.detail).toBe(
      '0 requests match {"method":"GET","path":"/v1/secret/data/app","status":500}, not at least 2; the nearest requests are r3: /status is 403, not 500 | r2: /status is 200, not 500 | r1: /method is "POST", not "GET"; /status is 200, not 500',
    )
    expect(() => understudy.world().requests.verify({ match })).toThrow(VerificationError)
  })

  // choice/process#near-miss-order
  test('a different path is a worse match than a different verb', async () => {
    const understudy = await started()
    await understudy.inject({ method: 'POST', url: '/v1/sys/health' })
    await understudy.inject('/v1/sys/leader')
    const match = { method: 'GET', path: '/v1/sys/health' }
    const { body } = await ask(understudy, 'POST', '/requests/verify', { match })
    const names = body.nearMisses.map(({ request }: { request: string }) => request)
    expect(names).toEqual(['r1', 'r2'])
  })

  test('a sequence: in this order, strictly only with nothing of its services between', async () => {
    const understudy = await worked()
    const { requests } = understudy.world()
    const [written, job] = [{ operation: 'kv2WriteData' }, { service: 'scheduler' }]
    const refused = { status: 403 }
    expect(requests.verify({ sequence: [written, refused, job] })).toBe(3)
    expect(() => requests.verify({ sequence: [job, written] })).toThrow(/step 2 of 2/)
    expect(requests.verify({ sequence: [refused, job], strict: true })).toBe(2)
    expect(() => requests.verify({ sequence: [written, refused], strict: true })).toThrow(
      'step 2 of 2, {"status":403}, was not received next; the nearest requests are r4: /status is 500, not 403 | r2: /status is 200, not 403',
    )
    expect(() => requests.verify({ sequence: [written, job], strict: true })).toThrow(
      VerificationError,
    )
    const { status, body } = await ask(understudy, 'POST', '/requests/verify', {
      sequence: [written, refused],
    })
    expect([status, body]).toEqual([200, { verified: true, count: 2 }])
  })

  test.each([
    [{ match: { verb: 'GET' } }, '/match/verb is unknown'],
    [{ match: { status: '200' } }, '/match/status must be integer'],
    [
      { match: { headers: { A: { matches: '(' } } } },
      '/match/headers/A/matches cannot be read: error parsing regexp',
    ],
    [
      { match: { query: { 'a/b': { matches: '(' } } } },
      '/match/query/a~1b/matches cannot be read: error parsing regexp',
    ],
    [
      { match: { body: { matches: '(' } } },
      '/match/body/matches cannot be read: error parsing regexp',
    ],
    [
      { match: { body: { a: [{ b: { matches: '(' } }] } } },
      '/match/body/a/0/b/matches cannot be read: error parsing regexp',
    ],
    [
      { match: { body: { a: { contains: { matches: '(' } } } } },
      '/match/body/a/contains/matches cannot be read: error parsing regexp',
    ],
    [
      { sequence: [{}, { query: { a: { matches: '(' } } }] },
      '/sequence/1/query/a/matches cannot be read: error parsing regexp',
    ],
    [{ match: { path: 'v1/jobs' } }, '/match/path must match pattern'],
    [{ match: { path: '/v1/***' } }, '/match/path must match pattern'],
    [{ count: { exactly: -1 } }, '/count/exactly must be >= 0'],
    [{ sequence: [] }, '/sequence must NOT have fewer than 1 items'],
    [{ sequence: [{}], match: {} }, '/match and /sequence are mutually exclusive'],
    [{ strict: true }, '/strict requires /sequence'],
  ])('bad input is refused: %j', async (body, text) => {
    const understudy = await worked()
    const reply = await ask(understudy, 'POST', '/requests/verify', body)
    expect([reply.status, reply.body.problems]).toEqual([400, [expect.stringContaining(text)]])
  })

  test('in process, errors of a matcher that is the only argument have no prefix', async () => {
    const { requests } = (await worked()).world()
    const match = { query: { a: { matches: '(' } } }
    expect(() => requests.find(match)).toThrow(/^\/query\/a\/matches cannot be read/)
    expect(() => requests.verify({ match })).toThrow(/^\/match\/query\/a\/matches cannot/)
  })
})

describe('behaviour/program#journal: wait', () => {
  test('until a number of requests have arrived, including earlier ones', async () => {
    const understudy = await started()
    await read(understudy, 'a')
    const waiting = ask(understudy, 'POST', '/requests/wait', {
      match: { operation: 'kv2ReadData' },
      count: 2,
    })
    const embedded = understudy.world().requests.wait({ count: 2 })
    await read(understudy, 'b')
    const { status, body } = await waiting
    expect([status, body.requests.map(({ id }: { id: string }) => id)]).toEqual([200, ['r1', 'r2']])
    expect((await embedded).map(({ id }) => id)).toEqual(['r1', 'r2'])
  })

  test('up to a time limit: 408 with near misses', async () => {
    const understudy = await started()
    await read(understudy, 'a')
    const waiting = { match: { path: '/v1/secret/data/b' }, timeout: '1ms' }
    const { status, body } = await ask(understudy, 'POST', '/requests/wait', waiting)
    expect([status, body.count, body.nearMisses.length]).toEqual([408, 0, 1])
    await expect(understudy.world().requests.wait({ ...waiting, timeout: 1 })).rejects.toThrow(
      WaitError,
    )
  })

  test.each(['10m1s', 'soon', -1])('a time-out of %j is refused', async (timeout) => {
    const understudy = await started()
    const { status, body } = await ask(understudy, 'POST', '/requests/wait', { timeout })
    expect([status, body.problems?.[0]]).toEqual([400, expect.stringContaining('/timeout')])
  })
})
