import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy, type Understudy } from '../../../src/embedding/index.ts'

const root = { 'x-secrets-token': 'root' }
const marker = 'geheim-4711'

async function started(): Promise<Understudy> {
  const understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z', seed: 'test' })
  onTestFinished(() => understudy.close())
  return understudy
}

/** Sends a request and returns everything that the journal shows of it. */
async function journalEntry(
  understudy: Understudy,
  method: string,
  url: string,
  payload?: object | string,
) {
  const reply = await understudy.inject({
    method,
    url,
    headers: root,
    ...(payload === undefined ? {} : { payload }),
  })
  const entry = understudy.world().requests.find().at(-1)
  return { reply, entry, text: JSON.stringify(entry) }
}

describe('behaviour/program#journal: secrets never stand in the journal', () => {
  // choice/process#journal-unknown-bodies
  test.each([
    ['a new version', 'POST', '/v1/secret/data/a', { data: { v: marker } }, 200],
    ['a patch', 'PATCH', '/v1/secret/data/none', { data: { v: marker } }, 415],
    ['a value of version 1', 'POST', '/v1/kv/a', { v: marker, n: { m: [marker] } }, 204],
    ['a cubbyhole', 'POST', '/v1/cubbyhole/a', { v: marker }, 204],
    ['a token of a chosen id', 'POST', '/v1/auth/token/create', { id: marker }, 200],
    ['a token that is looked up', 'POST', '/v1/auth/token/lookup', { token: marker }, 403],
    ['the same in the query', 'GET', `/v1/auth/token/lookup?token=${marker}`, undefined, 403],
    ['a share', 'PUT', '/v1/sys/unseal', { key: marker }, 400],
    ['a share of a rekey', 'PUT', '/v1/sys/rekey/update', { key: marker, nonce: 'n' }, 400],
    ['what is wrapped', 'POST', '/v1/sys/wrapping/wrap', { v: marker }, 400],
    ['what is unwrapped', 'POST', '/v1/sys/wrapping/unwrap', { token: marker }, 400],
    ['a secret without its member', 'POST', '/v1/secret/data/a', { v: marker, w: [marker] }, 400],
    ['a body that cannot be read', 'POST', '/v1/secret/data/a', `{"data":{"v":"${marker}"`, 400],
    [
      'a login that cannot be read',
      'POST',
      '/v1/auth/approle/login',
      `{"secret_id":"${marker}"`,
      400,
    ],
    ['what nobody knows', 'POST', '/v1/sys/nowhere', { v: marker }, 404],
  ])('%s', async (_, method, url, payload, status) => {
    const understudy = await started()
    const { reply, text } = await journalEntry(understudy, method, url, payload)
    expect([reply.statusCode, text.includes(marker)]).toEqual([status, false])
    expect(text).toContain('fp:')
  })

  test('the secret fields of a form, and undeclared ones', async () => {
    const understudy = await started()
    const form = `grant_type=authorization_code&code=${marker}&client_id=a%26b&client_secret=${marker}&pass=${marker}`
    await understudy.inject({
      method: 'POST',
      url: '/v1/identity/oidc/provider/default/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: form,
    })
    const body = String(understudy.world().requests.find().at(-1)?.body)
    const hidden = body.replaceAll(/fp:\w+/g, '*')
    expect(hidden).toBe(
      'grant_type=authorization_code&code=*&client_id=a%26b&client_secret=*&pass=*',
    )
  })

  test.each([
    ['/v1/secret/data/a', { data: { v: marker } }],
    ['/v1/kv/a', { v: marker }],
    ['/v1/cubbyhole/a', { v: marker }],
  ])('secrets read at %s', async (url, payload) => {
    const understudy = await started()
    await journalEntry(understudy, 'POST', url, payload)
    const { reply, entry, text } = await journalEntry(understudy, 'GET', url)
    expect([reply.statusCode, reply.body.includes(marker)]).toEqual([200, true])
    expect([entry?.outcome, text.includes(marker)]).toEqual(['served', false])
  })

  test('tokens that are made, in the reply and as keys of rows', async () => {
    const understudy = await started()
    const { reply, entry, text } = await journalEntry(
      understudy,
      'POST',
      '/v1/auth/token/create',
      {},
    )
    const token = reply.json().auth.client_token
    expect(text).not.toContain(token)
    expect(entry?.changes[0]?.key).toMatch(/^fp:/)
    const wrapped = await understudy.inject({
      url: '/v1/sys/mounts',
      headers: { ...root, 'x-secrets-wrap-ttl': '1m' },
    })
    const last = JSON.stringify(understudy.world().requests.find().at(-1))
    expect(last).not.toContain(wrapped.json().wrap_info.token)
  })

  test('addresses that grant access by themselves, in paths and as keys of rows', async () => {
    const understudy = await started()
    const address = '/api/v2/organizations/example-org/tests/registry-modules/private'
    const created = await understudy.inject({
      method: 'POST',
      url: `${address}/example-org/network/cloud1/test-runs/configuration-versions`,
      headers: {
        authorization: 'Bearer owner-token',
        'content-type': 'application/vnd.api+json',
      },
      payload: JSON.stringify({ data: { type: 'configuration-versions' } }),
    })
    const url: string = created.json().data.attributes['upload-url']
    const { pathname } = new URL(url)
    await understudy.inject({ method: 'PUT', url: pathname, payload: 'x' })
    await understudy.inject(`/v1/object/${'a'.repeat(100)}`)
    const entries = understudy.world().requests.find()
    const text = JSON.stringify(entries)
    expect([text.includes(url), text.includes(pathname.slice(-40))]).toEqual([false, false])
    expect(entries.map(({ path }) => path).slice(1)).toEqual([
      expect.stringMatching(/^\/v1\/object\/fp:[0-9a-f]{12}$/),
      expect.stringMatching(/^\/v1\/object\/fp:/),
    ])
    expect(understudy.world().requests.find({ path: pathname }).length).toBe(1)
  })

  test('tokens that were sent to the wrong API are reported if a retry would pass neither', async () => {
    const understudy = await createUnderstudy({ acl: true })
    onTestFinished(() => understudy.close())
    const tokens = ['secrets', 'vault', 'mesh', 'consul', 'sched', 'nomad'].map((name) => {
      return [`x-${name}-token`, marker] as const
    })
    for (const headers of [...tokens.map((token) => Object.fromEntries([token]))]) {
      for (const path of [
        '/v1/sys/mounts',
        '/api/v2/organizations',
        '/v1/namespaces',
        '/v1/jobs',
      ]) {
        const reply = await understudy.inject({ url: `${path}?token=${marker}`, headers })
        const world = understudy.world()
        const id = String(reply.headers['x-mock-request'])
        const views = [world.requests.get(id), world.explain(id), world.report()]
        expect(JSON.stringify(views), `${path} ${Object.keys(headers)}`).not.toContain(marker)
      }
    }
  })

  test('values of a request that a refusal quotes', async () => {
    const understudy = await started()
    const { reply, text } = await journalEntry(understudy, 'POST', '/v1/auth/token/lookup', {
      token: [marker],
    })
    expect([reply.statusCode, reply.body.includes(marker)]).toEqual([400, true])
    expect(text).not.toContain(marker)
  })

  test('a value has one fingerprint, by which requests are found', async () => {
    const understudy = await started()
    await journalEntry(understudy, 'POST', '/v1/secret/data/a', { data: { v: marker } })
    await journalEntry(understudy, 'POST', '/v1/kv/a', { v: marker })
    const { requests } = understudy.world()
    const [first, second] = requests.find()
    const hidden = /"v":"(fp:[0-9a-f]{12})"/.exec(JSON.stringify(first?.body))?.[1] ?? ''
    expect(second?.body).toEqual({ v: hidden })
    for (const v of [marker, hidden]) {
      expect(requests.find({ body: { data: { v } } }).length).toBe(1)
      expect(requests.find({ body: { v } }).length).toBe(1)
    }
  })
})

describe('behaviour/program#journal: matchers of bodies and queries', () => {
  async function sent() {
    const understudy = await started()
    await journalEntry(understudy, 'PUT', '/v1/jobs?token=x&a=1&a=2', {
      Job: { ID: 'j', Tags: ['x', 'y'], Count: 3, Sub: { a: 1, b: null } },
    })
    await journalEntry(understudy, 'PUT', '/v1/jobs/parse', 'plain text')
    return understudy.world().requests
  }

  test.each([
    [{ query: { a: '2' } }, 1],
    [{ query: { a: { matches: '^1$' } } }, 1],
    [{ query: { b: { absent: true as const } } }, 2],
    [{ query: { a: { absent: true as const } } }, 1],
    [{ body: { Job: { Tags: ['x', 'y'] } } }, 1],
    [{ body: { Job: { Tags: ['x'] } } }, 0],
    [{ body: { Job: { Tags: { contains: 'y' } } } }, 1],
    [{ body: { Job: { Tags: { contains: 'z' } } } }, 0],
    [{ body: { Job: { ID: { contains: 'j' } } } }, 1],
    [{ body: { Job: { Count: 3, Sub: { b: null } } } }, 1],
    [{ body: { Job: { Sub: {} } } }, 1],
    [{ body: { Job: { Count: { contains: 3 } } } }, 0],
    [{ body: { Job: { Sub: { contains: { a: 1 } } } } }, 0],
    [{ body: 'plain text' }, 1],
    [{ body: { matches: '^plain' } }, 1],
    [{ body: { contains: 'text' } }, 1],
    [{ body: { contains: { a: 1 } } }, 0],
    [{ body: [{ absent: false }] }, 0],
    [{ headers: { 'content-type': { matches: 'json' } } }, 1],
    [{ caller: 'nobody' }, 0],
  ])('%j fits %i', async (match, count) => {
    const requests = await sent()
    expect(requests.find(match).length).toBe(count)
    expect(requests.verify({ match, count: { atLeast: count, atMost: count } })).toBe(count)
  })

  test('credentials fit with their scheme and without', async () => {
    const understudy = await started()
    await understudy.inject({ url: '/api/v2/ping', headers: { authorization: 'Bearer abc' } })
    for (const authorization of ['Bearer abc', 'abc']) {
      expect(understudy.world().requests.find({ headers: { authorization } }).length).toBe(1)
    }
  })
})

describe('behaviour/program#journal: the outcome of a request', () => {
  test.each([
    ['POST', '/v1/secret/data/a', 'x'.repeat(3), 'refused', 'body-unreadable'],
    ['PATCH', '/v1/jobs', undefined, 'unmatched', 'method-not-allowed'],
    ['GET', '/v1/nothing-here', undefined, 'refused', null],
    ['PUT', '/api/v2/organizations', '{', 'refused', null],
    ['GET', '/v1/sys/health?sealedcode=299', undefined, 'served', null],
  ])('%s %s', async (method, url, payload, outcome, rule) => {
    const understudy = await started()
    const { entry } = await journalEntry(understudy, method, url, payload)
    expect(['served', 'refused', 'unmatched']).toContain(entry?.outcome)
    if (rule !== null) expect([entry?.outcome, entry?.rule]).toEqual([outcome, rule])
  })

  test('the health call of a sealed node is served, without a rule', async () => {
    const understudy = await started()
    await journalEntry(understudy, 'PUT', '/v1/sys/seal')
    const health = await journalEntry(understudy, 'GET', '/v1/sys/health')
    expect([health.entry?.status, health.entry?.outcome, health.entry?.rule]).toEqual([
      503,
      'served',
      null,
    ])
    const read = await journalEntry(understudy, 'GET', '/v1/secret/data/a')
    expect([read.entry?.outcome, read.entry?.rule]).toEqual(['refused', 'sealed'])
  })
})

describe('behaviour/program#journal: callers, in each API', () => {
  test('names of tokens, policies, roles and users', async () => {
    const understudy = await createUnderstudy({
      clock: 'frozen@2026-01-01T00:00:00Z',
      seed: 'test',
      options: { mesh: { aclEnabled: true }, scheduler: { aclEnabled: true } },
    })
    onTestFinished(() => understudy.close())
    const { services } = understudy.world().info()
    const ask = async (url: string, headers: Readonly<Record<string, string>>) => {
      await understudy.inject({ url, headers })
      return understudy.world().requests.find().at(-1)?.caller
    }
    const mesh = String(services.mesh.token)
    const scheduler = String(services.scheduler.token)
    const owner = 'owner-token'
    const id = expect.stringMatching(/^fp:[0-9a-f]{12}$/)
    expect(await ask('/v1/namespaces', { 'x-mesh-token': mesh })).toMatchObject({ id })
    expect(await ask('/v1/namespaces?x=1', {})).toBeNull()
    expect(await ask('/v1/jobs', { 'x-sched-token': scheduler })).toMatchObject({ id })
    expect(await ask('/v1/jobs', {})).toBeNull()
    expect(await ask('/v1/jobs', { 'x-sched-token': 'wrong' })).toEqual({ id })
    expect(
      await ask('/api/v2/organizations/example-org', { authorization: `Bearer ${owner}` }),
    ).toMatchObject({ id, name: expect.any(String) })
  })

  test('bodies of the platform and replies of the scheduler are shown unchanged', async () => {
    const understudy = await started()
    const body = { data: { type: 'organizations', attributes: { name: 'n', email: 'a@b.c' } } }
    const platform = await journalEntry(understudy, 'POST', '/api/v2/organizations', body)
    expect(platform.entry?.body).toEqual(body)
    const jobs = await journalEntry(understudy, 'GET', '/v1/jobs')
    expect(jobs.entry?.responseBody).toEqual([])
  })
})
