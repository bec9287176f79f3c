import { describe, expect, test } from 'vitest'
import {
  activationToken,
  type Cluster,
  dr,
  promote,
  twoClusters,
  updatePrimary,
  waitForConnection,
  waitForSync,
} from '../../../support/secrets/replication.ts'
import { error, multierrorReply, statusAndBody } from '../replies.ts'

const unwrapText =
  'error response unwrapping secondary token; status code is 400, message is "400 Bad Request"'
const refused = multierrorReply(400, unwrapText)
/**
 * The error without the multierror text, on a path without client token
 * (behaviour/secrets#notation).
 */
const refusedOpenly = error(400, unwrapText)

const enable = ({ secrets }: Cluster, token: string) =>
  secrets.post(`${dr}/secondary/enable`, { token })

async function publicKey({ secrets }: Cluster): Promise<{ secondary_public_key: string }> {
  return (await secrets.post(`${dr}/secondary/generate-public-key`)).body.data
}

describe('behaviour/secrets#api-replication: secondary_public_key', () => {
  test('the secondary joins with it, and the key outlives nothing else', async () => {
    const { first, second } = await twoClusters()
    await first.secrets.post('kv/a', { x: 1 })
    const token = await activationToken(first, 'east', await publicKey(second))
    expect((await enable(second, token)).status).toBe(200)
    await waitForSync(first, second)
    expect(await second.status()).toMatchObject({ secondary_id: 'east' })
    await promote(second)
    expect((await second.secrets.get('kv/a')).body.data).toEqual({ x: 1 })
  })

  test('tied to that key: another cluster cannot use it, with or without a key', async () => {
    const { first, second, addCluster: more } = await twoClusters()
    const token = await activationToken(first, 'east', await publicKey(second))
    const third = more('third')
    expect(statusAndBody(await enable(third, token))).toEqual(refused)
    await publicKey(third)
    expect(statusAndBody(await enable(third, token))).toEqual(refused)
    expect(statusAndBody(await first.secrets.post('sys/wrapping/unwrap', { token }))).toEqual(
      error(400, 'wrapping token is not valid or does not exist'),
    )
    expect((await enable(second, token)).status).toBe(200)
  })

  // choice/secrets#replication-public-key
  test('any key that the cluster generated works, not only the last', async () => {
    const { first, second } = await twoClusters()
    const keys = [await publicKey(second), await publicKey(second), await publicKey(second)]
    const token = await activationToken(first, 'east', keys[1])
    expect((await enable(second, token)).status).toBe(200)
  })

  test('single use', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first, 'east', await publicKey(second))
    const [one, other] = await Promise.all([enable(second, token), enable(second, token)])
    expect([one.status, other.status].sort()).toEqual([200, 400])
    await waitForSync(first, second)
    expect(statusAndBody(await updatePrimary(second, token))).toEqual(refusedOpenly)
  })

  test('a secondary may make a key for update-primary', async () => {
    const { first, second } = await twoClusters()
    await enable(second, await activationToken(first))
    await waitForSync(first, second)
    await first.secrets.post(`${dr}/primary/revoke-secondary`, { id: 'east' })
    await waitForConnection(second, 'transient_failure')
    const token = await activationToken(first, 'east', await publicKey(second))
    expect((await updatePrimary(second, token)).status).toBe(200)
    await waitForSync(first, second)
    expect(statusAndBody(await updatePrimary(second, token))).toEqual(refusedOpenly)
  })

  test.each([undefined, '60s'])('expires with a ttl of %s', async (ttl) => {
    const { first, second } = await twoClusters()
    const key = await publicKey(second)
    const token = await activationToken(first, 'east', { ...key, ...(ttl && { ttl }) })
    first.world.advance((ttl === undefined ? 1800 : 60) * 1000)
    expect(statusAndBody(await enable(second, token))).toEqual(refused)
    expect(await second.status()).toEqual({ mode: 'disabled' })
    expect((await first.status()).known_secondaries).toEqual([])
  })

  test('revoked before it is used', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first, 'east', await publicKey(second))
    await first.secrets.post(`${dr}/primary/revoke-secondary`, { id: 'east' })
    expect(statusAndBody(await enable(second, token))).toEqual(refused)
  })

  test('a changed, shortened or extended token is refused', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first, 'east', await publicKey(second))
    const bytes = Buffer.from(token, 'base64url')
    for (const at of [0, 31, 32, 43, 44, 59, 60, bytes.length - 1]) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] ?? 0) ^ 1
      expect(statusAndBody(await enable(second, changed.toString('base64url')))).toEqual(refused)
    }
    for (const length of [0, 1, 31, 60, 61, bytes.length - 1]) {
      const text = bytes.subarray(0, length).toString('base64url')
      const expected = length === 0 ? error(400, 'token must be specified') : refused
      expect(statusAndBody(await enable(second, text))).toEqual(expected)
    }
    const longer = Buffer.concat([bytes, Buffer.from('x')]).toString('base64url')
    expect(statusAndBody(await enable(second, longer))).toEqual(refused)
    expect((await enable(second, token)).status).toBe(200)
  })

  // choice/secrets#replication-public-key
  test('invalid public keys are refused', async () => {
    const { first } = await twoClusters()
    await first.secrets.post(`${dr}/primary/enable`)
    const key = Buffer.alloc(32, 9)
    const wrong = [
      'x',
      '!!!',
      key.subarray(1).toString('base64'),
      Buffer.alloc(33).toString('base64'),
      key.toString('hex'),
      `${key.toString('base64')}=`,
    ]
    for (const secondary_public_key of wrong) {
      const reply = await first.secrets.post(`${dr}/primary/secondary-token`, {
        id: 'east',
        secondary_public_key,
      })
      expect(statusAndBody(reply)).toEqual(
        error(400, 'secondary_public_key is not a base64 public key of 32 bytes'),
      )
    }
    // No failed call has used the id.
    expect((await first.secrets.post(`${dr}/primary/secondary-token`, { id: 'east' })).status).toBe(
      200,
    )
  })

  test.each([
    ['all zero', Buffer.alloc(32)],
    [
      'of order eight',
      Buffer.from('e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800', 'hex'),
    ],
  ])('a point of small order, %s, has no shared secret', async (_, point) => {
    const { first } = await twoClusters()
    await first.secrets.post(`${dr}/primary/enable`)
    const reply = await first.secrets.post(`${dr}/primary/secondary-token`, {
      id: 'east',
      secondary_public_key: point.toString('base64'),
    })
    expect(statusAndBody(reply)).toEqual(
      error(400, 'secondary_public_key is not a base64 public key of 32 bytes'),
    )
  })
})
