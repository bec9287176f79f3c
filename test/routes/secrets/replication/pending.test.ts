import { describe, expect, test } from 'vitest'
import {
  activationToken,
  type Cluster,
  dr,
  follow,
  promote,
  twoClusters,
  waitForSync,
} from '../../../support/secrets/replication.ts'
import { error, statusAndBody } from '../replies.ts'

describe('behaviour/secrets#replication: pending jobs', () => {
  const hour = 3_600_000

  async function withToken() {
    const all = await twoClusters()
    const created = await all.first.secrets.post('auth/token/create', { ttl: '1h' })
    const token: string = created.body.auth.client_token
    await all.first.secrets.post('secret/config', { delete_version_after: '1h' })
    await all.first.secrets.post('secret/data/short', { data: { x: 1 } })
    await follow(all.first, all.second)
    const has = (cluster: Cluster) =>
      [...cluster.world.store.tables.values()]
        .filter(({ definition }) => definition.name === 'tokens')
        .some((table) => table.has(token))
    const alive = async ({ secrets }: Cluster) =>
      (await secrets.get('auth/token/lookup-self', { token })).status
    return { ...all, token, has, alive }
  }

  // choice/secrets#replication-pending-work
  test("the primary decides when a token ends, not the secondary's clock", async () => {
    const { first, second, has } = await withToken()
    second.world.advance(2 * hour)
    expect(has(second)).toBe(true)
    first.world.advance(hour)
    await waitForSync(first, second)
    expect([has(first), has(second)]).toEqual([false, false])
  })

  // choice/secrets#replication-pending-work
  test('after a promotion the cluster ends it itself, in time', async () => {
    const { second, has, alive } = await withToken()
    await promote(second)
    second.world.advance(hour - 1)
    expect(await alive(second)).toBe(200)
    second.world.advance(1)
    expect(await alive(second)).toBe(403)
    expect(has(second)).toBe(false)
    expect((await second.secrets.get('secret/data/short')).status).toBe(404)
  })

  // choice/secrets#replication-pending-work
  test('jobs that became due meanwhile run at once', async () => {
    const { second, has } = await withToken()
    second.world.advance(2 * hour)
    expect(has(second)).toBe(true)
    await promote(second)
    await second.secrets.get('sys/health')
    expect(has(second)).toBe(false)
  })

  test('jobs that the primary cancelled are cancelled here', async () => {
    const { first, second, token } = await withToken()
    await first.secrets.post('auth/token/revoke', { token })
    await waitForSync(first, second)
    await promote(second)
    expect([...second.world.agenda.all()].filter(({ id }) => id.includes(token))).toEqual([])
  })

  // choice/secrets#replication-pending-work
  test('a demoted cluster does nothing any more; disabling replication resumes', async () => {
    const { first, has } = await withToken()
    await first.secrets.post(`${dr}/primary/demote`)
    first.world.advance(2 * hour)
    expect(has(first)).toBe(true)
    await first.secrets.post(`${dr}/secondary/disable`)
    await first.secrets.get('sys/health')
    expect(has(first)).toBe(false)
  })
})

describe('behaviour/secrets#replication: option replicationPause', () => {
  const sealedReply = error(503, 'Service is sealed')

  // choice/secrets#replication-pause
  test('after each change the service is away for a while, save where a sealed one answers', async () => {
    const { first } = await twoClusters({ secrets: { replicationPause: '5s' } })
    for (const step of ['primary/enable', 'primary/demote', 'secondary/disable']) {
      expect((await first.secrets.post(`${dr}/${step}`)).status).toBe(200)
      expect(statusAndBody(await first.secrets.get(`${dr}/status`))).toEqual(sealedReply)
      expect(statusAndBody(await first.secrets.get('kv/x'))).toEqual(sealedReply)
      expect((await first.secrets.get('sys/seal-status')).body).toMatchObject({ sealed: false })
      first.world.advance(4_999)
      expect(statusAndBody(await first.secrets.get(`${dr}/status`))).toEqual(sealedReply)
      first.world.advance(1)
      expect((await first.secrets.get(`${dr}/status`)).status).toBe(200)
    }
  })

  test('a secondary syncs while it is away', async () => {
    const { first, second } = await twoClusters({ secrets: { replicationPause: '1m' } })
    await first.secrets.post(`${dr}/primary/enable`)
    first.world.advance(60_000)
    const token = await activationToken(first)
    await second.secrets.post(`${dr}/secondary/enable`, { token })
    expect(statusAndBody(await second.secrets.get(`${dr}/status`))).toEqual(sealedReply)
    second.world.advance(60_000)
    await waitForSync(first, second)
  })

  test('without the option there is no pause', async () => {
    const { first } = await twoClusters()
    await first.secrets.post(`${dr}/primary/enable`)
    expect((await first.secrets.get(`${dr}/status`)).status).toBe(200)
  })
})
