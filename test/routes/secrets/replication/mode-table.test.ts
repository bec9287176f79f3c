import { describe, expect, test } from 'vitest'
import { kv1Secrets } from '../../../../state/secrets/kv/v1.ts'
import { severLink } from '../../../../state/secrets/replication/secondaries.ts'
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
import { error, noContent, ok, statusAndBody } from '../replies.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)
const root = expect.stringMatching(/^[0-9a-f]{40}$/)
const never = '0001-01-01T00:00:00Z'

/** Returns the status of a demoted cluster (behaviour/secrets#replication). */
const alone = (clusterId: unknown) => ({
  cluster_id: clusterId,
  connection_state: 'idle',
  known_primary_cluster_addrs: [],
  last_remote_wal: 0,
  merkle_root: root,
  mode: 'secondary',
  primaries: [],
  primary_cluster_addr: '',
  secondary_id: '',
  state: 'idle',
})

const post = ({ secrets }: Cluster, path: string, body: object = {}) =>
  secrets.post(`${dr}/${path}`, body)

/** Returns the DR status, after verifying that both status endpoints report it. */
async function statusOf({ secrets }: Cluster): Promise<unknown> {
  const reply = await secrets.get(`${dr}/status`, { token: null })
  const both = await secrets.get('sys/replication/status', { token: null })
  expect(statusAndBody(reply)).toEqual(ok({ data: reply.body.data }))
  expect(statusAndBody(both)).toEqual(
    ok({ data: { dr: reply.body.data, performance: { mode: 'disabled' } } }),
  )
  return reply.body.data
}

describe('behaviour/secrets#api-replication', () => {
  test('a fresh cluster is disabled', async () => {
    const { first } = await twoClusters()
    expect(await statusOf(first)).toEqual({ mode: 'disabled' })
  })

  test('disabled | primary/enable | primary', async () => {
    const { first } = await twoClusters()
    await post(first, 'primary/enable')
    expect(await statusOf(first)).toEqual({
      cluster_id: uuid,
      known_secondaries: [],
      last_wal: first.world.store.index('secrets'),
      merkle_root: root,
      mode: 'primary',
      primary_cluster_addr: '',
      secondaries: [],
      state: 'running',
    })
  })

  test('primary/enable stores the given address and sends it to secondaries', async () => {
    const { first, second } = await twoClusters()
    const primary_cluster_addr = 'https://cluster.example:8201'
    await post(first, 'primary/enable', { primary_cluster_addr })
    await follow(first, second)
    expect(await first.status()).toMatchObject({ primary_cluster_addr })
    expect(await second.status()).toMatchObject({
      primary_cluster_addr,
      known_primary_cluster_addrs: [primary_cluster_addr],
      primaries: [{ cluster_address: primary_cluster_addr }],
    })
  })

  test('primary | primary/demote | secondary (not connecting), keeps cluster ID', async () => {
    const { first, second } = await twoClusters()
    await first.secrets.post('kv/a', { x: 1 })
    await follow(first, second)
    const { cluster_id, merkle_root } = await first.status()
    await post(first, 'primary/demote')
    expect(await statusOf(first)).toEqual({ ...alone(cluster_id), merkle_root })
  })

  test('a demoted cluster rejoins the same set without wipe: nothing is sent', async () => {
    const { first, second } = await twoClusters()
    await first.secrets.post('kv/a', { x: 1 })
    await follow(first, second)
    const { cluster_id } = await first.status()
    await promote(second)
    await post(first, 'primary/demote')
    const writeReply = recordWrittenKeys(first, kv1Secrets)
    await updatePrimary(first, await activationToken(second, 'old'))
    await waitForSync(second, first)
    expect(await first.status()).toMatchObject({ cluster_id, secondary_id: 'old' })
    expect(writeReply.size).toBe(0)
    await promote(first, { force: true })
    expect((await first.secrets.get('kv/a')).body.data).toEqual({ x: 1 })
  })

  test('primary | primary/disable | disabled; secondaries can no longer connect', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    const before = await first.status()
    await post(first, 'primary/disable')
    expect(await statusOf(first)).toEqual({ mode: 'disabled' })
    await waitForConnection(second, 'transient_failure')
    await post(first, 'primary/enable')
    expect(await statusOf(first)).toEqual({
      ...before,
      cluster_id: uuid,
      last_wal: expect.any(Number),
      known_secondaries: [],
      secondaries: [],
    })
    expect((await first.status()).cluster_id).not.toBe(before.cluster_id)
    expect((await second.status()).connection_state).toBe('transient_failure')
  })

  // choice/secrets#replication-other-set
  test('re-enabling needs a wipe: update-primary to the new set is refused', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    await post(first, 'primary/disable')
    const before = await second.status()
    const reply = await updatePrimary(second, await activationToken(first, 'again'))
    expect(statusAndBody(reply)).toEqual(
      error(
        400,
        'the primary belongs to another replication cluster; disable replication and enable this secondary anew, which clears its data',
      ),
    )
    expect(await second.status()).toMatchObject({
      cluster_id: before.cluster_id,
      secondary_id: 'east',
    })
    expect((await first.status()).known_secondaries).toEqual([])
  })

  // choice/secrets#replication-cluster-address
  test('disabled | secondary/enable | secondary; clears all local data', async () => {
    const { first, second } = await twoClusters()
    await second.secrets.post('kv/own', { x: 1 })
    await follow(first, second)
    const ours = await first.status()
    expect(await statusOf(second)).toEqual({
      cluster_id: ours.cluster_id,
      connection_state: 'ready',
      known_primary_cluster_addrs: ['https://localhost:81'],
      last_remote_wal: ours.last_wal,
      merkle_root: ours.merkle_root,
      mode: 'secondary',
      primaries: [
        {
          api_address: 'http://localhost:80/_world/default',
          cluster_address: 'https://localhost:81',
          connection_status: 'connected',
          last_heartbeat: '2026-01-01T00:00:00Z',
        },
      ],
      primary_cluster_addr: 'https://localhost:81',
      secondary_id: 'east',
      state: 'stream-wals',
    })
    expect(await statusOf(first)).toEqual({
      ...ours,
      known_secondaries: ['east'],
      secondaries: [
        {
          api_address: 'http://localhost:80/_world/second',
          cluster_address: 'https://localhost:81',
          connection_status: 'connected',
          last_heartbeat: '2026-01-01T00:00:00Z',
          node_id: uuid,
        },
      ],
    })
    await post(second, 'secondary/disable')
    expect((await second.secrets.get('kv/own')).status).toBe(404)
  })

  // choice/secrets#replication-enable-wipes
  test('local data is cleared immediately, though nothing of the primary has come yet', async () => {
    const { first, second } = await twoClusters()
    await second.secrets.post('kv/own', { x: 1 })
    const token = await activationToken(first)
    severLink(first.world, 'east')
    await post(second, 'secondary/enable', { token })
    const kept = rowsOf(second).length
    await waitForConnection(second, 'transient_failure')
    expect(await second.status()).toMatchObject({ mode: 'secondary', state: 'merkle-diff' })
    await post(second, 'secondary/disable')
    // The seal, the keyring and the system's own mount remain.
    expect(rowsOf(second).length).toBe(kept)
    expect(kept).toBe(3)
    expect(statusAndBody(await second.secrets.get('kv/own'))).toEqual(
      error(403, 'permission denied'),
    )
  })

  // choice/secrets#replication-promoted-at-once
  test('secondary | secondary/promote | primary; new secondary tokens must be issued', async () => {
    const { first, second, addCluster: more } = await twoClusters()
    const third = more('third')
    await follow(first, second)
    await follow(first, third, 'west')
    const { cluster_id, last_wal, merkle_root } = await first.status()
    const primary_cluster_addr = 'https://new.example:8201'
    await promote(second, { primary_cluster_addr })
    expect(await statusOf(second)).toEqual({
      cluster_id,
      known_secondaries: [],
      last_wal: second.world.store.index('secrets'),
      merkle_root,
      mode: 'primary',
      primary_cluster_addr,
      secondaries: [],
      state: 'running',
    })
    expect((await second.status()).last_wal).toBeGreaterThanOrEqual(last_wal)
    // The third cluster follows the first until it is reconfigured.
    await first.secrets.post('kv/more', { x: 1 })
    await waitForSync(first, third)
    await updatePrimary(third, await activationToken(second, 'west'))
    await waitForSync(second, third)
    expect(await second.status()).toMatchObject({ known_secondaries: ['west'] })
    expect(await third.status()).toMatchObject({
      cluster_id,
      secondary_id: 'west',
      primary_cluster_addr,
    })
  })

  // choice/secrets#replication-idle-promote
  test('secondary | update-primary with a blank token | secondary without a primary', async () => {
    const { first, second } = await twoClusters()
    await first.secrets.post('kv/a', { x: 1 })
    await follow(first, second)
    const { cluster_id, merkle_root } = await first.status()
    await updatePrimary(second, '')
    expect(await statusOf(second)).toEqual({ ...alone(cluster_id), merkle_root })
    await waitUntil(
      async () => (await first.status()).secondaries[0].connection_status !== 'connected',
    )
    await promote(second)
    expect((await second.secrets.get('kv/a')).body.data).toEqual({ x: 1 })
  })

  // choice/secrets#replication-secondary-disable
  test('secondary | secondary/disable | disabled; re-enabling changes cluster ID', async () => {
    const { first, second } = await twoClusters()
    await first.secrets.post('kv/a', { x: 1 })
    await follow(first, second)
    const { cluster_id } = await second.status()
    await post(second, 'secondary/disable')
    expect(await statusOf(second)).toEqual({ mode: 'disabled' })
    expect((await second.secrets.get('kv/a')).body.data).toEqual({ x: 1 })
    await post(second, 'primary/enable')
    expect((await second.status()).cluster_id).not.toBe(cluster_id)
  })

  test('primary | revoke-secondary, id matches | disconnected; needs a new token', async () => {
    const { first, second } = await twoClusters()
    await follow(first, second)
    expect(statusAndBody(await post(first, 'primary/revoke-secondary', { id: 'east' }))).toEqual(
      noContent,
    )
    await waitForConnection(second, 'transient_failure')
    expect(await first.status()).toMatchObject({ known_secondaries: [], secondaries: [] })
    expect(await second.status()).toMatchObject({
      mode: 'secondary',
      secondary_id: 'east',
      primaries: [{ connection_status: 'disconnected' }],
    })
    await first.secrets.post('kv/after', { x: 1 })
    await updatePrimary(second, await activationToken(first, 'east'))
    await waitForSync(first, second)
    await promote(second)
    expect((await second.secrets.get('kv/after')).body.data).toEqual({ x: 1 })
  })

  test('a second revoke and unknown ids are refused', async () => {
    const { first } = await twoClusters()
    await activationToken(first, 'east')
    await post(first, 'primary/revoke-secondary', { id: 'east' })
    for (const id of ['east', 'west']) {
      expect(statusAndBody(await post(first, 'primary/revoke-secondary', { id }))).toEqual(
        error(400, `secondary with id "${id}" not found`),
      )
    }
  })

  test('a secondary that never connected was never heard', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    severLink(first.world, 'east')
    await post(second, 'secondary/enable', { token })
    expect(await first.status()).toMatchObject({
      known_secondaries: ['east'],
      secondaries: [{ connection_status: 'disconnected', last_heartbeat: never }],
    })
    await waitForConnection(second, 'transient_failure')
    expect(await second.status()).toMatchObject({
      primaries: [{ connection_status: 'disconnected', last_heartbeat: never }],
    })
  })
})

/** Returns all replicated rows of a cluster. */
function rowsOf({ world }: Cluster): unknown[] {
  return [...world.store.tables.values()]
    .filter(({ definition }) => definition.service === 'secrets' && definition.local !== true)
    .flatMap((table) => [...table.rows()])
}
