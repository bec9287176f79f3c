import { describe, expect, test } from 'vitest'
import {
  activationToken,
  type Cluster,
  dr,
  twoClusters,
  waitForConnection,
  waitForSync,
} from '../../../support/secrets/replication.ts'
import { error, multierrorReply, noContent, statusAndBody } from '../replies.ts'

const refused = multierrorReply(
  400,
  'error response unwrapping secondary token; status code is 400, message is "400 Bad Request"',
)
const enable = ({ secrets }: Cluster, token: string) =>
  secrets.post(`${dr}/secondary/enable`, { token })
const issue = ({ secrets }: Cluster, fields: object) =>
  secrets.post(`${dr}/primary/secondary-token`, fields)

describe('behaviour/secrets#replication: ids of secondaries', () => {
  const taken = error(400, 'secondary with id "east" already exists')

  test('an outstanding one is taken, until it expires or is revoked', async () => {
    const { first } = await twoClusters()
    await activationToken(first, 'east', { ttl: '60s' })
    expect(statusAndBody(await issue(first, { id: 'east' }))).toEqual(taken)
    first.world.advance(60_000)
    expect((await issue(first, { id: 'east' })).status).toBe(200)
    expect(statusAndBody(await issue(first, { id: 'east' }))).toEqual(taken)
    const revoked = await first.secrets.post(`${dr}/primary/revoke-secondary`, { id: 'east' })
    expect(statusAndBody(revoked)).toEqual(noContent)
    expect((await issue(first, { id: 'east' })).status).toBe(200)
    expect((await first.status()).known_secondaries).toEqual([])
  })

  test('a known one is taken, long after its token would have expired, until revoked', async () => {
    const { first, second } = await twoClusters()
    await enable(second, await activationToken(first))
    first.world.advance(86_400_000)
    expect(statusAndBody(await issue(first, { id: 'east' }))).toEqual(taken)
    expect((await first.status()).known_secondaries).toEqual(['east'])
    await first.secrets.post(`${dr}/primary/revoke-secondary`, { id: 'east' })
    expect((await issue(first, { id: 'east' })).status).toBe(200)
    await waitForConnection(second, 'transient_failure')
  })

  test('known_secondaries are sorted', async () => {
    const { first, second, addCluster: more } = await twoClusters()
    const ids = ['west', 'a/b c', 'primary', '__proto__']
    const others = [second, ...['3', '4', '5'].map((id) => more(id))]
    for (const [at, other] of others.entries()) {
      await enable(other, await activationToken(first, ids[at]))
      await waitForSync(first, other)
      expect((await other.status()).secondary_id).toBe(ids[at])
    }
    expect((await first.status()).known_secondaries).toEqual([...ids].sort())
  })

  test('revoking an outstanding id ends its token', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    await first.secrets.post(`${dr}/primary/revoke-secondary`, { id: 'east' })
    expect(statusAndBody(await enable(second, token))).toEqual(refused)
    expect(await second.status()).toEqual({ mode: 'disabled' })
  })

  test('an expired one cannot be revoked', async () => {
    const { first } = await twoClusters()
    await activationToken(first, 'east', { ttl: '60s' })
    first.world.advance(60_000)
    const reply = await first.secrets.post(`${dr}/primary/revoke-secondary`, { id: 'east' })
    expect(statusAndBody(reply)).toEqual(error(400, 'secondary with id "east" not found'))
  })
})

describe('two callers at once', () => {
  test('of two callers with the same token one joins, and the other is refused', async () => {
    const { first, second, addCluster: more } = await twoClusters()
    const third = more('third')
    const token = await activationToken(first)
    const replies = await Promise.all([enable(second, token), enable(third, token)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
    const [winner, loser] = replies[0]?.status === 200 ? [second, third] : [third, second]
    expect(await loser.status()).toEqual({ mode: 'disabled' })
    await waitForSync(first, winner)
  })

  test('of two simultaneous requests with one token only one succeeds', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    const replies = await Promise.all([enable(second, token), enable(second, token)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
    await waitForSync(first, second)
  })

  test('of two simultaneous requests with different tokens only one succeeds', async () => {
    const { first, second } = await twoClusters()
    const tokens = [await activationToken(first, 'a'), await activationToken(first, 'b')]
    const replies = await Promise.all(tokens.map((token) => enable(second, token)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 400])
    await waitForSync(first, second)
  })

  test('enabling as a primary wins over joining that is under way', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    const [joined, became] = await Promise.all([
      enable(second, token),
      second.secrets.post(`${dr}/primary/enable`),
    ])
    const statuses = [joined.status, became.status]
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect((await second.status()).mode).toBe(became.status === 200 ? 'primary' : 'secondary')
  })
})
