import nodeVault from 'node-vault'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createUnderstudy } from '../../../src/embedding/index.ts'
import { failure, refused } from '../secrets/node-vault-client.ts'

const dialects = ['neutral', 'vendor'] as const

/** Starts a server, and returns its world and clients of it. */
async function connect(dialect: 'neutral' | 'vendor') {
  const understudy = await createUnderstudy({
    dialect,
    seed: 'test',
    clock: 'frozen@2026-01-01T00:00:00Z',
  })
  onTestFinished(() => understudy.close())
  const endpoint = await understudy.listen()
  const as = (token: string) => nodeVault({ endpoint, token })
  const world = understudy.world()
  return { endpoint, as, client: as('root'), world, faults: world.faults, running: understudy }
}

/** Repeats a call that fails with one of these statuses, up to `tries` times in total. */
async function retryOn<T>(call: () => Promise<T>, statuses: readonly number[], tries = 6) {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await call()
    } catch (error) {
      const { response } = Object(error)
      if (left === 0 || !statuses.includes(response?.statusCode)) throw error
    }
  }
}

const secret = 'secret/data/app'
const write = (value: number, options = {}) => ({ data: { value }, ...options })
const value = (reply: { data: { data: { value: number } } }) => reply.data.data.value

describe.each(dialects)('behaviour/program#presets: node-vault under presets (%s)', (dialect) => {
  const prefix = dialect === 'vendor' ? 'X-Vault' : 'X-Secrets'

  test('secrets-index-behind: one request fails, but a retry or a request to the active node succeeds', async () => {
    const { endpoint, client, faults } = await connect(dialect)
    faults.preset('secrets-index-behind')
    const body = JSON.stringify(write(1))
    const headers = { 'X-Vault-Token': 'root' }
    const url = `${endpoint}/v1/${secret}`
    const written = await fetch(url, { method: 'POST', headers, body })
    const index = { [`${prefix}-Index`]: String(written.headers.get(`${prefix}-Index`)) }
    const read = (more = {}) => client.read(secret, { headers: { ...index, ...more } })
    expect(await failure(read())).toEqual(refused(412, 'required index state not present'))
    expect(value(await read({ [`${prefix}-Inconsistent`]: 'forward-active-node' }))).toBe(1)
    expect(value(await retryOn(() => read(), [412], 3))).toBe(1)
  })

  test('secrets-sealed: requests fail until the node is unsealed with the key shares', async () => {
    const { client, faults, world } = await connect(dialect)
    await client.write(secret, write(1))
    faults.preset('secrets-sealed')
    const { statusCode, body } = Object(await failure(client.read(secret))).response
    expect([statusCode, body.errors]).toEqual([503, [expect.stringMatching(/ is sealed$/)]])
    expect((await client.status()).sealed).toBe(true)
    const { unsealKeys, threshold } = world.info().services.secrets
    for (const key of unsealKeys.slice(0, threshold)) await client.unseal({ key })
    expect(value(await client.read(secret))).toBe(1)
    faults.endPreset('secrets-sealed')
    expect(value(await client.read(secret))).toBe(1)
  })

  test('secrets-standby: only the status looks unhealthy; the body and standbyok show a standby', async () => {
    const { endpoint, client, faults } = await connect(dialect)
    faults.preset('secrets-standby')
    const health = `${endpoint}/v1/sys/health`
    expect((await fetch(health)).ok).toBe(false)
    expect(await client.health()).toMatchObject({ initialized: true, sealed: false, standby: true })
    expect((await fetch(`${health}?standbyok=true`)).status).toBe(200)
    await client.write(secret, write(1))
    expect(value(await client.read(secret))).toBe(1)
    faults.preset('secrets-standby', { performance: true })
    expect((await fetch(`${health}?standbyok=true`)).status).toBe(473)
    expect((await fetch(`${health}?perfstandbyok=true`)).status).toBe(200)
  })

  test('secrets-dr-secondary: requests fail on the node whose health reports a DR secondary, but succeed on another', async () => {
    const { client, faults, running: understudy } = await connect(dialect)
    const other = understudy.world().fork('other')
    await client.write(secret, write(1))
    faults.preset('secrets-dr-secondary')
    expect(await failure(client.read(secret))).toEqual(
      refused(400, 'path disabled in replication DR secondary mode'),
    )
    expect((await client.health()).replication_dr_mode).toBe('secondary')
    const otherClient = nodeVault({ endpoint: String(other.url), token: 'root' })
    expect((await otherClient.health()).replication_dr_mode).toBe('disabled')
    await otherClient.write(secret, write(2))
    expect(value(await otherClient.read(secret))).toBe(2)
  })

  test('secrets-kv-upgrading: requests fail at first, but succeed after a while', async () => {
    const { client, faults, world } = await connect(dialect)
    await client.write(secret, write(1))
    faults.preset('secrets-kv-upgrading', { duration: '3s' })
    expect(Object(await failure(client.read(secret))).response.statusCode).toBe(400)
    const waiting = () => {
      world.clock.advance('1s')
      return client.read(secret)
    }
    expect(value(await retryOn(waiting, [400]))).toBe(1)
  })

  test('secrets-rate-limited: one request fails, but a retry succeeds', async () => {
    const { client, faults } = await connect(dialect)
    faults.preset('secrets-rate-limited')
    const text = 'request path "secret/data/app": rate limit quota exceeded'
    expect(await failure(client.write(secret, write(1)))).toEqual(refused(429, text))
    await retryOn(() => client.write(secret, write(2)), [429], 5)
    expect(value(await client.read(secret))).toBe(2)
  })

  test('secrets-lease-lost: renewing the lease fails, but requesting a new one succeeds', async () => {
    const { client, faults } = await connect(dialect)
    const credentials = await orchestrated(client, dialect)
    const { lease_id } = await credentials()
    faults.preset('secrets-lease-lost')
    const look = (id: string) => client.write('sys/leases/lookup', { lease_id: id })
    expect(await failure(look(lease_id))).toEqual(refused(400, 'invalid lease'))
    const { lease_id: next } = await credentials()
    expect((await look(next)).data.id).toBe(next)
  })

  test('secrets-orchestrator-down: new credentials fail, but existing ones stay valid', async () => {
    const { client, faults } = await connect(dialect)
    const credentials = await orchestrated(client, dialect)
    const { lease_id } = await credentials()
    faults.preset('secrets-orchestrator-down')
    const { statusCode } = Object(await failure(credentials())).response
    expect(statusCode).toBe(dialect === 'vendor' ? 500 : 502)
    expect((await client.write('sys/leases/lookup', { lease_id })).data.id).toBe(lease_id)
    faults.endPreset('secrets-orchestrator-down')
    expect((await credentials()).lease_id).not.toBe(lease_id)
  })

  test('any-reset-after-commit: a blind retry writes twice, but a retry with cas does not', async () => {
    const { client, faults } = await connect(dialect)
    const send = (options = {}) => client.write(secret, write(1, options))
    faults.preset('any-reset-after-commit')
    expect(await failure(send())).toMatchObject({ code: 'ECONNRESET' })
    expect((await send()).data.version).toBe(2)
    faults.endPreset('any-reset-after-commit')
    faults.preset('any-reset-after-commit')
    const checked = { options: { cas: 2 } }
    expect(await failure(send(checked))).toMatchObject({ code: 'ECONNRESET' })
    expect(await failure(send(checked))).toEqual(
      refused(400, 'check-and-set parameter did not match the current version'),
    )
    expect((await client.read(secret)).data.metadata.version).toBe(3)
  })

  test('any-slow: a client with a short timeout receives no answer', async () => {
    const { endpoint, client, faults } = await connect(dialect)
    await client.write(secret, write(1))
    faults.preset('any-slow', { latency: '300ms' })
    const impatientClient = nodeVault({ endpoint, token: 'root', requestOptions: { timeout: 20 } })
    expect(await failure(impatientClient.read(secret))).toMatchObject({ code: 'ECONNABORTED' })
    expect(value(await client.read(secret))).toBe(1)
  })

  test('any-unavailable: one request fails, but a retry succeeds', async () => {
    const { client, faults } = await connect(dialect)
    faults.preset('any-unavailable')
    expect(await failure(client.write(secret, write(1)))).toEqual(refused(503))
    await retryOn(() => client.write(secret, write(2)), [503], 5)
    expect(value(await client.read(secret))).toBe(2)
  })

  test('any-truncated: the answer is unusable, but the write is done', async () => {
    const { client, faults } = await connect(dialect)
    faults.preset('any-truncated', { answers: 1, bytes: 5 })
    await expect(client.write(secret, write(1))).rejects.toThrow('aborted')
    expect((await client.read(secret)).data.metadata.version).toBe(1)
  })
})

/** Sets up the engine `orch`, and returns a function that requests credentials. */
async function orchestrated(
  client: ReturnType<typeof nodeVault>,
  dialect: 'neutral' | 'vendor',
): Promise<() => Promise<{ lease_id: string }>> {
  const orch = dialect === 'vendor' ? 'kubernetes' : 'orch'
  await client.write(`${orch}/config`, {
    [`${orch}_host`]: 'https://orch.test',
    service_account_jwt: 'jwt',
    disable_local_ca_jwt: true,
  })
  await client.write(`${orch}/roles/reader`, {
    [`allowed_${orch}_namespaces`]: ['*'],
    service_account_name: 'reader',
  })
  return () => client.write(`${orch}/creds/reader`, { [`${orch}_namespace`]: 'default' })
}
