import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Timing, timings } from '../../../../state/kernel/time/transitions.ts'
import { arrivals, hasPendingArrivals } from '../../../../state/secrets/replication/arrivals.ts'
import { engineData } from '../../../../state/secrets/replication/engine-data.ts'
import { replicationLinkKind } from '../../../../state/secrets/replication/links.ts'
import { secretsService } from '../../../../state/secrets/service.ts'
import {
  activationToken,
  type Cluster,
  dr,
  forceLink,
  promote,
  twoClusters,
  waitForConnection,
  waitForSync,
  waitUntil,
} from '../../../support/secrets/replication.ts'

/** Starts following another cluster with a timing and returns when the copy has begun. */
async function join(primary: Cluster, secondary: Cluster, timing: Timing): Promise<void> {
  const { world } = secondary
  world.write(() => world.table(timings).put(replicationLinkKind.kind, { pace: timing }))
  const token = await activationToken(primary)
  await secondary.secrets.post(`${dr}/secondary/enable`, { token })
  await waitUntil(() => hasPendingArrivals(world))
}

/**
 * Starts a secondary whose first copy has this timing. The primary has the keys `c`, `b` and `a`,
 * written in this order, and then `b` again.
 */
async function clusterPair(timing: Timing) {
  const { first, second } = await twoClusters()
  for (const key of ['c', 'b', 'a', 'b']) await first.secrets.post(`kv/${key}`, { x: 1 })
  await join(first, second, timing)
  return { first, second }
}

const keysOf = async ({ secrets }: Cluster): Promise<unknown> =>
  (await secrets.list('kv')).body.data?.keys ?? []

describe('behaviour/secrets#first-copy: the first copy', () => {
  test('the tables whose rows have the position of their last write are engine data', () => {
    const positioned = secretsService.tables
      .filter(({ local, schema }) => local !== true && JSON.stringify(schema).includes('"wal":'))
      .map(({ id }) => id)
    // The keys of simulated issuers belong to nobody's mount, but have the shape of OIDC keys.
    const ofMounts = positioned.filter((id) => id !== 'secrets.oidc-issuer-keys')
    expect(ofMounts.toSorted()).toEqual([...engineData].toSorted())
  })

  // choice/secrets#replication-first-copy
  test('core data is copied at once, engine data gradually: a forced promotion keeps the data that has arrived', async () => {
    const { first, second } = await twoClusters()
    await first.secrets.post('sys/mounts/team', { type: 'kv', options: { version: '1' } })
    await first.secrets.post('team/plan', { step: 1 })
    await first.secrets.post('secret/data/plan', { data: { step: 1 } })
    await first.secrets.post('cubbyhole/plan', { step: 1 })
    await first.secrets.post('orch/config', { orch_host: 'https://orch.example' })
    await first.secrets.post('auth/cloud/config', { home_tenancy_id: 'home' })
    await first.secrets.post('sys/mounts/totp', { type: 'totp' })
    await first.secrets.post('totp/keys/phone', { key: 'JBSWY3DPEHPK3PXP', account_name: 'ada' })
    await first.secrets.post('sys/policies/acl/team', { policy: 'path "team/*" {}' })
    const { body } = await first.secrets.post('auth/token/create', { policies: ['default'] })
    await join(first, second, 'manual')
    expect(await second.status()).toMatchObject({ last_remote_wal: 0, state: 'merkle-sync' })
    second.world.advance(86_400_000)
    expect(await second.status()).toMatchObject({ last_remote_wal: 0, state: 'merkle-sync' })

    await promote(second, { force: true })
    const { secrets } = second
    expect((await secrets.get('sys/mounts')).body.data).toHaveProperty(['team/'])
    expect((await secrets.get('sys/policies/acl/team')).status).toBe(200)
    const own = { token: body.auth.client_token }
    expect((await secrets.get('auth/token/lookup-self', own)).status).toBe(200)
    const paths = ['team/plan', 'secret/data/plan', 'cubbyhole/plan', 'orch/config']
    for (const path of [...paths, 'auth/cloud/config', 'totp/keys/phone']) {
      expect([path, (await secrets.get(path)).status]).toEqual([path, 404])
    }
  })

  // choice/secrets#replication-first-copy
  test('the pace is that of the whole copy, the order that of the writes', async () => {
    const { first, second } = await clusterPair({ after: '4m' })
    const { last_wal } = await first.status()
    const wals: number[] = []
    for (let minute = 1; minute <= 4; minute++) {
      second.world.advance(60_000)
      wals.push((await second.status()).last_remote_wal)
    }
    // The keys `c`, `a` and `b`, then the primary's own replication row.
    expect(new Set(wals).size).toBe(4)
    expect(wals).toEqual([...wals].sort((one, other) => one - other))
    expect(wals[3]).toBe(last_wal)
    expect((await second.status()).state).toBe('stream-wals')
    await waitForSync(first, second)
    expect((await second.status()).merkle_root).toBe((await first.status()).merkle_root)
  })

  // choice/secrets#replication-first-copy
  test('the key that was written last arrives last, independent of its name', async () => {
    const { second } = await clusterPair({ after: '4m' })
    second.world.advance(120_000)
    await promote(second, { force: true })
    expect(await keysOf(second)).toEqual(['a', 'c'])
  })

  // choice/secrets#replication-first-copy choice/secrets#replication-link-pushes
  test('pushed to `connected` it has all of it', async () => {
    const { first, second } = await clusterPair('manual')
    forceLink(second, 'primary', 'connected')
    expect((await second.status()).state).toBe('stream-wals')
    await waitForSync(first, second)
    await promote(second)
    expect(await keysOf(second)).toEqual(['a', 'b', 'c'])
  })

  // choice/secrets#replication-first-copy
  test('a lost link keeps the data that has arrived, and copies the rest when it recovers', async () => {
    const { first, second } = await clusterPair({ after: '4m' })
    second.world.advance(60_000)
    forceLink(first, 'east', 'disconnected')
    await waitForConnection(second, 'transient_failure')
    const { last_remote_wal } = await second.status()
    second.world.advance(600_000)
    expect((await second.status()).last_remote_wal).toBe(last_remote_wal)

    await first.secrets.delete('kv/c')
    await first.secrets.post('kv/d', { x: 1 })
    forceLink(first, 'east', 'connected')
    await waitUntil(() => hasPendingArrivals(second.world))
    expect((await second.status()).state).toBe('merkle-sync')
    second.world.advance(240_000)
    await waitForSync(first, second)
    await promote(second)
    expect(await keysOf(second)).toEqual(['a', 'b', 'd'])
  })

  test('without a delay, the whole copy arrives in one step', async () => {
    const { first, second } = await twoClusters()
    await first.secrets.post('kv/a', { x: 1 })
    const token = await activationToken(first)
    await second.secrets.post(`${dr}/secondary/enable`, { token })
    await waitForSync(first, second)
    expect(hasPendingArrivals(second.world)).toBe(false)
  })

  test('merkle_root does not depend on the time of writes', async () => {
    const { first } = await twoClusters()
    await first.secrets.post(`${dr}/primary/enable`)
    await first.secrets.post('kv/a', { x: 1 })
    const before = (await first.status()).merkle_root
    await first.secrets.post('kv/a', { x: 2 })
    await first.secrets.post('kv/a', { x: 1 })
    expect((await first.status()).merkle_root).toBe(before)
  })
})

/** A write at a position of the primary; null for a deletion. */
interface Written {
  readonly wal: number
  readonly key: string
  readonly n: number | null
}

/** Returns the expected data of a secondary after part of a copy up to `copied`. */
function arrivedUpTo(wal: number, copied: number, history: readonly Written[]) {
  const data = new Map<string, number>()
  const last = new Map<string, Written>()
  for (const write of history) if (write.wal <= copied) last.set(write.key, write)
  // The copy has the latest write of each key; after it, every write arrives.
  const copy = [...last.values()].sort((one, other) => one.wal - other.wal)
  for (const { key, n, wal: at } of [...copy, ...history.filter((each) => each.wal > copied)]) {
    if (at > wal) continue
    if (n === null) data.delete(key)
    else data.set(key, n)
  }
  return data
}

describe('behaviour/secrets#replication-status: last_remote_wal counts the entries that have arrived', () => {
  test('a forced promotion at any moment keeps exactly the entries that last_remote_wal counts', async () => {
    const key = fc.constantFrom('kv/a', 'kv/b', 'kv/c', 'secret/data/a', 'secret/data/b')
    const write = fc.record({ key, n: fc.oneof(fc.nat(9), fc.constant(null)) })
    const pass = fc.record({ seconds: fc.nat(30) })
    const before = fc.array(write, { maxLength: 12 })
    const during = fc.array(fc.oneof(write, pass), { maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(before, during, async (earlier, later) => {
        const { first, second } = await twoClusters()
        const history: Written[] = []
        for (const step of earlier) await take(first, step, history)
        await join(first, second, { after: '100s' })
        const copied = first.world.store.index('secrets')
        for (const step of later) {
          if ('seconds' in step) second.world.advance(step.seconds * 1_000)
          else await take(first, step, history)
          await received(first, second)
        }
        const { last_remote_wal } = await second.status()
        await promote(second, { force: true })
        const expected = arrivedUpTo(last_remote_wal, copied, history)
        expect(await dataOf(second)).toEqual(Object.fromEntries(expected))
      }),
      { numRuns: 25 },
    )
  })
})

async function take({ secrets, world }: Cluster, { key, n }: Omit<Written, 'wal'>, log: Written[]) {
  const body = key.startsWith('kv/') ? { n } : { data: { n } }
  // Deletes the whole versioned key: a deleted version would still have metadata.
  if (n === null) await secrets.delete(key.replace('/data/', '/metadata/'))
  else await secrets.post(key, body)
  log.push({ wal: world.store.index('secrets'), key, n })
}

/** Waits until the secondary has received all commits of the primary. */
async function received(first: Cluster, { world, status }: Cluster): Promise<void> {
  const wal = first.world.store.index('secrets')
  await waitUntil(async () => {
    const [, last] = world.table(arrivals).last('') ?? []
    return Math.max(last?.wal ?? 0, (await status()).last_remote_wal) >= wal
  })
}

async function dataOf({ secrets }: Cluster): Promise<Record<string, number>> {
  const all: Record<string, number> = {}
  for (const key of ['kv/a', 'kv/b', 'kv/c', 'secret/data/a', 'secret/data/b']) {
    const { status, body } = await secrets.get(key)
    if (status === 200) all[key] = key.startsWith('kv/') ? body.data.n : body.data.data.n
  }
  return all
}
