import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { kv1Secrets } from '../../../../state/secrets/kv/v1.ts'
import { ReplicationDigest } from '../../../../state/secrets/replication/digest.ts'
import { suspendedJobs } from '../../../../state/secrets/replication/feed.ts'
import {
  type Cluster,
  dr,
  promote,
  twoClusters,
  updatePrimary,
  waitForConnection,
  waitUntil,
} from '../../../support/secrets/replication.ts'
import {
  hello,
  line,
  scriptedPrimary,
  snapshotLines,
} from '../../../support/secrets/scripted-primary.ts'
import { error, statusAndBody } from '../replies.ts'

/** Creates a world with one secret. A scripted primary sends the content of this world. */
async function source() {
  const { first } = await twoClusters({ seed: 'source' })
  await first.secrets.post('kv/a', { x: 1 })
  return first
}

const tableOf = ({ world }: Cluster) => [...world.table(kv1Secrets).entries()]

/** Replies of the primary after its first connection. */
type LaterResponse = (
  origin: Cluster,
  response: ServerResponse,
  attempt: number,
  /** Returns the merkle root of the secondary. */
  currentRoot: () => string,
) => unknown

/** Starts a secondary that is in sync with the source through a scripted primary. */
async function secondaryOf(later: LaterResponse) {
  const origin = await source()
  const root = new ReplicationDigest(origin.world).root()
  const primary = await scriptedPrimary({
    stream: (response, attempt) => {
      if (attempt > 1) return void later(origin, response, attempt, () => digest.root())
      for (const text of snapshotLines(origin.world)) response.write(text)
      // The first connection ends when everything has arrived.
      void waitUntil(() => tableOf(cluster).length === 1).then(() => response.end())
    },
  })
  const { first: cluster } = await twoClusters({ secrets: { replicationTimeout: '200ms' } })
  const digest = new ReplicationDigest(cluster.world)
  const reply = await cluster.secrets.post(`${dr}/secondary/enable`, { token: primary.token })
  expect(reply.status).toBe(200)
  await waitUntil(() => primary.requestCounts.stream >= 2)
  /** Expects that nothing has changed since the first connection. */
  const unchanged = async () => {
    expect(await cluster.status()).toMatchObject({ mode: 'secondary', merkle_root: root })
    expect(tableOf(cluster)).toHaveLength(1)
  }
  return { origin, primary, cluster, root, unchanged }
}

const row = { data: '{"x":2}', ttl: null }
const rows = (table: string, ...entries: unknown[]) => line({ kind: 'rows', table, rows: entries })
const commit = (change: unknown, more: object = {}) =>
  line({ kind: 'commit', sequence: 9, wal: 9, changes: [change], appointments: [], ...more })
const complete = line({ kind: 'complete', sequence: 9, wal: 9 })
const known = hello({ snapshot: false })
const kv = kv1Secrets.id

/**
 * Messages that no primary sends, each after a valid beginning. Streams that fail before any
 * message are tested separately, because a secondary waits longer after two of them.
 */
const invalidMessages: readonly (readonly [string, string])[] = [
  ['garbage in the middle', `${known}garbage\n`],
  ['an empty line', `${known}\n`],
  ['garbage', 'garbage\n'],
  ['no object', `${known}1\n`],
  ['null', `${known}null\n`],
  ['another set of clusters', hello({ cluster_id: 'another' })],
  ['an unknown kind', `${known}${line({ kind: 'greeting' })}`],
  ['the kind __proto__', `${known}{"kind":"__proto__"}\n`],
  ['rows unasked', `${known}${rows(kv, ['k', row])}`],
  [
    'scheduled jobs that were not requested',
    `${known}${line({ kind: 'appointments', appointments: [] })}`,
  ],
  ['rows of an unknown table', `${hello()}${rows('secrets.nothing', ['k', row])}${complete}`],
  ['a hello without cluster', line({ kind: 'hello', feed: 'f', snapshot: true })],
  ['rows of a local table', `${hello()}${rows('secrets.node', ['k', row])}${complete}`],
  ['rows of another service', `${hello()}${rows('kernel.agenda', ['k', row])}${complete}`],
  ['rows that are none', `${hello()}${rows(kv, ['k', { data: 1 }])}${complete}`],
  ['a commit before hello', commit({ table: kv, key: 'k', row })],
  ['rows with a number as key', `${hello()}${rows(kv, [1, row])}${complete}`],
  ['rows without key', `${hello()}${rows(kv, [row])}${complete}`],
  ['rows with more than a row', `${hello()}${rows(kv, ['k', row, row])}${complete}`],
  ['a null row in a snapshot', `${hello()}${rows(kv, ['k', null])}${complete}`],
  ['completion before hello', complete],
  ['a commit of an unknown table', `${known}${commit({ table: 'x', key: 'k', row })}`],
  ['a commit of a bad row', `${known}${commit({ table: kv, key: 'k', row: { ttl: 1 } })}`],
  ['a commit without key', `${known}${commit({ table: kv, row })}`],
  ['a negative position', `${known}${commit({ table: kv, key: 'k', row }, { sequence: -1 })}`],
  ['a text as position', `${known}${commit({ table: kv, key: 'k', row }, { wal: '9' })}`],
  [
    'a scheduled job of another service',
    `${known}${commit(
      { table: kv, key: 'k', row },
      { appointments: [{ appointment: { at: 1, job: 'platform.x', id: 'x' }, made: true }] },
    )}`,
  ],
  [
    'a scheduled job whose name is unknown',
    `${known}${commit(
      { table: kv, key: 'k', row },
      { appointments: [{ appointment: { at: 1, job: 'secrets.x', id: 'x' }, made: true }] },
    )}`,
  ],
]

describe('behaviour/secrets#replication: streams that no primary sends', () => {
  test('invalid messages do not change the state, and a valid stream after them is accepted', async () => {
    const left: unknown[] = []
    let good = false
    const { origin, primary, cluster, root } = await secondaryOf(
      (source, response, attempt, currentRoot) => {
        if (attempt > 2) left.push([invalidMessages[attempt - 3]?.[0], currentRoot()])
        const [, text] = invalidMessages[attempt - 2] ?? []
        if (text !== undefined) return void response.end(text)
        if (!good) return void response.end()
        for (const whole of snapshotLines(source.world)) response.write(whole)
      },
    )
    await waitUntil(() => primary.requestCounts.stream > invalidMessages.length + 2)
    expect(left.slice(0, invalidMessages.length)).toEqual(
      invalidMessages.map(([name]) => [name, root]),
    )
    expect([...cluster.world.store.tables.keys()]).not.toContain('secrets.nothing')
    expect([...cluster.world.table(suspendedJobs).rows()]).toEqual([])

    good = true
    await origin.secrets.post('kv/b', { x: 1 })
    await waitUntil(() => tableOf(cluster).length === 2)
    await waitForConnection(cluster, 'ready')
    expect((await cluster.status()).state).toBe('stream-wals')
    expect(tableOf(cluster)).toEqual(tableOf(origin))
  })

  // choice/secrets#replication-partial-snapshot
  test('a snapshot that stops in the middle does not change the state', async () => {
    let whole = false
    const { origin, primary, cluster, unchanged } = await secondaryOf((source, response) => {
      const lines = snapshotLines(source.world)
      if (!whole) response.write(lines.slice(0, -1).join(''), () => response.destroy())
      else for (const text of lines) response.write(text)
    })
    await origin.secrets.post('kv/b', { x: 1 })
    await waitUntil(() => primary.requestCounts.stream >= 4)
    await unchanged()
    whole = true
    await waitUntil(() => tableOf(cluster).length === 2)
    await waitForConnection(cluster, 'ready')
  })

  test('a message that stops in the middle of a line does not change the state', async () => {
    const { primary, unchanged } = await secondaryOf((origin, response) => {
      response.end(snapshotLines(origin.world).join('').slice(0, -20))
    })
    await waitUntil(() => primary.requestCounts.stream >= 3)
    await unchanged()
  })

  test.each([
    ['answers 500', (response) => response.writeHead(500).end('x')],
    ['answers 403', (response) => response.writeHead(403).end()],
    ['redirects', (response) => response.writeHead(302, { location: '/' }).end()],
    ['ends at once', (response) => response.end()],
    ['hangs up', (response) => response.destroy()],
  ] as [string, (response: ServerResponse) => unknown][])('a primary that %s', async (_, later) => {
    const { primary, cluster, unchanged } = await secondaryOf((_, response) => later(response))
    await waitUntil(() => primary.requestCounts.stream >= 3)
    expect(await cluster.status()).toMatchObject({
      connection_state: 'transient_failure',
      mode: 'secondary',
      primaries: [{ connection_status: 'disconnected' }],
      state: 'stream-wals',
    })
    await unchanged()
    // Promotion without force works, because no primary can be reached.
    expect((await promote(cluster)).status).toBe(200)
  })

  test('a line without an end is given up', async () => {
    let closed = false
    const { unchanged } = await secondaryOf((_, response) => {
      response.once('close', () => {
        closed = true
      })
      response.write(hello({ snapshot: false }))
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(4_194_304))) {}
      }
      response.on('drain', more)
      more()
    })
    await waitUntil(() => closed)
    await unchanged()
  })

  // choice/secrets#replication-timeout
  test('silence is given up after three heartbeats', async () => {
    const { primary, cluster } = await secondaryOf((_, response) => {
      response.write(hello({ snapshot: false }))
    })
    await waitForConnection(cluster, 'ready')
    await waitUntil(() => primary.requestCounts.stream >= 3)
  })
})

const stillCatchingUp = error(
  503,
  'replication is still catching up, try again later or provide the "force" argument',
)

describe('behaviour/secrets#replication: promote while the primary is reachable', () => {
  test('503 as long as the first connection is only being made, unless forced', async () => {
    const primary = await scriptedPrimary({ stream: () => {} })
    const { first } = await twoClusters({ secrets: { replicationTimeout: '200ms' } })
    await first.secrets.post(`${dr}/secondary/enable`, { token: primary.token })
    expect(await first.status()).toMatchObject({
      connection_state: 'connecting',
      state: 'merkle-diff',
    })
    expect(statusAndBody(await promote(first))).toEqual(stillCatchingUp)
    expect((await promote(first, { force: true })).status).toBe(200)
  })

  test('503 too while the connection to another primary is being made', async () => {
    const silentPrimary = await scriptedPrimary({ stream: () => {} })
    const { cluster } = await secondaryOf((_, response) => response.writeHead(503).end())
    await waitForConnection(cluster, 'transient_failure')
    expect((await updatePrimary(cluster, silentPrimary.token)).status).toBe(200)
    expect(await cluster.status()).toMatchObject({
      connection_state: 'connecting',
      state: 'merkle-diff',
    })
    expect(statusAndBody(await promote(cluster))).toEqual(stillCatchingUp)
  })
})
