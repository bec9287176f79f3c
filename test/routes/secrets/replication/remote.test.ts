import { describe, expect, test } from 'vitest'
import { secretsApi } from '../../../../routes/secrets/index.ts'
import { buildApp } from '../../../../src/server/app.ts'
import { kv1Secrets } from '../../../../state/secrets/kv/v1.ts'
import {
  activationToken,
  type Cluster,
  dr,
  follow,
  promote,
  recordWrittenKeys,
  updatePrimary,
  waitForConnection,
  waitForSync,
  waitUntil,
} from '../../../support/secrets/replication.ts'
import { networkInFrontOf, servedCluster } from '../../../support/secrets/served-cluster.ts'
import { multierrorReply, statusAndBody } from '../replies.ts'

const refused = multierrorReply(
  400,
  'error response unwrapping secondary token; status code is 400, message is "400 Bad Request"',
)
const enable = ({ secrets }: Cluster, token: string, more: object = {}) =>
  secrets.post(`${dr}/secondary/enable`, { token, ...more })

/** Starts two processes in sync, with one secret. */
async function clusterPair() {
  const [primary, secondary] = [await servedCluster(), await servedCluster({ seed: 'other' })]
  await primary.secrets.post('kv/a', { x: 1 })
  await follow(primary, secondary)
  return { primary, secondary }
}

const keysOf = async ({ secrets }: Cluster) => (await secrets.list('kv')).body.data?.keys

describe('behaviour/program#clusters: DR replication between processes over HTTP', () => {
  test('the whole story: follow, promote, demote, rejoin', async () => {
    const primary = await servedCluster()
    const secondary = await servedCluster({ seed: 'other' })
    await primary.secrets.post('secret/data/app', { data: { x: 1 } })
    await follow(primary, secondary)
    const ours = await primary.status()
    const port = (url: string, more = 0) => Number(new URL(url).port) + more
    const address = `https://127.0.0.1:${port(primary.url, 1)}`
    expect(await secondary.status()).toEqual({
      cluster_id: ours.cluster_id,
      connection_state: 'ready',
      known_primary_cluster_addrs: [address],
      last_remote_wal: ours.last_wal,
      merkle_root: ours.merkle_root,
      mode: 'secondary',
      primaries: [
        {
          api_address: primary.url,
          cluster_address: address,
          connection_status: 'connected',
          last_heartbeat: '2026-01-01T00:00:00Z',
        },
      ],
      primary_cluster_addr: address,
      secondary_id: 'east',
      state: 'stream-wals',
    })
    expect(ours.secondaries).toEqual([
      {
        api_address: secondary.url,
        cluster_address: `https://127.0.0.1:${port(secondary.url, 1)}`,
        connection_status: 'connected',
        last_heartbeat: '2026-01-01T00:00:00Z',
        node_id: expect.any(String),
      },
    ])
    await primary.secrets.post('kv/later', { x: 2 })
    await waitForSync(primary, secondary)
    expect((await promote(secondary)).status).toBe(200)
    expect((await secondary.secrets.get('kv/later')).body.data).toEqual({ x: 2 })
    expect((await secondary.secrets.get('secret/data/app')).body.data.data).toEqual({ x: 1 })
    await waitUntil(async () => {
      return (await primary.status()).secondaries[0].connection_status === 'disconnected'
    })

    await secondary.secrets.post('kv/newer', { x: 3 })
    await primary.secrets.post(`${dr}/primary/demote`)
    await updatePrimary(primary, await activationToken(secondary, 'old'))
    await waitForSync(secondary, primary)
    await promote(primary)
    expect(await keysOf(primary)).toEqual(['later', 'newer'])
  })

  test('between other worlds than the default ones: the address has the prefix', async () => {
    const primary = await servedCluster({}, 'blue')
    const secondary = await servedCluster({ seed: 'other' }, 'green')
    expect(primary.url).toMatch(/\/_world\/blue$/)
    await primary.secrets.post('kv/a', { x: 1 })
    await follow(primary, secondary)
    expect((await secondary.status()).primaries[0].api_address).toBe(primary.url)
    expect((await primary.status()).secondaries[0].api_address).toBe(secondary.url)
    await promote(secondary)
    expect(await keysOf(secondary)).toEqual(['a'])
  })

  test('a secondary receives many rows, long rows and every kind of text', async () => {
    const primary = await servedCluster()
    const secondary = await servedCluster({ seed: 'other' })
    await primary.secrets.post('kv/text', { a: 'line\nline\u2028\u0000"\\ ünïcödé 😀' })
    await primary.secrets.post('kv/long', { a: 'é'.repeat(2_000_000) })
    const [[key = '', row] = []] = [...primary.world.table(kv1Secrets).entries()]
    primary.world.write(() => {
      for (let at = 0; at < 3_000; at++) {
        if (row) primary.world.table(kv1Secrets).put(`${key}-${at}`, { data: '{"x":1}', ttl: null })
      }
    })
    await follow(primary, secondary)
    await primary.secrets.post('kv/long-too', { a: 'é'.repeat(2_000_000) })
    await waitForSync(primary, secondary)
    const rows = ({ world }: Cluster) => [...world.table(kv1Secrets).entries()]
    expect(rows(secondary)).toEqual(rows(primary))
    expect((await secondary.status()).merkle_root).toBe((await primary.status()).merkle_root)
  })

  test.each(['vendor', 'neutral'] as const)(
    'a primary of dialect %s that asks for the request header',
    async (dialect) => {
      const secrets = { require_request_header: true }
      const header = { headers: { 'x-secrets-request': 'true' } }
      const primary = await servedCluster({ dialect, secrets })
      const secondary = await servedCluster({ seed: 'other' })
      await primary.secrets.post(`${dr}/primary/enable`, {}, header)
      const { body } = await primary.secrets.post(
        `${dr}/primary/secondary-token`,
        { id: 'east' },
        header,
      )
      expect((await enable(secondary, body.wrap_info.token)).status).toBe(200)
      await waitForConnection(secondary, 'ready')
    },
  )
})

describe('behaviour/secrets#activation-tokens: activation tokens over HTTP', () => {
  test('used, expired, revoked, tampered and foreign tokens are refused', async () => {
    const primary = await servedCluster()
    const secondary = await servedCluster({ seed: 'other' })
    const otherCluster = await servedCluster({ seed: 'stranger' })
    const used = await activationToken(primary, 'used')
    await primary.secrets.post('sys/wrapping/unwrap', { token: used })
    const revoked = await activationToken(primary, 'revoked')
    await primary.secrets.post(`${dr}/primary/revoke-secondary`, { id: 'revoked' })
    const expired = await activationToken(primary, 'expired', { ttl: '1s' })
    primary.world.advance(1_000)
    const good = await activationToken(primary, 'good')
    const tampered = `${good.slice(0, -8)}${good.slice(-8).split('').reverse().join('')}`
    for (const token of [used, revoked, expired, tampered]) {
      expect(statusAndBody(await enable(secondary, token))).toEqual(refused)
    }
    const elsewhere = { primary_api_addr: otherCluster.url }
    expect(statusAndBody(await enable(secondary, good, elsewhere))).toEqual(refused)
    expect(await secondary.status()).toEqual({ mode: 'disabled' })
    expect((await primary.status()).known_secondaries).toEqual([])
    expect((await enable(secondary, good)).status).toBe(200)
    await waitForSync(primary, secondary)
  })

  test('a secondary on another server cannot join a sealed primary', async () => {
    const primary = await servedCluster()
    const secondary = await servedCluster({ seed: 'other' })
    const token = await activationToken(primary)
    await primary.secrets.post('sys/seal')
    expect(statusAndBody(await enable(secondary, token))).toEqual(
      multierrorReply(
        502,
        'error response unwrapping secondary token; status code is 503, message is "503 Service Unavailable"',
      ),
    )
  })

  test('encrypted to a public key: single use, and only there', async () => {
    const primary = await servedCluster()
    const secondary = await servedCluster({ seed: 'other' })
    const otherCluster = await servedCluster({ seed: 'stranger' })
    const key = (await secondary.secrets.post(`${dr}/secondary/generate-public-key`)).body.data
    const token = await activationToken(primary, 'east', key)
    expect(statusAndBody(await enable(otherCluster, token))).toEqual(refused)
    const keyAgain = (await secondary.secrets.post(`${dr}/secondary/generate-public-key`)).body
    expect(keyAgain.data).not.toEqual(key)
    const replies = await Promise.all([enable(secondary, token), enable(secondary, token)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
    expect(replies.map(statusAndBody)).toContainEqual(refused)
    await waitForSync(primary, secondary)
  })

  test('of two processes with one token only one joins', async () => {
    const primary = await servedCluster()
    const others = [await servedCluster({ seed: 'b' }), await servedCluster({ seed: 'c' })]
    const token = await activationToken(primary)
    const replies = await Promise.all(others.map((other) => enable(other, token)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
    expect((await primary.status()).known_secondaries).toEqual(['east'])
  })

  test('a join that is under way is refused when the cluster becomes a primary', async () => {
    const primary = await servedCluster()
    const other = await servedCluster({ seed: 'other' })
    const token = await activationToken(primary)
    const joining = enable(other, token)
    const became = await other.secrets.post(`${dr}/primary/enable`)
    const joined = await joining
    expect([became.status, joined.status].sort()).toEqual([200, 400])
    expect((await other.status()).mode).toBe(became.status === 200 ? 'primary' : 'secondary')
  })
})

describe('behaviour/secrets#replication: links over HTTP', () => {
  test('a network failure shows, and the feed makes up for it', async () => {
    const primary = await servedCluster()
    const secondary = await servedCluster({ seed: 'other' })
    const network = await networkInFrontOf(primary)
    await primary.secrets.post('kv/still', { x: 1 })
    const token = await activationToken(primary)
    await enable(secondary, token, { primary_api_addr: network.url })
    await waitForSync(primary, secondary)
    expect((await secondary.status()).primaries[0].api_address).toBe(network.url)
    const changedRows = recordWrittenKeys(secondary, kv1Secrets)
    network.disconnect()
    await waitForConnection(secondary, 'transient_failure')
    await waitUntil(async () => {
      return (await primary.status()).secondaries[0].connection_status === 'disconnected'
    })
    await primary.secrets.post('kv/missed', { x: 1 })
    network.restore()
    await waitForSync(primary, secondary)
    expect(changedRows.size).toBe(1)
    expect([...changedRows].every((key) => key.endsWith('missed'))).toBe(true)
  })

  test('a secondary reconnects after the primary restarts, without and with its worlds', async () => {
    const { primary, secondary } = await clusterPair()
    const port = Number(new URL(primary.url).port)
    const startedAt = performance.now()
    await primary.app.close()
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    await waitForConnection(secondary, 'transient_failure')
    primary.world.write(() => primary.world.table(kv1Secrets).deleteAll(''))
    const again = buildApp({
      worlds: primary.app.worlds,
      apis: [secretsApi({ dialect: 'neutral' })],
      log: false,
    })
    await again.listen({ host: '127.0.0.1', port })
    await waitForSync(primary, secondary)
    expect([...secondary.world.table(kv1Secrets).rows()]).toEqual([])
    await again.close()
    await waitForConnection(secondary, 'transient_failure')
    expect((await promote(secondary)).status).toBe(200)
  })

  test('a revoked secondary does not reconnect', async () => {
    const { primary, secondary } = await clusterPair()
    await primary.secrets.post(`${dr}/primary/revoke-secondary`, { id: 'east' })
    await waitForConnection(secondary, 'transient_failure')
    await primary.secrets.post('kv/b', { x: 1 })
    expect((await primary.status()).secondaries).toEqual([])
    await promote(secondary)
    expect(await keysOf(secondary)).toEqual(['a'])
  })

  test('both sides close promptly, in either order, while the stream is open', async () => {
    for (const first of ['primary', 'secondary'] as const) {
      const sides = await clusterPair()
      const startedAt = performance.now()
      await sides[first].app.close()
      await sides[first === 'primary' ? 'secondary' : 'primary'].app.close()
      expect(performance.now() - startedAt).toBeLessThan(2_000)
    }
  })
})
