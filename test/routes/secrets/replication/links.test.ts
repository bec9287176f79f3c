import { describe, expect, test } from 'vitest'
import { timings } from '../../../../state/kernel/time/transitions.ts'
import { kv1Secrets } from '../../../../state/secrets/kv/v1.ts'
import { replicationLinkKind } from '../../../../state/secrets/replication/links.ts'
import {
  activationToken,
  type Cluster,
  dr,
  follow,
  forceLink,
  promote,
  recordWrittenKeys,
  twoClusters,
  waitForConnection,
  waitForSync,
  waitUntil,
} from '../../../support/secrets/replication.ts'
import { statusAndBody } from '../replies.ts'

/** Returns the secrets of a cluster's kv/ by key. */
const rowsOf = ({ world }: Cluster) => [...world.table(kv1Secrets).entries()]

/** Starts two clusters in sync, with a secret that later steps do not change. */
async function clusterPair() {
  const all = await twoClusters()
  await all.first.secrets.post('kv/still', { x: 1 })
  await follow(all.first, all.second)
  return all
}

/** Makes this many writes to ten keys, each in a commit of its own, without the cost of HTTP. */
function writeMany({ world }: Cluster, count: number): void {
  const [[key, row] = []] = [...world.table(kv1Secrets).entries()]
  if (key === undefined || row === undefined) throw new Error('there is nothing to copy')
  for (let at = 0; at < count; at++) {
    world.write(() => world.table(kv1Secrets).put(`${key}-${at % 10}`, { ...row }))
  }
}

const items = ({ world }: Cluster) => replicationLinkKind.items(world)
const both = ['connected', 'disconnected']

describe('behaviour/program#control-plane, secrets.replication-link: cut and restored', () => {
  const ends = [
    ['at the primary', ({ first }: { first: Cluster }) => [first, 'east'] as const],
    ['at the secondary', ({ second }: { second: Cluster }) => [second, 'primary'] as const],
  ] as const

  // choice/secrets#replication-catch-up choice/secrets#replication-link-pushes
  test.each(ends)('%s: shows, and catches up from the feed', async (_, end) => {
    const all = await clusterPair()
    const { first, second } = all
    const [cluster, id] = end(all)
    const before = rowsOf(second)
    const changedRows = recordWrittenKeys(second, kv1Secrets)
    expect(items(cluster)).toEqual([{ id, state: 'connected', to: both }])

    forceLink(cluster, id, 'disconnected')
    await waitForConnection(second, 'transient_failure')
    await waitUntil(
      async () => (await first.status()).secondaries[0].connection_status !== 'connected',
    )
    expect(items(cluster)).toEqual([{ id, state: 'disconnected', to: both }])
    expect(await second.status()).toMatchObject({
      state: 'stream-wals',
      primaries: [{ connection_status: 'disconnected' }],
    })
    await first.secrets.post('kv/missed', { x: 1 })
    const missed = await first.status()
    expect((await second.status()).last_remote_wal).toBeLessThan(missed.last_wal)
    expect(rowsOf(second)).toEqual(before)

    forceLink(cluster, id, 'connected')
    await waitForSync(first, second)
    expect(items(cluster)).toEqual([{ id, state: 'connected', to: both }])
    expect((await second.status()).merkle_root).toBe((await first.status()).merkle_root)
    expect(rowsOf(second)).toHaveLength(2)
    // No snapshot: the secondary gets no write for rows that the primary did not change.
    expect(changedRows.size).toBe(1)
    expect(changedRows).not.toContain(before[0]?.[0])
  })

  // choice/secrets#replication-catch-up
  // choice/process#feed-reach
  test('a restored link continues from a snapshot if the feed no longer has the missed commits', async () => {
    const { first, second } = await clusterPair()
    const [[still] = []] = rowsOf(second)
    const changedRows = recordWrittenKeys(second, kv1Secrets)
    forceLink(first, 'east', 'disconnected')
    await waitForConnection(second, 'transient_failure')
    writeMany(first, 2_001)
    await first.secrets.delete('kv/still-0')
    forceLink(first, 'east', 'connected')
    await waitForSync(first, second)
    expect((await second.status()).merkle_root).toBe((await first.status()).merkle_root)
    expect(rowsOf(second)).toHaveLength(10)
    expect(changedRows).toContain(still)
    expect(rowsOf(second)).toEqual(rowsOf(first))
  })

  // choice/secrets#replication-catch-up
  test('sends nothing if the missed changes were undone', async () => {
    const { first, second } = await clusterPair()
    const changedRows = recordWrittenKeys(second, kv1Secrets)
    forceLink(first, 'east', 'disconnected')
    await waitForConnection(second, 'transient_failure')
    writeMany(first, 2_001)
    for (let at = 0; at < 10; at++) await first.secrets.delete(`kv/still-${at}`)
    forceLink(first, 'east', 'connected')
    await waitForSync(first, second)
    expect(rowsOf(second)).toEqual(rowsOf(first))
    expect(changedRows.size).toBe(0)
  })

  test('no commit is lost when a link is cut and restored several times', async () => {
    const { first, second } = await clusterPair()
    for (const round of [1, 2, 3]) {
      forceLink(second, 'primary', 'disconnected')
      await first.secrets.post('kv/round', { round })
      forceLink(second, 'primary', 'connected')
      await first.secrets.post(`kv/round-${round}`, { round })
      await waitForSync(first, second)
    }
    await promote(second)
    expect((await second.secrets.get('kv/round')).body.data).toEqual({ round: 3 })
    expect((await second.secrets.list('kv')).body.data).toEqual({
      keys: ['round', 'round-1', 'round-2', 'round-3', 'still'],
    })
  })

  test('commits are kept for as long as the cluster is a primary with secondaries', async () => {
    const { first, second } = await clusterPair()
    const { feed } = first.world.store
    const kept = async (): Promise<boolean> => {
      await first.secrets.post('kv/a', { x: 1 })
      return feed.since(feed.sequence - 1) !== undefined
    }
    expect(await kept()).toBe(true)
    forceLink(second, 'primary', 'disconnected')
    await waitForConnection(second, 'transient_failure')
    expect(await kept()).toBe(true)
    await first.secrets.post(`${dr}/primary/disable`)
    expect(await kept()).toBe(false)
    await first.secrets.post(`${dr}/primary/enable`)
    expect(await kept()).toBe(false)
  })

  test('only existing links can be forced into a state', async () => {
    const { first, second, addCluster: more } = await clusterPair()
    const third = more('third')
    for (const [cluster, id] of [
      [first, 'primary'],
      [first, 'west'],
      [second, 'east'],
      [third, 'primary'],
    ] as const) {
      expect(() => forceLink(cluster, id, 'disconnected')).toThrow(
        `there is no replication link "${id}"`,
      )
    }
    expect(items(third)).toEqual([])
  })

  // choice/secrets#replication-link-pushes
  test('a cut ends with the membership: a new one is connected', async () => {
    const { first, second } = await clusterPair()
    forceLink(first, 'east', 'disconnected')
    await waitForConnection(second, 'transient_failure')
    await first.secrets.post(`${dr}/primary/revoke-secondary`, { id: 'east' })
    await second.secrets.post(`${dr}/secondary/disable`)
    await follow(first, second)
    expect(items(first)).toEqual([{ id: 'east', state: 'connected', to: both }])
  })

  test('a cut ends with the role: promoted, demoted and following again', async () => {
    const { first, second } = await clusterPair()
    forceLink(second, 'primary', 'disconnected')
    await waitForConnection(second, 'transient_failure')
    await promote(second)
    expect(items(second)).toEqual([])
    await first.secrets.post(`${dr}/primary/disable`)
    await follow(second, first, 'primary')
    expect(items(second)).toEqual([{ id: 'primary', state: 'connected', to: both }])
  })
})

describe('behaviour/secrets#first-copy: sync that takes its time, and promote', () => {
  const catchingUp = {
    status: 503,
    body: {
      errors: ['replication is still catching up, try again later or provide the "force" argument'],
    },
  }

  async function timedClusters(timing: 'manual' | { after: string }) {
    const { first, second } = await twoClusters()
    second.world.write(() =>
      second.world.table(timings).put(replicationLinkKind.kind, { pace: timing }),
    )
    const token = await activationToken(first)
    await second.secrets.post(`${dr}/secondary/enable`, { token })
    await waitForConnection(second, 'ready')
    await waitUntil(async () => (await second.status()).state === 'merkle-sync')
    return { first, second }
  }

  // choice/secrets#replication-link-pushes
  test('a link is established when the configured time has passed on the clock', async () => {
    const { second } = await timedClusters({ after: '1m' })
    expect(statusAndBody(await promote(second))).toEqual(catchingUp)
    second.world.advance(59_999)
    expect((await second.status()).state).toBe('merkle-sync')
    second.world.advance(1)
    expect((await second.status()).state).toBe('stream-wals')
    expect((await promote(second)).status).toBe(200)
  })

  // choice/secrets#replication-link-pushes
  test('a manual link is established only by a forced transition', async () => {
    const { first, second } = await timedClusters('manual')
    second.world.advance(86_400_000)
    expect(items(second)).toEqual([{ id: 'primary', state: 'merkle-sync', to: both }])
    expect(statusAndBody(await promote(second))).toEqual(catchingUp)
    forceLink(second, 'primary', 'connected')
    expect((await second.status()).state).toBe('stream-wals')
    await waitForSync(first, second)
    expect((await promote(second)).status).toBe(200)
  })

  test('a forced promotion succeeds before the link is established', async () => {
    const { second } = await timedClusters('manual')
    expect((await promote(second, { force: true })).status).toBe(200)
    expect((await second.status()).mode).toBe('primary')
  })

  test('each reconnection is a sync of its own', async () => {
    const { first, second } = await timedClusters({ after: '1m' })
    second.world.advance(60_000)
    forceLink(first, 'east', 'disconnected')
    await waitForConnection(second, 'transient_failure')
    forceLink(first, 'east', 'connected')
    await waitUntil(async () => (await second.status()).state === 'merkle-sync')
    second.world.advance(60_000)
    expect((await second.status()).state).toBe('stream-wals')
  })

  // choice/secrets#replication-idle-promote
  test('no force is needed when the primary is away', async () => {
    const { first, second } = await timedClusters('manual')
    forceLink(first, 'east', 'disconnected')
    await waitForConnection(second, 'transient_failure')
    expect((await promote(second)).status).toBe(200)
  })
})
