import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'

const callers = 60

async function served(clock: 'real' | 'frozen@2026-01-01T00:00:00Z' = 'real') {
  const understudy = await createUnderstudy({ seed: 'test', clock })
  onTestFinished(() => understudy.close())
  const origin = await understudy.listen()
  const ask = async (
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = { 'x-secrets-token': 'root' },
  ) => {
    const reply = await fetch(origin + path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = /^[{[]/.test(text)
    return { status: reply.status, body: isJson ? JSON.parse(text) : text }
  }
  return { running: understudy, ask }
}

/** Runs the work `times` times in parallel, and returns the number of replies by status. */
async function race(work: (at: number) => Promise<{ readonly status: number }>, times = callers) {
  const replies = await Promise.all(Array.from({ length: times }, (_, at) => work(at)))
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

describe('behaviour/program#worlds: each request is one transaction, also among concurrent requests', () => {
  test('concurrent requests with a token succeed exactly as often as its use limit (behaviour/secrets#token)', async () => {
    const { ask } = await served()
    const created = await ask('POST', '/v1/auth/token/create', {
      num_uses: 7,
      policies: ['default'],
    })
    const headers = { 'x-secrets-token': String(created.body.auth.client_token) }
    const lookUpToken = () => ask('GET', '/v1/auth/token/lookup-self', undefined, headers)
    expect(await race(lookUpToken)).toEqual({ 200: 7, 403: callers - 7 })
  })

  test('a wrapped response can be unwrapped only once (behaviour/secrets#wrapping)', async () => {
    const { ask } = await served()
    const wrap = { 'x-secrets-token': 'root', 'x-secrets-wrap-ttl': '60s' }
    const { body } = await ask('POST', '/v1/sys/wrapping/wrap', { a: 'b' }, wrap)
    const token = { 'x-secrets-token': String(body.wrap_info.token) }
    const unwrap = () => ask('POST', '/v1/sys/wrapping/unwrap', undefined, token)
    expect(await race(unwrap)).toEqual({ 200: 1, 400: callers - 1 })
  })

  test('concurrent shares of a rekey each count once, and one of them completes it', async () => {
    const { running: understudy, ask } = await served()
    const { services } = understudy.world().info('http://localhost') as unknown as {
      services: { secrets: { unsealKeys: string[]; threshold: number } }
    }
    const { unsealKeys, threshold } = services.secrets
    const begun = await ask('POST', '/v1/sys/rekey/init', { secret_shares: 3, secret_threshold: 2 })
    const { nonce } = begun.body
    const replies = await Promise.all(
      unsealKeys
        .slice(0, threshold)
        .map((key) => ask('POST', '/v1/sys/rekey/update', { nonce, key })),
    )
    expect(replies.map(({ status }) => status)).toEqual(Array(threshold).fill(200))
    expect(replies.filter(({ body }) => body.complete === true)).toHaveLength(1)
    expect((await ask('GET', '/v1/sys/rekey/init')).body.started).toBe(false)
  })

  test('of concurrent registrations that enforce one index, only one succeeds (behaviour/scheduler#jobs)', async () => {
    const { ask } = await served()
    const TaskGroups = [{ Name: 'g', Tasks: [{ Name: 't', Driver: 'mock_driver', Config: {} }] }]
    const register = (at: number, index: number) =>
      ask('PUT', '/v1/jobs', {
        Job: { ID: 'a', Name: 'a', Datacenters: ['dc1'], Priority: 1 + at, TaskGroups },
        EnforceIndex: true,
        JobModifyIndex: index,
      })
    expect(await race((at) => register(at, 0), 20)).toEqual({ 200: 1, 500: 19 })
    const { body } = await ask('GET', '/v1/job/a')
    expect(await race((at) => register(at + 30, body.JobModifyIndex), 20)).toEqual({
      200: 1,
      500: 19,
    })
    expect((await ask('GET', '/v1/job/a')).body.Version).toBe(1)
  })

  test('of concurrent cancellations of a test run, forced or not, only one ends it (behaviour/platform#cancel)', async () => {
    const { running: understudy, ask } = await served('frozen@2026-01-01T00:00:00Z')
    const token = { authorization: 'Bearer site-admin-token' }
    const runs =
      '/api/v2/organizations/example-org/tests/registry-modules/private/example-org/network/cloud1/test-runs'
    const version = await ask('POST', `${runs}/configuration-versions`, undefined, token)
    const upload = new URL(version.body.data.attributes['upload-url']).pathname
    expect((await ask('PUT', upload, {}, token)).status).toBe(200)
    understudy.world().clock.advance('1s')
    const [{ id }] = (await ask('GET', runs, undefined, token)).body.data
    const read = async () =>
      (await ask('GET', `${runs}/${id}`, undefined, token)).body.data.attributes
    expect((await read()).status).toBe('running')
    const forces: number[] = []
    const counts = await race(async (at) => {
      const isForced = at % 2 === 1
      const to = `${runs}/${id}/${isForced ? 'force-cancel' : 'cancel'}`
      const reply = await ask('POST', to, undefined, token)
      if (isForced) forces.push(reply.status)
      return reply
    })
    expect(Object.keys(counts)).toEqual(['202', '409'])
    // A forced cancellation is refused until a normal one has been requested. After that, the first
    // forced one ends the run.
    expect(forces.filter((status) => status === 202)).toHaveLength(1)
    expect((await read()).status).toBe('canceled')
    expect(await race(() => ask('POST', `${runs}/${id}/cancel`, undefined, token), 3)).toEqual({
      409: 3,
    })
  })

  test('a snapshot between concurrent writes contains only complete requests (behaviour/program#snapshots)', async () => {
    const { running: understudy, ask } = await served()
    const world = understudy.world()
    const write = (at: number) => ask('POST', `/v1/secret/data/k${at % 5}`, { data: { at } })
    const kept: string[] = []
    const [counts] = await Promise.all([
      race(async (at) => {
        const reply = await write(at)
        if (at % 10 === 0) kept.push(world.snapshot().id)
        return reply
      }),
      ask('POST', '/_mock/snapshots').then(({ body }) => kept.push(body.id)),
    ])
    expect(counts).toEqual({ 200: callers })
    const versions = async () => {
      const all = await Promise.all(
        [0, 1, 2, 3, 4].map((key) => ask('GET', `/v1/secret/metadata/k${key}`)),
      )
      return all.map(({ status, body }) => {
        if (status === 404) return 0
        const numbers = Object.keys(body.data.versions).map(Number)
        expect(body.data.current_version).toBe(Math.max(...numbers))
        return body.data.current_version as number
      })
    }
    const total = (counted: readonly number[]) => counted.reduce((sum, count) => sum + count, 0)
    for (const id of kept) {
      world.restore(id)
      const then = await versions()
      await race(write, 10)
      expect(total(await versions())).toBe(total(then) + 10)
    }
  })

  test('during its deletion, a world answers a request completely or does not exist (behaviour/program#worlds)', async () => {
    const { running: understudy, ask } = await served()
    understudy.createWorld({ id: 'w' })
    const readers = race(() => ask('GET', '/_world/w/v1/namespaces?index=99999&wait=60s'), 20)
    const writers = race(async (at) => {
      if (at === callers / 2) understudy.deleteWorld('w')
      return ask('POST', `/_world/w/v1/secret/data/k${at}`, { data: { at } })
    })
    const [read, written] = await Promise.all([readers, writers])
    expect(Object.keys(read).every((status) => ['200', '404'].includes(status))).toBe(true)
    expect(Object.keys(written).every((status) => ['200', '404'].includes(status))).toBe(true)
    expect((await ask('GET', '/_world/w/v1/namespaces')).status).toBe(404)
    expect((await ask('GET', '/v1/namespaces')).status).toBe(200)
    expect(understudy.worlds().map(({ id }) => id)).toEqual(['default'])
  })
})
