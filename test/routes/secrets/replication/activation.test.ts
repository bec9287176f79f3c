import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { wrappingKeys } from '../../../../state/secrets/wrapping/jwt.ts'
import {
  activationToken,
  type Cluster,
  dr,
  twoClusters,
  updatePrimary,
  waitForSync,
} from '../../../support/secrets/replication.ts'
import { testTime } from '../../../support/secrets/secrets.ts'
import { error, multierrorReply, ok, statusAndBody } from '../replies.ts'

const unwrapText =
  'error response unwrapping secondary token; status code is 400, message is "400 Bad Request"'
const refused = multierrorReply(400, unwrapText)
/**
 * The error without the multierror text, on a path without client token
 * (behaviour/secrets#notation).
 */
const refusedOpenly = error(400, unwrapText)

const enable = ({ secrets }: Cluster, token: string, more: object = {}) =>
  secrets.post(`${dr}/secondary/enable`, { token, ...more })
const issue = ({ secrets }: Cluster, fields: object) =>
  secrets.post(`${dr}/primary/secondary-token`, fields)

/** Expects that a refused cluster has not changed and that its primary does not know it. */
async function untouched(primary: Cluster, cluster: Cluster): Promise<void> {
  expect(await cluster.status()).toEqual({ mode: 'disabled' })
  expect((await cluster.secrets.get('sys/mounts')).status).toBe(200)
  const status = await primary.status()
  if (status.mode === 'primary') expect(status.known_secondaries).toEqual([])
}

const decode = (part: string | undefined) =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString())
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('behaviour/secrets#activation-tokens', () => {
  test('a JWT with these claims, signed with ES512 by the cluster', async () => {
    const { first } = await twoClusters()
    const token = await activationToken(first)
    const [head, body, signature] = token.split('.')
    expect(Object.entries(decode(head))).toEqual([
      ['alg', 'ES512'],
      ['typ', 'JWT'],
    ])
    const now = testTime / 1000
    expect(Object.entries(decode(body))).toEqual([
      ['accessor', ''],
      ['addr', 'http://localhost:80/_world/default'],
      ['exp', now + 1800],
      ['iat', now],
      ['jti', expect.stringMatching(/^s\.[0-9A-Za-z]{24}$/)],
      ['nbf', now - 5],
      ['type', 'wrapping'],
    ])
    const key = createPublicKey(first.world.table(wrappingKeys).get('key')?.private_key ?? '')
    const check = (text: string) =>
      verify(
        'sha512',
        Buffer.from(text),
        { key, dsaEncoding: 'ieee-p1363' },
        Buffer.from(signature ?? '', 'base64url'),
      )
    expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'secp521r1' })
    expect(check(`${head}.${body}`)).toBe(true)
    expect(check(`${head}.${body}x`)).toBe(false)
  })

  // choice/secrets#replication-activation-ttl
  test.each([
    ['90s', 90],
    ['1h', 3600],
    ['2', 2],
    [7, 7],
    ['0', 1800],
    ['', 1800],
  ])('a ttl of %j is %d seconds, in wrap_info and in the claims', async (ttl, seconds) => {
    const { first } = await twoClusters()
    await first.secrets.post(`${dr}/primary/enable`)
    const { body } = await issue(first, { id: 'east', ttl })
    expect(body.wrap_info.ttl).toBe(seconds)
    expect(decode(body.wrap_info.token.split('.')[1]).exp).toBe(testTime / 1000 + seconds)
  })

  test('sys/wrapping/lookup knows it; looking does not use it up', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    expect(statusAndBody(await first.secrets.post('sys/wrapping/lookup', { token }))).toEqual(
      ok({
        data: {
          creation_ttl: 1800,
          creation_time: '2026-01-01T00:00:00Z',
          creation_path: `${dr}/primary/secondary-token`,
        },
      }),
    )
    expect((await enable(second, token)).status).toBe(200)
  })

  test.each(['1800s', '5s'])('good until the last moment of its ttl of %s', async (ttl) => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first, 'east', { ttl })
    const length = Number.parseInt(ttl, 10) * 1000
    first.world.advance(length - 1)
    expect((await enable(second, token)).status).toBe(200)
  })

  test.each(['1800s', '5s'])('expires after its ttl of %s', async (ttl) => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first, 'east', { ttl })
    first.world.advance(Number.parseInt(ttl, 10) * 1000)
    expect(statusAndBody(await enable(second, token))).toEqual(refused)
    await untouched(first, second)
  })

  test('can be used once, by any cluster', async () => {
    const { first, second, addCluster: more } = await twoClusters()
    const third = more('third')
    const token = await activationToken(first)
    expect((await enable(second, token)).status).toBe(200)
    expect(statusAndBody(await enable(third, token))).toEqual(refused)
    expect(await third.status()).toEqual({ mode: 'disabled' })
    expect(statusAndBody(await updatePrimary(second, token))).toEqual(refusedOpenly)
    await waitForSync(first, second)
  })

  test('a token that was unwrapped is refused afterwards', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    expect((await first.secrets.post('sys/wrapping/unwrap', { token })).status).toBe(200)
    expect(statusAndBody(await enable(second, token))).toEqual(refused)
    await untouched(first, second)
  })

  test('a token with changed claims or another signature is refused', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    const [head, body, signature = ''] = token.split('.')
    const other = await activationToken(first, 'west')
    const forged = [
      [head, encode({ ...decode(body), exp: 2_000_000_000 }), signature],
      [head, encode({ ...decode(body), jti: 'root' }), signature],
      [head, other.split('.')[1], signature],
      [head, body, other.split('.')[2]],
      [head, body, signature.slice(0, -4)],
      [head, body, signature.startsWith('A') ? `B${signature.slice(1)}` : `A${signature.slice(1)}`],
      [encode({ alg: 'none' }), body, 'xxxx'],
    ]
    for (const parts of forged) {
      expect(statusAndBody(await enable(second, parts.join('.')))).toEqual(refused)
    }
    await untouched(first, second)
    expect((await enable(second, token)).status).toBe(200)
  })

  // choice/secrets#replication-refused-tickets
  test('a text that is not an activation token is refused', async () => {
    const { first, second } = await twoClusters()
    await activationToken(first)
    for (const token of ['x', 'root', 'a.b.c', '...', 'eyJ', ' ', 's.000000000000000000000000']) {
      expect(statusAndBody(await enable(second, token))).toEqual(refused)
    }
    await untouched(first, second)
  })

  test('a wrapping token that does not wrap an activation is refused with 502', async () => {
    const { first, second } = await twoClusters()
    await first.secrets.post('kv/a', { x: 1 })
    const headers = { 'x-secrets-wrap-ttl': '60', 'x-secrets-wrap-format': 'jwt' }
    const { body } = await first.secrets.get('kv/a', { headers })
    expect(statusAndBody(await enable(second, body.wrap_info.token))).toEqual(
      multierrorReply(502, 'error unwrapping secondary token: the primary sent no id'),
    )
    await untouched(first, second)
  })

  test('a cluster refuses an activation token that it issued itself', async () => {
    const { first } = await twoClusters()
    const token = await activationToken(first)
    await first.secrets.post(`${dr}/primary/disable`)
    expect(statusAndBody(await enable(first, token))).toEqual(refused)
    expect(await first.status()).toEqual({ mode: 'disabled' })
  })

  test('the vendor dialect answers 500 with the same text', async () => {
    const { first, second } = await twoClusters({ dialect: 'vendor' })
    const token = await activationToken(first)
    await enable(second, token)
    expect(statusAndBody(await updatePrimary(second, token))).toEqual(error(500, unwrapText))
    expect(statusAndBody(await updatePrimary(second, 'x'))).toEqual(error(500, unwrapText))
  })

  // choice/secrets#replication-refused-tickets
  test('a sealed primary refuses an activation token with 502', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    await first.secrets.post('sys/seal')
    expect(statusAndBody(await enable(second, token))).toEqual(
      multierrorReply(
        502,
        'error response unwrapping secondary token; status code is 503, message is "503 Service Unavailable"',
      ),
    )
    expect(await second.status()).toEqual({ mode: 'disabled' })
  })

  test('a primary that was disabled since, and one that was enabled again', async () => {
    const { first, second } = await twoClusters()
    const token = await activationToken(first)
    await first.secrets.post(`${dr}/primary/disable`)
    expect(statusAndBody(await enable(second, token))).toEqual(refused)
    await first.secrets.post(`${dr}/primary/enable`)
    expect(statusAndBody(await enable(second, token))).toEqual(refused)
    await untouched(first, second)
  })
})
