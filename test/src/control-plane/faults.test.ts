import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy, type Understudy } from '../../../src/embedding/index.ts'

const health = '/v1/sys/health'

async function started(seed = 'test'): Promise<Understudy> {
  const understudy = await createUnderstudy({ clock: 'frozen@2026-01-01T00:00:00Z', seed })
  onTestFinished(() => understudy.close())
  return understudy
}

async function ask(understudy: Understudy, method: string, path: string, payload?: object) {
  const reply = await understudy.inject({
    method,
    url: `/_mock${path}`,
    ...(payload === undefined ? {} : { payload }),
  })
  return { status: reply.statusCode, body: reply.body === '' ? undefined : reply.json() }
}

/** Sends `count` requests and returns their statuses. */
async function statuses(understudy: Understudy, count: number): Promise<readonly number[]> {
  const seen: number[] = []
  for (let at = 0; at < count; at += 1) seen.push((await understudy.inject(health)).statusCode)
  return seen
}

const failing = { status: 503 }

describe('behaviour/program#faults: which requests are hit', () => {
  test.each([
    [{}, undefined, [503, 503, 503, 503, 503, 503], false],
    [{ skip: 2 }, undefined, [200, 200, 503, 503, 503, 503], false],
    [{ first: 2 }, undefined, [503, 503, 200, 200, 200, 200], true],
    [{ skip: 1, first: 2 }, undefined, [200, 503, 503, 200, 200, 200], true],
    [{ nth: 3 }, undefined, [200, 200, 503, 200, 200, 200], true],
    [{ every: 2 }, undefined, [200, 503, 200, 503, 200, 503], false],
    [{ skip: 1, every: 2 }, undefined, [200, 200, 503, 200, 503, 200], false],
    [{ every: 2 }, 2, [200, 503, 200, 503, 200, 200], true],
    [{ probability: 0 }, undefined, [200, 200, 200, 200, 200, 200], false],
    [{ probability: 1 }, undefined, [503, 503, 503, 503, 503, 503], false],
  ])('when %j, times %s', async (when, times, expected, spent) => {
    const understudy = await started()
    const { faults } = understudy.world()
    faults.add({ when, action: failing, ...(times === undefined ? {} : { times }) })
    expect(await statuses(understudy, 6)).toEqual(expected)
    const hits = expected.filter((status) => status === 503).length
    expect(faults.list()[0]).toMatchObject({ matched: 6, hits, spent })
  })

  test('with a probability two runs of one seed hit the same, and another seed others', async () => {
    const run = async (seed: string) => {
      const understudy = await started(seed)
      understudy.world().faults.add({ when: { probability: 0.5 }, action: failing })
      return statuses(understudy, 40)
    }
    const first = await run('a')
    expect(await run('a')).toEqual(first)
    expect(await run('b')).not.toEqual(first)
    expect(new Set(first)).toEqual(new Set([200, 503]))
  })

  test('a world that was reset hits the same as when it began', async () => {
    const understudy = await started()
    const world = understudy.world()
    const run = async () => {
      const { id } = world.faults.add({ when: { probability: 0.5 }, action: failing })
      return { id, seen: await statuses(understudy, 40) }
    }
    const first = await run()
    world.reset()
    expect(await run()).toEqual(first)
    world.reset(['faults'])
    expect(await run()).toEqual(first)
  })

  // The fault also applies before the request reaches its operation.
  test('of a caller by name, in every API', async () => {
    const understudy = await createUnderstudy({ acl: true })
    onTestFinished(() => understudy.close())
    const { faults } = understudy.world()
    const callers = [
      ['/v1/sys/mounts', 'x-secrets-token', 'root', 'root'],
      ['/api/v2/organizations', 'authorization', 'Bearer owner-token', 'owner'],
      ['/v1/namespaces', 'x-mesh-token', 'mesh-management-token', undefined],
      ['/v1/jobs', 'x-sched-token', 'scheduler-management-token', undefined],
    ] as const
    for (const [url, header, token, expected] of callers) {
      const headers = { [header]: token }
      await understudy.inject({ url, headers })
      const name = understudy.world().requests.find().at(-1)?.caller?.name ?? ''
      if (expected !== undefined) expect(name).toBe(expected)
      faults.add({ match: { caller: name }, action: { status: 502 } })
      expect((await understudy.inject({ url, headers })).statusCode, name).toBe(502)
      const unknownToken = { [header]: header === 'authorization' ? 'Bearer nobody' : 'nobody' }
      expect((await understudy.inject({ url, headers: unknownToken })).statusCode, name).not.toBe(
        502,
      )
      expect(understudy.world().requests.find({ caller: name }).length, name).toBe(2)
    }
  })

  test('of a service, an operation, a token; after the commit also by status', async () => {
    const understudy = await started()
    const { faults } = understudy.world()
    faults.add({ match: { operation: 'readJob' }, action: { status: 500 } })
    faults.add({ match: { caller: 'other' }, action: { status: 502 } })
    faults.add({ match: { status: 404 }, phase: 'afterCommit', action: { status: 504 } })
    const status = async (url: string, headers = {}) =>
      (await understudy.inject({ url, headers })).statusCode
    expect(await status('/v1/job/a')).toBe(500)
    expect(await status('/v1/jobs')).toBe(200)
    expect(await status('/v1/secret/data/a', { 'x-secrets-token': 'other' })).toBe(502)
    expect(await status('/v1/secret/data/a', { 'x-secrets-token': 'root' })).toBe(504)
  })
})

describe('behaviour/program#faults: faults of a world', () => {
  test('are added, listed, read and deleted over HTTP', async () => {
    const understudy = await started()
    const created = await ask(understudy, 'POST', '/faults', { when: { nth: 1 }, action: failing })
    const fault = {
      id: 'f1',
      when: { nth: 1 },
      phase: 'before',
      action: failing,
      matched: 0,
      hits: 0,
      spent: false,
      preset: null,
    }
    expect([created.status, created.body]).toEqual([201, fault])
    expect((await ask(understudy, 'GET', '/faults')).body).toEqual({ faults: [fault] })
    expect((await ask(understudy, 'GET', '/faults/f1')).body).toEqual(fault)
    expect((await ask(understudy, 'GET', '/faults/f9')).status).toBe(404)
    const again = await ask(understudy, 'POST', '/faults', { id: 'f1', action: failing })
    expect(again.status).toBe(409)
    expect((await ask(understudy, 'DELETE', '/faults/f1')).status).toBe(204)
    expect((await ask(understudy, 'DELETE', '/faults/f1')).status).toBe(404)
    understudy.world().faults.add({ action: failing })
    expect((await ask(understudy, 'DELETE', '/faults')).status).toBe(204)
    expect(understudy.world().faults.list()).toEqual([])
  })

  test('belong to one world; a fork has copies with their counts', async () => {
    const understudy = await started()
    const other = understudy.createWorld({ id: 'w' })
    understudy.world().faults.add({ when: { nth: 2 }, action: failing })
    await understudy.inject(health)
    const fork = understudy.world().fork('copy')
    expect((await other.inject(health)).statusCode).toBe(200)
    expect((await fork.inject(health)).statusCode).toBe(503)
    expect([fork.faults.list()[0]?.matched, understudy.world().faults.list()[0]?.matched]).toEqual([
      2, 1,
    ])
  })

  test('are part of snapshots and reset, not of exports; an import leaves them', async () => {
    const understudy = await started()
    const world = understudy.world()
    const empty = world.snapshot()
    world.faults.add({ action: failing })
    const snapshot = world.snapshot()
    expect(JSON.stringify(world.state())).not.toContain('503')
    world.importState(world.state())
    expect(world.faults.list().length).toBe(1)
    world.restore(empty.id)
    expect(world.faults.list()).toEqual([])
    world.restore(snapshot.id)
    world.reset(['state', 'clock', 'ids', 'transitions'])
    expect(world.faults.list().length).toBe(1)
    world.reset(['faults'])
    expect(world.faults.list()).toEqual([])
    world.faults.add({ action: failing })
    world.reset()
    expect(world.faults.list()).toEqual([])
  })

  test('change no state: no index, no commit, no id', async () => {
    const understudy = await started()
    const world = understudy.world()
    const before = world.state()
    world.faults.add({ action: { latency: '0s' } })
    await understudy.inject(health)
    world.faults.clear()
    expect(world.state()).toEqual(before)
  })

  // choice/process#fault-status-text
  test('a status without a message has the message of each API', async () => {
    const understudy = await started()
    understudy.world().faults.add({ action: { status: 404 } })
    const urls = [health, '/api/v2/ping', '/v1/namespaces', '/v1/jobs']
    const replies = await Promise.all(urls.map((url) => understudy.inject(url)))
    expect(replies.map(({ statusCode, body }) => [statusCode, body])).toEqual([
      [404, '{"errors":[]}'],
      [404, '{"errors":[{"status":"404","title":"not found"}]}'],
      [404, 'Not Found'],
      [404, 'Not Found'],
    ])
  })

  test.each([
    [{}, '/action is missing'],
    [{ action: {} }, '/action must have an action'],
    [
      { action: { status: 503, reset: true } },
      '/action has status and reset, but must have only one of them',
    ],
    [{ action: { errors: ['x'] } }, '/action/errors requires a status'],
    [{ action: { status: 99 } }, '/action/status must be >= 200'],
    [
      { action: { latency: 'soon' } },
      '/action/latency must be a Go duration of at most 10m, such as 200ms',
    ],
    [{ action: { latency: { uniform: ['1ms', '11m'] } } }, '/action/latency/uniform/1 must be'],
    [{ action: { hang: 'x' } }, '/action/hang must be a Go duration'],
    [{ action: failing, times: 0 }, '/times must be >= 1'],
    [
      { action: failing, when: { nth: 1, every: 2 } },
      '/when has nth and every, but must have only one of them',
    ],
    [{ action: failing, when: { probability: 2 } }, '/when/probability must be <= 1'],
    [{ action: failing, when: { skip: -1 } }, '/when/skip must be >= 0'],
    [{ action: { truncate: 1 }, phase: 'before' }, '/phase cannot be before with truncate'],
    [{ action: failing, match: { path: '' } }, '/match/path must NOT have fewer than 1 characters'],
    [{ action: failing, match: { path: 'v1/jobs' } }, '/match/path must match pattern'],
    [{ action: failing, match: { path: '/v1/***' } }, '/match/path must match pattern'],
    [
      { action: failing, match: { headers: { a: { matches: '(' } } } },
      '/match/headers/a/matches cannot be read: error parsing regexp',
    ],
    [
      { action: { status: 500, headers: { 'a b': 'x' } } },
      '/action/headers/a b is not a header that can be sent',
    ],
    [
      { action: { status: 500, headers: { a: 'x\ny' } } },
      '/action/headers/a is not a header that can be sent',
    ],
    [{ action: failing, mode: 'x' }, '/mode is unknown'],
  ])('bad input is refused and leaves nothing: %j', async (body, text) => {
    const understudy = await started()
    const reply = await ask(understudy, 'POST', '/faults', body)
    expect([reply.status, reply.body.problems]).toEqual([
      400,
      expect.arrayContaining([expect.stringContaining(text)]),
    ])
    expect(understudy.world().faults.list()).toEqual([])
  })
})
