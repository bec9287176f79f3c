import { describe, expect, test } from 'vitest'
import { indexState } from '../../../../state/secrets/index-state.ts'
import { servedSecrets, type TestSettings } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'

const behind = error(412, 'required index state not present')
const header = 'x-secrets-index'
const on: TestSettings = { secrets: { indexHeaders: true } }

describe('behaviour/secrets#index-headers: replies', () => {
  // choice/secrets#index-header-when
  test('off by default: neither sent nor read', async () => {
    const { secrets } = await servedSecrets()
    const writeReply = await secrets.post('kv/a', { x: 1 })
    expect(writeReply.headers).not.toHaveProperty(header)
    const reply = await secrets.get('kv/a', { headers: { [header]: 'nonsense' } })
    expect(reply.status).toBe(200)
  })

  // choice/secrets#index-header-when
  test('the community edition sends no index headers', async () => {
    const { secrets } = await servedSecrets({
      secrets: { indexHeaders: true, edition: 'community' },
    })
    const writeReply = await secrets.post('kv/a', { x: 1 })
    expect(writeReply.headers).not.toHaveProperty(header)
    expect((await secrets.get('kv/a', { headers: { [header]: 'nonsense' } })).status).toBe(200)
  })

  // choice/secrets#index-header-when
  test('writes return it, reads and refused writes do not', async () => {
    const { secrets, world } = await servedSecrets(on)
    const writeReply = await secrets.post('kv/a', { x: 1 })
    expect([writeReply.status, writeReply.headers[header]]).toEqual([204, indexState(world)])
    const versioned = await secrets.post('secret/data/a', { data: { x: 1 } })
    expect([versioned.status, versioned.headers[header]]).toEqual([200, indexState(world)])
    expect(versioned.headers[header]).not.toBe(writeReply.headers[header])
    const deleted = await secrets.delete('kv/a')
    expect(deleted.headers[header]).toBe(indexState(world))
    for (const reply of [
      await secrets.get('secret/data/a'),
      await secrets.get('kv/none'),
      await secrets.list('kv'),
      await secrets.get('sys/health'),
      await secrets.post('kv/a', {}),
      await secrets.post('kv/a', { x: 1 }, { token: 'wrong' }),
    ]) {
      expect(reply.headers).not.toHaveProperty(header)
    }
  })

  // choice/secrets#index-header-when
  test('a wrapped reply also counts as a write', async () => {
    const { secrets, world } = await servedSecrets(on)
    const reply = await secrets.get('sys/mounts', { headers: { 'x-secrets-wrap-ttl': '60' } })
    expect(reply.headers[header]).toBe(indexState(world))
  })

  // choice/secrets#index-header-when
  test('the use of a limited token also counts as a write', async () => {
    const { secrets, as, world } = await servedSecrets(on)
    const { auth } = (await secrets.post('auth/token/create', { num_uses: 5 })).body
    const reply = await as(auth.client_token).get('sys/mounts')
    expect([reply.status, reply.headers[header]]).toEqual([200, indexState(world)])
  })

  test('the header is base64 of v1, cluster, two indexes and a MAC', async () => {
    const { secrets } = await servedSecrets(on)
    const text = String((await secrets.post('kv/a', { x: 1 })).headers[header])
    const { cluster_id } = (await secrets.get('sys/health')).body
    expect(Buffer.from(text, 'base64').toString()).toMatch(
      new RegExp(`^v1:${cluster_id}:\\d+:\\d+:[0-9a-f]{64}$`),
    )
  })

  test('the vendor dialect has its own header name', async () => {
    const { secrets, world } = await servedSecrets({ ...on, dialect: 'vendor' })
    const { headers } = await secrets.post('kv/a', { x: 1 })
    expect([headers['x-vault-index'], headers[header]]).toEqual([indexState(world), undefined])
  })
})

describe('behaviour/secrets#index-headers: requests', () => {
  test('an index of this state is met', async () => {
    const { secrets } = await servedSecrets(on)
    const writeReply = await secrets.post('kv/a', { x: 1 })
    for (const name of [header, 'x-vault-index']) {
      const headers = { [name]: String(writeReply.headers[header]) }
      expect((await secrets.get('kv/a', { headers })).status).toBe(200)
    }
  })

  test('after a snapshot is restored the state of before is missing: 412, until it is there', async () => {
    const { secrets, world } = await servedSecrets(on)
    await secrets.post('kv/a', { x: 1 })
    const snapshot = world.snapshot()
    const writeReply = await secrets.post('kv/a', { x: 2 })
    const headers = { [header]: String(writeReply.headers[header]) }
    world.restore(snapshot)
    expect(statusAndBody(await secrets.get('kv/a', { headers }))).toEqual(behind)
    expect(statusAndBody(await secrets.post('kv/b', { x: 1 }, { headers }))).toEqual(behind)
    expect(statusAndBody(await secrets.get('kv/b'))).toEqual(error(404))
    await secrets.post('kv/a', { x: 2 })
    expect((await secrets.get('kv/a', { headers })).body.data).toEqual({ x: 2 })
  })

  test('X-Secrets-Inconsistent: forward-active-node serves the current data', async () => {
    const { secrets, world } = await servedSecrets(on)
    await secrets.post('kv/a', { x: 1 })
    const snapshot = world.snapshot()
    const writeReply = await secrets.post('kv/a', { x: 2 })
    world.restore(snapshot)
    const headers = { [header]: String(writeReply.headers[header]) }
    for (const name of ['x-secrets-inconsistent', 'x-vault-inconsistent']) {
      const forward = { ...headers, [name]: 'forward-active-node' }
      expect((await secrets.get('kv/a', { headers: forward })).body.data).toEqual({ x: 1 })
      for (const value of ['fail', '', 'true', 'Forward-Active-Node']) {
        const other = { ...headers, [name]: value }
        expect(statusAndBody(await secrets.get('kv/a', { headers: other }))).toEqual(behind)
      }
    }
  })

  // choice/secrets#index-header-checks
  test('of several indexes all must be met', async () => {
    const { secrets, world } = await servedSecrets(on)
    const first = String((await secrets.post('kv/a', { x: 1 })).headers[header])
    const snapshot = world.snapshot()
    const second = String((await secrets.post('kv/a', { x: 2 })).headers[header])
    world.restore(snapshot)
    const ask = async (value: string) =>
      (await secrets.get('kv/a', { headers: { [header]: value } })).status
    expect(await ask(first)).toBe(200)
    expect(await ask(`${first}, ${first}`)).toBe(200)
    expect(await ask(`${first}, ${second}`)).toBe(412)
    expect(await ask(`${second},${first}`)).toBe(412)
    const headers = { [header]: first, 'x-vault-index': second }
    expect((await secrets.get('kv/a', { headers })).status).toBe(412)
  })

  // choice/secrets#index-header-checks
  test('a tampered header and one of another cluster are 400', async () => {
    const { secrets } = await servedSecrets(on)
    const other = await servedSecrets({ ...on, seed: 'other' })
    const foreign = String((await other.secrets.post('kv/a', { x: 1 })).headers[header])
    const own = String((await secrets.post('kv/a', { x: 1 })).headers[header])
    const changed = Buffer.from(own, 'base64').toString().replace(/:\d+:/, ':0:')
    for (const [value, why] of [
      [foreign, 'invalid state header HMAC (mismatch)'],
      [Buffer.from(changed).toString('base64'), 'invalid state header HMAC (mismatch)'],
      ['%', 'illegal base64 data at input byte 0'],
      [Buffer.from('v1').toString('base64'), 'invalid full state header format'],
    ] as const) {
      const headers = { [header]: value }
      expect(statusAndBody(await secrets.get('kv/a', { headers }))).toEqual(error(400, why))
    }
  })

  // choice/secrets#index-header-checks
  test('the header is checked after seal and closing slash, before namespace and token', async () => {
    const { secrets, world } = await servedSecrets(on)
    const snapshot = world.snapshot()
    const writeReply = await secrets.post('kv/a', { x: 1 })
    world.restore(snapshot)
    const headers = { [header]: String(writeReply.headers[header]), 'x-secrets-namespace': 'none' }
    expect(statusAndBody(await secrets.get('kv/a', { headers, token: null }))).toEqual(behind)
    expect(statusAndBody(await secrets.post('kv/a/', { x: 1 }, { headers }))).toEqual(
      error(400, "cannot write to a path ending in '/'"),
    )
    const { [header]: index } = headers
    expect((await secrets.get('sys/health', { headers: { [header]: index } })).status).toBe(200)
    await secrets.post('sys/seal')
    expect(statusAndBody(await secrets.get('kv/a', { headers }))).toEqual(
      error(503, 'Service is sealed'),
    )
  })

  test('without the header nothing changes', async () => {
    const { secrets } = await servedSecrets(on)
    expect(statusAndBody(await secrets.post('kv/a', { x: 1 }))).toEqual(noContent)
    expect(statusAndBody(await secrets.get('sys/none'))).toEqual(
      multierrorReply(404, 'unsupported path'),
    )
  })
})
