import { describe, expect, test } from 'vitest'
import { exportWorld } from '../../../../state/kernel/worlds/document.ts'
import { kv1Secrets } from '../../../../state/secrets/kv/v1.ts'
import {
  activationToken,
  type Cluster,
  dr,
  follow,
  promote,
  recordWrittenKeys,
  twoClusters,
  updatePrimary,
  waitForConnection,
  waitForSync,
  waitUntil,
} from '../../../support/secrets/replication.ts'

/** Starts two clusters in sync with one secret. */
async function clusterPair() {
  const all = await twoClusters()
  await all.first.secrets.post('kv/a', { x: 1 })
  await follow(all.first, all.second)
  return all
}

const keysOf = async ({ secrets }: Cluster) => (await secrets.list('kv')).body.data?.keys

describe('behaviour/secrets#replication: several secondaries', () => {
  test('two secondaries of one primary follow it independently', async () => {
    const { first, second, addCluster: more } = await clusterPair()
    const third = more('third')
    await follow(first, third, 'west')
    expect(await first.status()).toMatchObject({
      known_secondaries: ['east', 'west'],
      secondaries: [{ connection_status: 'connected' }, { connection_status: 'connected' }],
    })
    await first.secrets.post(`${dr}/primary/revoke-secondary`, { id: 'east' })
    await waitForConnection(second, 'transient_failure')
    await first.secrets.post('kv/b', { x: 1 })
    await waitForSync(first, third)
    expect((await first.status()).known_secondaries).toEqual(['west'])
    expect((await second.status()).merkle_root).not.toBe((await third.status()).merkle_root)
  })

  test('a demoted primary rejoins the promoted one and gets its writes', async () => {
    const { first, second } = await clusterPair()
    await promote(second)
    await second.secrets.post('kv/new', { x: 1 })
    await second.secrets.delete('kv/a')
    await first.secrets.post(`${dr}/primary/demote`)
    await updatePrimary(first, await activationToken(second, 'old'))
    await waitForSync(second, first)
    expect((await first.status()).merkle_root).toBe((await second.status()).merkle_root)
    // The first cluster takes over again.
    await promote(first)
    expect(await keysOf(first)).toEqual(['new'])
    await second.secrets.post(`${dr}/primary/demote`)
    await updatePrimary(second, await activationToken(first, 'again'))
    await waitForSync(first, second)
  })

  test('writes of a primary that was away from its set are lost when it rejoins', async () => {
    const { first, second } = await clusterPair()
    await promote(second)
    await first.secrets.post('kv/split', { x: 1 })
    await second.secrets.post('kv/kept', { x: 1 })
    await first.secrets.post(`${dr}/primary/demote`)
    await updatePrimary(first, await activationToken(second, 'old'))
    await waitForSync(second, first)
    await promote(first)
    expect(await keysOf(first)).toEqual(['a', 'kept'])
  })

  // choice/secrets#replication-ids
  test('ids that a promoted secondary makes up are not those of the old primary', async () => {
    const { first, second } = await clusterPair()
    await promote(second)
    const created = async ({ secrets }: Cluster) => {
      const { body } = await secrets.post('auth/token/create', {})
      return body.auth.client_token
    }
    expect(await created(first)).not.toBe(await created(second))
  })
})

describe('behaviour/program#worlds: worlds that end, are reset or are copied', () => {
  test('the primary is deleted: the secondary is alone and may be promoted', async () => {
    const { worlds, addCluster: more, second } = await twoClusters()
    const primary = more('primary')
    await primary.secrets.post('kv/a', { x: 1 })
    await follow(primary, second)
    worlds.delete('primary')
    await waitForConnection(second, 'transient_failure')
    expect((await promote(second)).status).toBe(200)
    expect(await keysOf(second)).toEqual(['a'])
  })

  test('the secondary is deleted: the primary sees it go', async () => {
    const { worlds, first, addCluster: more } = await twoClusters()
    await follow(first, more('east'))
    worlds.delete('east')
    await waitUntil(
      async () => (await first.status()).secondaries[0].connection_status !== 'connected',
    )
    expect((await first.status()).known_secondaries).toEqual(['east'])
  })

  test('the primary is restored: the secondary copies a snapshot', async () => {
    const { first, second } = await clusterPair()
    const before = first.world.snapshot()
    await first.secrets.post('kv/b', { x: 1 })
    await waitForSync(first, second)
    const changedRows = recordWrittenKeys(second, kv1Secrets)
    first.world.restore(before)
    await waitForSync(first, second)
    expect((await second.status()).merkle_root).toBe((await first.status()).merkle_root)
    // A new copy arrived: undone writes are gone, and the others are written again.
    expect(changedRows.size).toBe(2)
    await first.secrets.post('kv/c', { x: 1 })
    await waitForSync(first, second)
    await promote(second)
    expect(await keysOf(second)).toEqual(['a', 'c'])
  })

  test('the primary is restored to a state before the secondary joined: the secondary is rejected', async () => {
    const { first, second } = await twoClusters()
    const before = first.world.snapshot()
    await follow(first, second)
    first.world.restore(before)
    await waitForConnection(second, 'transient_failure')
    expect(await first.status()).toEqual({ mode: 'disabled' })
  })

  test('the secondary is restored: it copies a snapshot and catches up', async () => {
    const { first, second } = await clusterPair()
    const before = second.world.snapshot()
    await first.secrets.post('kv/b', { x: 1 })
    await waitForSync(first, second)
    const changedRows = recordWrittenKeys(second, kv1Secrets)
    second.world.restore(before)
    await waitForSync(first, second)
    expect(changedRows.size).toBe(2)
    expect((await second.status()).merkle_root).toBe((await first.status()).merkle_root)
  })

  test('the secondary is restored to a state before it joined, and to one after it', async () => {
    const { first, second } = await twoClusters()
    await second.secrets.post('kv/own', { x: 1 })
    const alone = second.world.snapshot()
    await follow(first, second)
    const joined = second.world.snapshot()
    second.world.restore(alone)
    expect(await second.status()).toEqual({ mode: 'disabled' })
    expect(await keysOf(second)).toEqual(['own'])
    await waitUntil(
      async () => (await first.status()).secondaries[0].connection_status !== 'connected',
    )
    second.world.restore(joined)
    await first.secrets.post('kv/b', { x: 1 })
    await waitForSync(first, second)
  })

  test('a reset of the secondary ends its part; a reset of the primary ends the set', async () => {
    const { first, second } = await clusterPair()
    second.world.reset()
    expect(await second.status()).toEqual({ mode: 'disabled' })
    await follow(first, second, 'west')
    first.world.reset()
    await waitForConnection(second, 'transient_failure')
    expect(await first.status()).toEqual({ mode: 'disabled' })
  })

  test('a fork of the secondary follows too, with the same membership', async () => {
    const { first, second, addCluster: more } = await clusterPair()
    const fork = more('fork', second)
    await waitForSync(first, fork)
    await first.secrets.post('kv/b', { x: 1 })
    await waitForSync(first, fork)
    await waitForSync(first, second)
    expect((await first.status()).known_secondaries).toEqual(['east'])
    await promote(fork)
    expect(await keysOf(fork)).toEqual(['a', 'b'])
    await first.secrets.post('kv/c', { x: 1 })
    await waitForSync(first, second)
  })

  // choice/secrets#replication-forks
  test('a fork of the primary has no hold on its secondary', async () => {
    const { first, second, addCluster: more } = await clusterPair()
    const fork = more('fork', first)
    await fork.secrets.post('kv/fork', { x: 1 })
    await first.secrets.post('kv/b', { x: 1 })
    await waitForSync(first, second)
    expect((await fork.status()).secondaries).toMatchObject([{ connection_status: 'disconnected' }])
    await promote(second)
    expect(await keysOf(second)).toEqual(['a', 'b'])
  })

  test('copies of a primary and of its secondary continue from the same state', async () => {
    const { worlds, first, second, addCluster: more } = await clusterPair()
    const kept = worlds.snapshots.take(second.world)
    await first.secrets.post('kv/b', { x: 1 })
    await waitForSync(first, second)
    const copy = more('copy')
    copy.world.restore(kept.snapshot)
    await waitForSync(first, copy)
    expect((await copy.status()).merkle_root).toBe((await second.status()).merkle_root)
  })

  test('an exported secondary contains everything that it needs to continue', async () => {
    const { worlds, first, second, addCluster: more } = await clusterPair()
    const text = JSON.stringify(exportWorld(second.world))
    const other = more('other')
    worlds.import(other.world, JSON.parse(text))
    await waitForSync(first, other)
  })
})
