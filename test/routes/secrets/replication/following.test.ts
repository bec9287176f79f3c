import { describe, expect, test } from 'vitest'
import { registerLease } from '../../../../state/secrets/leases/leases.ts'
import { rootNamespace } from '../../../../state/secrets/namespaces/namespaces.ts'
import { unsealKeys } from '../../../../state/secrets/seal/seal.ts'
import { secretsInfo } from '../../../../state/secrets/service.ts'
import { requireUsableToken } from '../../../../state/secrets/tokens/tokens.ts'
import {
  type Cluster,
  dr,
  follow,
  forceNode,
  promote,
  twoClusters,
  waitForConnection,
  waitForSync,
  waitUntil,
} from '../../../support/secrets/replication.ts'
import { SecretsClient, testTime } from '../../../support/secrets/secrets.ts'
import { error, noContent, statusAndBody } from '../replies.ts'

const denied = error(403, 'permission denied')
const day = 86_400_000

/** Creates data of each kind in a cluster and returns the tokens and leases. */
async function fillCluster({ secrets, world }: Cluster) {
  await secrets.post('kv/app/one', { user: 'ada' })
  await secrets.post('secret/data/app/db', { data: { version: 1 } })
  await secrets.post('secret/data/app/db', { data: { version: 2 } })
  await secrets.post('secret/metadata/app/db', { custom_metadata: { owner: 'ops' } })
  await secrets.post('sys/mounts/team', { type: 'kv', options: { version: '1' } })
  await secrets.post('team/plan', { step: 1 })
  const policy = 'path "team/*" { capabilities = ["read", "update", "create"] }'
  await secrets.post('sys/policies/acl/team', { policy })
  await secrets.post('sys/policies/password/short', {
    policy: 'length = 8\nrule "charset" { charset = "ab" }',
  })
  await secrets.post('sys/namespaces/unit')
  await secrets.post('unit/sys/mounts/box', { type: 'kv', options: { version: '1' } })
  await secrets.post('unit/box/inside', { deep: true })
  await secrets.post('orch/config', { orch_host: 'https://orch.example' })
  const { id } = registerLease(world, {
    namespace: rootNamespace,
    path: 'orch/creds/reader',
    token: requireUsableToken(world, 'root'),
    renewable: true,
    ttl: 3600,
  })
  const created = await secrets.post('auth/token/create', { policies: ['team'], ttl: '24h' })
  return { token: String(created.body.auth.client_token), lease: id }
}

/** Reads the data of `fillCluster` as a client of either cluster. */
async function readContents({ secrets }: Cluster, lease: string) {
  const read = async (path: string) => (await secrets.get(path)).body
  return {
    one: (await read('kv/app/one')).data,
    db: (await read('secret/data/app/db')).data,
    first: (await read('secret/data/app/db?version=1')).data,
    metadata: (await read('secret/metadata/app/db')).data,
    plan: (await read('team/plan')).data,
    mounts: (await read('sys/mounts')).data,
    auth: (await read('sys/auth')).data,
    policy: (await read('sys/policies/acl/team')).data,
    password: await read('sys/policies/password/short'),
    namespaces: (await secrets.list('sys/namespaces')).body.data,
    inside: (await read('unit/box/inside')).data,
    accessors: (await secrets.list('auth/token/accessors')).body.data,
    lease: (await secrets.post('sys/leases/lookup', { lease_id: lease })).body.data,
    orch: (await read('orch/config')).data,
    term: (await read('sys/key-status')).data.term,
  }
}

describe('behaviour/secrets#replication', () => {
  test.each(['before, with the snapshot', 'after, with the feed'])(
    'data that the primary got %s are available after promotion',
    async (when) => {
      const { first, second } = await twoClusters()
      if (when.startsWith('after')) await follow(first, second)
      const { token, lease } = await fillCluster(first)
      if (when.startsWith('before')) await follow(first, second)
      else await waitForSync(first, second)
      const expected = await readContents(first, lease)
      expect(expected).toMatchObject({ inside: { deep: true }, lease: { id: lease, ttl: 3600 } })
      await promote(second)
      expect(await readContents(second, lease)).toEqual(expected)
      const client = (text: string) =>
        second.secrets.request({
          method: 'POST',
          path: 'team/plan',
          payload: { step: 2 },
          token: text,
        })
      expect(statusAndBody(await client(token))).toEqual(noContent)
      expect((await second.secrets.get('team/plan')).body.data).toEqual({ step: 2 })
      // There are two clusters now: the old primary does not see the write.
      expect((await first.secrets.get('team/plan')).body.data).toEqual({ step: 1 })
    },
  )

  test('old tokens of the secondary are revoked, regardless of their ids', async () => {
    const { first, second, app } = await twoClusters()
    const created = await second.secrets.post('auth/token/create', { policies: ['default'] })
    const old = new SecretsClient(app, created.body.auth.client_token, second.world.id)
    expect((await old.get('auth/token/lookup-self')).status).toBe(200)
    await follow(first, second)
    await promote(second)
    expect(statusAndBody(await old.get('auth/token/lookup-self'))).toEqual(denied)
  })

  test('tokens of the primary are valid after a promotion, and those of the secondary are not', async () => {
    const { first, addCluster: more } = await twoClusters()
    const other = more('other')
    await first.secrets.post('auth/token/create', { id: 'only-here' })
    await other.secrets.post('auth/token/create', { id: 'only-there' })
    await follow(first, other)
    await promote(other)
    const status = async (text: string) =>
      (await other.secrets.get('auth/token/lookup-self', { token: text })).status
    expect([await status('only-here'), await status('only-there')]).toEqual([200, 403])
  })

  test('a secondary takes over the key shares and the cluster id of its primary', async () => {
    const { first, second } = await twoClusters()
    const [ours, theirs] = [unsealKeys(first.world), unsealKeys(second.world)]
    expect(ours.keys).not.toEqual(theirs.keys)
    const { cluster_id } = (await first.secrets.get('sys/health')).body
    await follow(first, second)
    expect(secretsInfo(second.world)).toEqual(secretsInfo(first.world))
    expect((await second.secrets.get('sys/health')).body.cluster_id).toBe(cluster_id)
    forceNode(second, 'sealed')
    const unseal = async (keys: readonly string[]) => {
      for (const key of keys) await second.secrets.post('sys/unseal', { key }, { token: null })
      return (await second.secrets.get('sys/seal-status', { token: null })).body
    }
    expect((await unseal(theirs.keys.slice(0, 3))).sealed).toBe(true)
    expect(await unseal(ours.keys.slice(2))).toMatchObject({ sealed: false, cluster_id })
    await waitForSync(first, second)
  })

  // choice/secrets#replication-sealed
  test('a sealed secondary is `shutdown` and catches up once it is unsealed', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    forceNode(second, 'sealed')
    await waitUntil(
      async () => (await first.status()).secondaries[0].connection_status !== 'connected',
    )
    expect(statusAndBody(await second.secrets.get(`${dr}/status`))).toEqual(
      error(503, 'Service is sealed'),
    )
    await first.secrets.post('kv/meanwhile', { x: 1 })
    for (const key of unsealKeys(first.world).keys.slice(0, 3)) {
      await second.secrets.post('sys/unseal', { key })
    }
    await waitForSync(first, second)
    await promote(second)
    expect((await second.secrets.get('kv/meanwhile')).body.data).toEqual({ x: 1 })
  })

  // choice/secrets#replication-sealed
  test('a sealed primary sends nothing, and continues once it is unsealed', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    await first.secrets.post('sys/seal')
    await waitForConnection(second, 'transient_failure')
    expect((await second.status()).primaries).toMatchObject([
      { connection_status: 'disconnected', last_heartbeat: '2026-01-01T00:00:00Z' },
    ])
    for (const key of unsealKeys(first.world).keys.slice(0, 3)) {
      await first.secrets.post('sys/unseal', { key })
    }
    await waitForSync(first, second)
    await first.secrets.post('kv/after', { x: 1 })
    await waitForSync(first, second)
  })

  test('new shares of the primary reach the secondary (rekey)', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    const { body } = await first.secrets.post('sys/rekey/init', {
      secret_shares: 1,
      secret_threshold: 1,
    })
    for (const key of unsealKeys(first.world).keys.slice(0, 3)) {
      await first.secrets.post('sys/rekey/update', { key, nonce: body.nonce })
    }
    await waitForSync(first, second)
    const { keys } = unsealKeys(first.world)
    expect(keys).toHaveLength(1)
    forceNode(second, 'sealed')
    await second.secrets.post('sys/unseal', { key: keys[0] })
    await waitForSync(first, second)
  })
})

describe('behaviour/secrets#replication-status: true figures', () => {
  // choice/secrets#replication-merkle-root
  test('writes and deletes are replicated, with last_remote_wal and merkle_root', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    const roots = new Set<string>()
    const steps = [
      () => first.secrets.post('kv/a', { x: 1 }),
      () => first.secrets.post('kv/a', { x: 2 }),
      () => first.secrets.post('secret/data/a', { data: { x: 1 } }),
      () => first.secrets.delete('secret/metadata/a'),
      () => first.secrets.post('sys/mounts/m', { type: 'kv' }),
      () => first.secrets.delete('sys/mounts/m'),
      () => first.secrets.post('sys/rotate'),
    ]
    for (const step of steps) {
      const before = (await first.status()).last_wal
      await step()
      await waitForSync(first, second)
      const [ours, theirs] = [await first.status(), await second.status()]
      expect(ours.last_wal).toBeGreaterThan(before)
      expect(theirs.last_remote_wal).toBe(ours.last_wal)
      expect(theirs.merkle_root).toBe(ours.merkle_root)
      roots.add(ours.merkle_root)
    }
    // Removing the versioned secret and the mount restores the previous data.
    expect(roots.size).toBe(steps.length - 2)
    await first.secrets.delete('kv/a')
    await waitForSync(first, second)
    await promote(second)
    expect((await second.secrets.get('kv/a')).status).toBe(404)
    expect((await second.secrets.list('secret/metadata')).status).toBe(404)
  })

  // choice/secrets#replication-merkle-root
  test('reads change neither wal nor root; undoing a write restores the root', async () => {
    const { first } = await twoClusters()
    await first.secrets.post(`${dr}/primary/enable`)
    const before = await first.status()
    await first.secrets.get('sys/mounts')
    await first.secrets.get('kv/none')
    expect(await first.status()).toEqual(before)
    await first.secrets.post('kv/a', { x: 1 })
    expect((await first.status()).merkle_root).not.toBe(before.merkle_root)
    await first.secrets.delete('kv/a')
    expect((await first.status()).merkle_root).toBe(before.merkle_root)
  })

  test('health shows last_wal of the secondary as of any active node', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    const reply = await second.secrets.get('sys/health')
    expect(reply.status).toBe(472)
    expect(reply.body.last_wal).toBeGreaterThanOrEqual((await second.status()).last_remote_wal)
  })

  test('heartbeats are stamped by the clock, frozen or moved', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    second.world.advance(day)
    first.world.advance(2 * day)
    // Each commit sends one message of the primary and one commit of the secondary.
    await first.secrets.post('kv/a', { x: 1 })
    await waitForSync(first, second)
    expect((await second.status()).primaries[0].last_heartbeat).toBe('2026-01-02T00:00:00Z')
    expect((await first.status()).secondaries[0].last_heartbeat).toBe('2026-01-03T00:00:00Z')
    expect(first.world.clock.now()).toBe(testTime + 2 * day)
  })

  test('an idle link also sends heartbeats', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    first.world.advance(day)
    second.world.advance(day)
    const next = '2026-01-02T00:00:00Z'
    await waitUntil(async () => (await second.status()).primaries[0].last_heartbeat === next)
    await waitUntil(async () => (await first.status()).secondaries[0].last_heartbeat === next)
  })
})
