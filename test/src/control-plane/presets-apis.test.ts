import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy, type Understudy } from '../../../src/embedding/index.ts'
import { drainEventLoop } from '../../support/blocked-reads.ts'

const dialects = ['neutral', 'vendor'] as const

async function started(dialect: 'neutral' | 'vendor'): Promise<Understudy> {
  const clock = 'frozen@2026-01-01T00:00:00Z'
  const understudy = await createUnderstudy({ clock, seed: 'test', dialect })
  onTestFinished(() => understudy.close())
  return understudy
}

const jsonApi = { 'content-type': 'application/vnd.api+json' }
const siteAdmin = { authorization: 'Bearer site-admin-token' }

async function statuses(understudy: Understudy, url: string, count: number, headers = {}) {
  const seen: number[] = []
  for (let at = 0; at < count; at += 1) {
    seen.push((await understudy.inject({ url, headers })).statusCode)
  }
  return seen
}

describe.each(dialects)('behaviour/program#presets of the platform, %s', (dialect) => {
  const organization = '/api/v2/organizations/example-org'
  const owner = { authorization: 'Bearer owner-token' }

  test('platform-rate-limited: 429 five times, with the headers that clients wait by', async () => {
    const understudy = await started(dialect)
    understudy.world().faults.preset('platform-rate-limited', { reset: 0.25 })
    const { statusCode, headers, body } = await understudy.inject({ url: organization })
    expect([statusCode, JSON.parse(body).errors]).toEqual([
      429,
      [expect.objectContaining({ status: '429', title: 'Too many requests' })],
    ])
    expect(headers).toMatchObject({
      'x-ratelimit-limit': '30',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '0.250',
      'retry-after': '1',
    })
    expect(await statuses(understudy, organization, 5, owner)).toEqual([429, 429, 429, 429, 200])
    expect(await statuses(understudy, '/v1/object/none', 1)).toEqual([404])
  })

  test('platform-hidden: admin routes and organizations return 404 like unknown ones', async () => {
    const understudy = await started(dialect)
    const { faults } = understudy.world()
    const absent = await understudy.inject({ url: '/api/v2/organizations/none', headers: owner })
    faults.preset('platform-hidden')
    const { statusCode, body } = await understudy.inject({ url: organization, headers: owner })
    expect([statusCode, body]).toEqual([404, absent.body])
    const listed = await understudy.inject({ url: '/api/v2/organizations', headers: owner })
    expect([listed.statusCode, listed.json()]).toEqual([200, { data: [] }])
    expect(listed.headers['content-type']).toBe(absent.headers['content-type'])
    const admin = '/api/v2/admin/general-settings'
    expect(await statuses(understudy, admin, 1, siteAdmin)).toEqual([404])
    expect(await statuses(understudy, `${organization}/registry-modules`, 1, owner)).toEqual([404])
    expect(await statuses(understudy, '/api/v2/account/details', 1, owner)).toEqual([200])
    faults.endPreset('platform-hidden')
    expect(await statuses(understudy, organization, 1, owner)).toEqual([200])
  })

  test('platform-upload-refused: every upload returns 413, whatever its size, and the version keeps waiting', async () => {
    const understudy = await started(dialect)
    const { provider } = understudy.world().info().services.platform.module
    const created = await understudy.inject({
      method: 'POST',
      url: `${organization}/tests/registry-modules/private/example-org/network/${provider}/test-runs/configuration-versions`,
      headers: { ...owner, ...jsonApi },
    })
    const { id, attributes } = created.json().data
    const upload = async (bytes: string) => {
      const url = new URL(attributes['upload-url']).pathname
      return (await understudy.inject({ method: 'PUT', url, payload: bytes })).statusCode
    }
    const { faults } = understudy.world()
    faults.preset('platform-upload-refused', { bytes: 3 })
    expect(await upload('long')).toBe(413)
    faults.preset('platform-upload-refused')
    for (const bytes of ['', 'x', 'long']) expect(await upload(bytes)).toBe(413)
    const version = { url: `/api/v2/configuration-versions/${id}`, headers: owner }
    expect((await understudy.inject(version)).json().data.attributes.status).toBe('pending')
    faults.endPreset('platform-upload-refused')
    expect(await upload('long')).toBe(200)
  })

  test.each([
    [{}, 500],
    [{ how: 'timed-out' }, 504],
    [{ how: 'rejected' }, 401],
  ])('platform-smtp-down: %j, and nothing is stored', async (parameters, status) => {
    const understudy = await started(dialect)
    const { faults } = understudy.world()
    const attributes = {
      enabled: true,
      host: 'mail.test',
      port: 25,
      sender: 'a@b.test',
      'test-email-address': 'c@d.test',
    }
    const url = '/api/v2/admin/smtp-settings'
    const patch = async () => {
      const payload = { data: { type: 'smtp-settings', attributes } }
      const reply = await understudy.inject({
        method: 'PATCH',
        url,
        headers: { ...siteAdmin, ...jsonApi },
        payload,
      })
      return reply.statusCode
    }
    const host = async () =>
      (await understudy.inject({ url, headers: siteAdmin })).json().data.attributes.host
    faults.preset('platform-smtp-down', parameters)
    expect([await patch(), await host()]).toEqual([status, null])
    faults.endPreset('platform-smtp-down')
    expect([await patch(), await host()]).toEqual([200, 'mail.test'])
  })
})

describe.each(dialects)('behaviour/program#presets of states of workspaces, %s', (dialect) => {
  const headers = { authorization: 'Bearer owner-token', ...jsonApi }

  async function withLockedWorkspace() {
    const understudy = await started(dialect)
    const send = (method: 'GET' | 'POST', path: string, payload?: object) =>
      understudy.inject({
        method,
        url: `/api/v2/${path}`,
        headers,
        ...(payload === undefined ? {} : { payload }),
      })
    const made = await send('POST', 'organizations/example-org/workspaces', {
      data: { type: 'workspaces', attributes: { name: 'net' } },
    })
    const path = `workspaces/${made.json().data.id}`
    await send('POST', `${path}/actions/lock`)
    const createState = async () => {
      const state = '{"version":4}'
      const md5 = 'c0f45e34ed60c6e660c5cd0b292c5b9c'
      const attributes = { serial: 1, md5, state: Buffer.from(state).toString('base64') }
      return send('POST', `${path}/state-versions`, {
        data: { type: 'state-versions', attributes },
      })
    }
    return { faults: understudy.world().faults, send, path, createState }
  }

  test('platform-state-busy: outputs are 503 twice, as while a state is processed', async () => {
    const { faults, send, path, createState } = await withLockedWorkspace()
    expect((await createState()).statusCode).toBe(201)
    faults.preset('platform-state-busy')
    const outputs = () => send('GET', `${path}/current-state-version-outputs`)
    const busy = await outputs()
    expect([busy.statusCode, busy.json()]).toEqual([
      503,
      { errors: [{ status: '503', title: 'service unavailable' }] },
    ])
    expect([(await outputs()).statusCode, (await outputs()).statusCode]).toEqual([503, 200])
    expect((await send('GET', path)).statusCode).toBe(200)
  })

  test.each([
    [{}, 409, 'conflict'],
    [{ by: 'serial' }, 412, 'precondition failed'],
  ] as const)(
    'platform-state-refused: %j, and no state is added',
    async (parameters, status, title) => {
      const { faults, send, path, createState } = await withLockedWorkspace()
      faults.preset('platform-state-refused', parameters)
      const refused = await createState()
      expect([refused.statusCode, refused.json().errors[0].title]).toEqual([status, title])
      expect((await send('GET', `${path}/current-state-version`)).statusCode).toBe(404)
      faults.endPreset('platform-state-refused')
      expect((await createState()).statusCode).toBe(201)
    },
  )
})

describe.each(dialects)('behaviour/program#presets of the mesh, %s', (dialect) => {
  const prefix = dialect === 'vendor' ? 'x-consul' : 'x-mesh'
  const list = '/v1/namespaces'

  /** Starts a mesh with a second namespace; returns the index of its list. */
  async function meshed() {
    const understudy = await started(dialect)
    await understudy.inject({ method: 'PUT', url: '/v1/namespace', payload: { Name: 'team' } })
    const read = async (url = list) => {
      const { headers, body } = await understudy.inject({ url })
      return { index: Number(headers[`${prefix}-index`]), headers, body }
    }
    return { running: understudy, read, faults: understudy.world().faults }
  }

  // choice/process#preset-length
  test('mesh-index-reset: a read that waits is answered at once, with an index that went back', async () => {
    const { read, faults } = await meshed()
    const before = await read()
    expect(before.index).toBeGreaterThan(1)
    faults.preset('mesh-index-reset')
    const blockedRead = await read(`${list}?index=${before.index}&wait=10m`)
    expect(blockedRead.index).toBe(Math.floor(before.index / 2))
    expect([blockedRead.body, blockedRead.headers['content-type']]).toEqual([
      before.body,
      before.headers['content-type'],
    ])
    expect(await read()).toMatchObject({ index: before.index })
    faults.preset('mesh-index-reset', { to: 'zero', answers: 2 })
    expect([(await read()).index, (await read()).index, (await read()).index]).toEqual([
      0,
      0,
      before.index,
    ])
  })

  test('mesh-index-reset: reads that are already waiting are also answered', async () => {
    const { read, faults } = await meshed()
    const { index } = await read()
    const waiting = read(`${list}?index=${index}&wait=10m`)
    await drainEventLoop()
    faults.preset('mesh-index-reset')
    expect((await waiting).index).toBe(Math.floor(index / 2))
  })

  test('mesh-index-reset: reads before its time wait as usual', async () => {
    const { running: understudy, read, faults } = await meshed()
    const { index } = await read()
    faults.preset('mesh-index-reset', { when: { nth: 2 } })
    const waiting = read(`${list}?index=${index}&wait=1s`)
    await expect.poll(() => understudy.world().clock.advance('1s').now).toBeDefined()
    understudy.world().clock.advance('10m')
    expect((await waiting).index).toBe(index)
    expect((await read()).index).toBe(Math.floor(index / 2))
  })

  test('mesh-list-filtered: fewer entries and the header; single reads are whole', async () => {
    const { running: understudy, read, faults } = await meshed()
    faults.preset('mesh-list-filtered', { keep: 1 })
    const { headers, body, index } = await read()
    expect([JSON.parse(body).length, headers[`${prefix}-results-filtered-by-acls`]]).toEqual([
      1,
      'true',
    ])
    expect(index).toBeGreaterThan(1)
    expect((await read('/v1/namespace/team')).body).toContain('team')
    faults.endPreset('mesh-list-filtered')
    faults.preset('mesh-list-filtered', { keep: 9 })
    const complete = await understudy.inject({ url: list })
    expect(complete.json()).toHaveLength(2)
    expect(complete.headers).not.toHaveProperty(`${prefix}-results-filtered-by-acls`)
  })

  test('mesh-no-leader: 500 of all but stale reads, the agent and the status', async () => {
    const understudy = await createUnderstudy({ dialect, apiPorts: { mesh: 0 } })
    onTestFinished(() => understudy.close())
    await understudy.listen()
    const { faults } = understudy.world()
    const ask = async (path: string, method = 'GET') => {
      const reply = await fetch(understudy.apiUrl('mesh') + path, { method })
      return { status: reply.status, text: await reply.text(), headers: reply.headers }
    }
    faults.preset('mesh-no-leader')
    expect(await ask('/v1/kv/a', 'PUT')).toMatchObject({ status: 500, text: 'No cluster leader' })
    expect(await ask(list)).toMatchObject({ status: 500, text: 'No cluster leader' })
    const stale = await ask(`${list}?stale`)
    expect([stale.status, stale.headers.get(`${prefix}-knownleader`)]).toEqual([200, 'false'])
    expect(await ask('/v1/status/leader')).toMatchObject({ status: 200, text: '""' })
    const { Stats } = JSON.parse((await ask('/v1/agent/self')).text)
    const product = dialect === 'vendor' ? 'consul' : 'mesh'
    expect([Stats[product].leader, Stats.raft.state]).toEqual(['false', 'Follower'])
    faults.endPreset('mesh-no-leader')
    expect((await ask('/v1/status/leader')).text).toBe('"127.0.0.1:8300"')
    expect((await ask(list)).headers.get(`${prefix}-knownleader`)).toBe('true')
  })

  test('nodes fail, services flap, sessions are lost and reads are stale until the preset is undone', async () => {
    const clock = 'frozen@2026-01-01T00:00:00Z'
    const understudy = await createUnderstudy({ clock, dialect, apiPorts: { mesh: 0 } })
    onTestFinished(() => understudy.close())
    await understudy.listen()
    const { faults, clock: worldClock } = understudy.world()
    const send = async (path: string, body?: object | string) => {
      const method = body === undefined ? 'GET' : 'PUT'
      const sent = typeof body === 'object' ? JSON.stringify(body) : (body ?? null)
      const reply = await fetch(`${understudy.apiUrl('mesh')}/v1/${path}`, { method, body: sent })
      const text = await reply.text()
      const header = (name: string) => Number(reply.headers.get(`${prefix}-${name}`))
      return { text, index: header('index'), lastContact: header('lastcontact') }
    }
    await send('agent/service/register', { Name: 'web', Check: { TTL: '1h', Status: 'passing' } })
    const passing = 'health/service/web?passing'
    const isPassing = async () => (await send(passing)).text !== '[]'
    expect(await isPassing()).toBe(true)

    faults.preset('mesh-node-failed')
    expect(await isPassing()).toBe(false)
    faults.endPreset('mesh-node-failed')
    expect(await isPassing()).toBe(true)

    faults.preset('mesh-service-flapping', { service: 'web', every: '2s' })
    const seen = [await isPassing()]
    for (let at = 0; at < 2; at++) {
      worldClock.advance('2s')
      seen.push(await isPassing())
    }
    expect(seen).toEqual([false, true, false])
    faults.endPreset('mesh-service-flapping')
    expect(await isPassing()).toBe(true)
    expect(() => faults.preset('mesh-service-flapping', { every: 'often' })).toThrow(
      '/every must be',
    )

    faults.preset('mesh-session-lost')
    const lock = async () => {
      const session = JSON.parse((await send('session/create', { LockDelay: '0s' })).text).ID
      const { text } = await send(`kv/lock?acquire=${session}`, 'v')
      expect(text.trim()).toBe('true')
      return (await send('kv/lock')).text.includes('"Session"')
    }
    expect([await lock(), await lock()]).toEqual([false, true])
    faults.endPreset('mesh-session-lost')

    const before = await send('kv/a?keys')
    await send('kv/a', 'one')
    const first = await send('kv/a')
    await send('kv/a', 'two')
    faults.preset('mesh-stale-read', { lastContact: 900 })
    const stale = await send(`kv/a?index=${first.index}`)
    expect(stale).toEqual({ ...first, lastContact: 900 })
    expect((await send('kv/a?consistent')).index).toBeGreaterThan(first.index)
    expect(before.index).toBeLessThan(first.index)
    faults.endPreset('mesh-stale-read')
    expect((await send('kv/a')).index).toBeGreaterThan(first.index)
  })
})

describe.each(dialects)('behaviour/program#presets of the scheduler, %s', (dialect) => {
  const job = (count = 1) => ({
    ID: 'app',
    Name: 'app',
    Type: 'service',
    Datacenters: ['dc1'],
    TaskGroups: [
      {
        Name: 'g',
        Count: count,
        Tasks: [{ Name: 't', Driver: 'docker', Config: { image: 'x' } }],
      },
    ],
  })

  async function scheduled() {
    const understudy = await started(dialect)
    const register = async (body: object, url = '/v1/jobs') => {
      const reply = await understudy.inject({ method: 'POST', url, payload: body })
      return { status: reply.statusCode, body: reply.body }
    }
    const index = async () => (await understudy.inject('/v1/job/app')).json().JobModifyIndex
    return { running: understudy, register, index, faults: understudy.world().faults }
  }

  // choice/process#preset-length
  test('scheduler-index-conflict: the job changes in the meantime; a second read succeeds', async () => {
    const { register, index, faults, running: understudy } = await scheduled()
    await register({ Job: job() })
    const before = await index()
    faults.preset('scheduler-index-conflict')
    expect((await register({ Job: job() })).status).toBe(200)
    const registration = { Job: job(2), EnforceIndex: true, JobModifyIndex: before }
    const refused = await register(registration, '/v1/job/app')
    const now = await index()
    expect(now).toBeGreaterThan(before)
    const text = `Enforcing job modify index ${before}: job exists with conflicting job modify index: ${now}`
    expect(refused).toEqual({ status: 500, body: text })
    expect((await register(registration)).body).toBe(text)
    expect((await register({ ...registration, JobModifyIndex: now })).status).toBe(200)
    expect((await understudy.inject('/v1/job/app')).json().TaskGroups[0].Count).toBe(2)
  })

  test('scheduler-index-conflict: somebody else is first with a new job', async () => {
    const { register, faults, running: understudy } = await scheduled()
    faults.preset('scheduler-index-conflict', { answers: 2 })
    const invalid = { Job: { ID: 'bad' }, EnforceIndex: true, JobModifyIndex: 0 }
    expect((await register(invalid)).status).toBe(500)
    expect((await register({ Job: 'x' })).status).toBe(400)
    const registration = { Job: job(), EnforceIndex: true, JobModifyIndex: 0 }
    expect(await register(registration)).toEqual({
      status: 500,
      body: 'Enforcing job modify index 0: job already exists',
    })
    expect(await statuses(understudy, '/v1/job/app', 1)).toEqual([200])
    expect(await statuses(understudy, '/v1/job/bad', 1)).toEqual([404])
  })

  test('scheduler-no-leader: 500 of all but stale reads', async () => {
    const { running: understudy, faults } = await scheduled()
    faults.preset('scheduler-no-leader')
    const reply = await understudy.inject('/v1/jobs')
    expect([reply.statusCode, reply.body]).toEqual([500, 'No cluster leader'])
    expect(await statuses(understudy, '/v1/jobs?stale', 1)).toEqual([200])
    faults.endPreset('scheduler-no-leader')
    expect(await statuses(understudy, '/v1/jobs', 1)).toEqual([200])
  })

  test('scheduler-placement-failed: evaluations are blocked until nodes take allocations again', async () => {
    const { running: understudy, register, faults } = await scheduled()
    const { clock } = understudy.world()
    faults.preset('scheduler-placement-failed')
    const { EvalID } = JSON.parse((await register({ Job: job() })).body)
    clock.advance('1s')
    const allocations = async () =>
      (await understudy.inject('/v1/job/app/allocations')).json().length
    const evaluations = (await understudy.inject('/v1/job/app/evaluations')).json()
    const created = evaluations.find(({ ID }: { ID: string }) => ID === EvalID)
    expect([created.Status, created.FailedTGAllocs.g.NodesEvaluated]).toEqual(['complete', 0])
    expect(evaluations.map(({ Status }: { Status: string }) => Status)).toContain('blocked')
    expect(await allocations()).toBe(0)
    faults.endPreset('scheduler-placement-failed')
    clock.advance('5s')
    expect(await allocations()).toBe(1)
  })
})

describe.each(dialects)('behaviour/program#presets of any API, %s', (dialect) => {
  const urls = ['/v1/sys/health', '/api/v2/ping', '/v1/namespaces', '/v1/jobs']

  // choice/process#preset-length
  test('any-unavailable: all four APIs answer 503, five times in total', async () => {
    const understudy = await started(dialect)
    understudy.world().faults.preset('any-unavailable')
    for (const url of urls) expect(await statuses(understudy, url, 1)).toEqual([503])
    expect(await statuses(understudy, '/v1/jobs', 3)).toEqual([503, 200, 200])
  })

  test('any-slow: as late as is said, and served', async () => {
    const understudy = await started(dialect)
    const { faults, requests } = understudy.world()
    faults.preset('any-slow', { latency: '20ms', match: { service: 'scheduler' }, times: 1 })
    expect(await statuses(understudy, '/v1/jobs', 2)).toEqual([200, 200])
    expect(requests.find().map(({ fault, outcome }) => [fault, outcome])).toEqual([
      ['f1', 'served'],
      [null, 'served'],
    ])
    expect(requests.get('r1').durationMs).toBeGreaterThanOrEqual(19)
  })

  // choice/process#preset-length
  test('any-reset-after-commit: the write is committed without a reply; reads are not affected', async () => {
    const understudy = await started(dialect)
    understudy.world().faults.preset('any-reset-after-commit')
    const headers = { 'x-secrets-token': 'root' }
    const url = '/v1/secret/data/app'
    const write = () =>
      understudy.inject({ method: 'POST', url, headers, payload: { data: { v: 1 } } })
    await expect(write()).rejects.toThrow()
    expect(await statuses(understudy, url, 1, headers)).toEqual([200])
    expect((await write()).json().data.version).toBe(2)
    expect(understudy.world().requests.get('r1')).toMatchObject({ committed: true, status: null })
  })

  test('any-truncated: answers break off', async () => {
    const understudy = await started(dialect)
    understudy.world().faults.preset('any-truncated', { answers: 1 })
    await expect(understudy.inject('/v1/jobs')).rejects.toThrow()
    expect(await statuses(understudy, '/v1/jobs', 1)).toEqual([200])
  })
})
