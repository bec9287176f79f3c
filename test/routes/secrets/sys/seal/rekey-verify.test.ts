import { describe, expect, test } from 'vitest'
import { unsealKeys } from '../../../../../state/secrets/seal/seal.ts'
import { error, noContent, statusAndBody } from '../../replies.ts'
import { hexShares, idle, opensService, rekeying, started, uuid } from './rekey-server.ts'

describe('behaviour/secrets#api-rekey: require_verification', () => {
  /** Starts a server whose rekey waits for verification, with old and new shares. */
  async function verifying() {
    const server = await rekeying()
    const old = unsealKeys(server.world).keys
    await server.start({ require_verification: true })
    const reply = (await server.handIn(server.thresholdKeys())).at(-1)
    return { ...server, old, reply, newShares: (reply?.body.keys ?? []) as string[] }
  }

  test('started, threshold reached: the new shares and a nonce, nothing switched', async () => {
    const server = await verifying()
    const { reply, status, old, world } = server
    expect([reply?.status, reply?.body]).toEqual([
      200,
      {
        nonce: uuid,
        complete: true,
        keys: hexShares(3),
        keys_base64: Array(3).fill(expect.any(String)),
        pgp_fingerprints: null,
        backup: false,
        verification_required: true,
        verification_nonce: uuid,
      },
    ])
    expect(await status()).toEqual({
      ...started,
      nonce: reply?.body.nonce,
      verification_required: true,
      verification_nonce: reply?.body.verification_nonce,
    })
    expect(unsealKeys(world).keys).toEqual(old)
    expect(await opensService(server, server.newShares)).toBe(false)
    expect(await opensService(server, old.slice(2))).toBe(true)
  })

  test('verification, new shares: progress, then complete and switched', async () => {
    const server = await verifying()
    const { secrets, handIn: submitShares, newShares: fresh, reply, world, old, status } = server
    const nonce = reply?.body.verification_nonce
    const statusBody = { nonce, started: true, t: 2, n: 3, progress: 0 }
    expect(statusAndBody(await secrets.get('sys/rekey/verify'))).toEqual({
      status: 200,
      body: statusBody,
    })
    const [first, second] = await submitShares(fresh.slice(1), 'verify')
    expect(first && statusAndBody(first)).toEqual({
      status: 200,
      body: { ...statusBody, progress: 1 },
    })
    expect(second && statusAndBody(second)).toEqual({
      status: 200,
      body: { nonce, complete: true },
    })
    expect(unsealKeys(world)).toEqual({ keys: fresh, threshold: 2 })
    expect(await status()).toEqual({ ...idle, required: 2 })
    expect(statusAndBody(await secrets.get('sys/rekey/verify'))).toEqual(
      error(400, 'no rekey configuration found'),
    )
    expect(await opensService(server, old)).toBe(false)
    expect(await opensService(server, fresh.slice(0, 2))).toBe(true)
  })

  test('DELETE sys/rekey/verify: another nonce, progress 0, the attempt stays', async () => {
    const { secrets, handIn: submitShares, newShares: fresh, reply, status } = await verifying()
    const nonce = reply?.body.verification_nonce
    await submitShares(fresh.slice(0, 1), 'verify')
    const reset = await secrets.delete('sys/rekey/verify')
    expect(statusAndBody(reset)).toEqual({
      status: 200,
      body: { nonce: uuid, started: true, t: 2, n: 3, progress: 0 },
    })
    expect(reset.body.nonce).not.toBe(nonce)
    expect((await status()).nonce).toBe(reply?.body.nonce)
    const late = await secrets.post('sys/rekey/verify', { key: fresh[1], nonce })
    expect(statusAndBody(late)).toEqual(
      error(
        400,
        `incorrect nonce supplied; nonce for this verify operation is "${reset.body.nonce}"`,
      ),
    )
    expect((await submitShares(fresh.slice(0, 2), 'verify')).at(-1)?.body.complete).toBe(true)
  })

  test('DELETE sys/rekey/init: the present shares stay valid', async () => {
    const server = await verifying()
    const { secrets, status, old, newShares: fresh } = server
    expect(statusAndBody(await secrets.delete('sys/rekey/init'))).toEqual(noContent)
    expect(await status()).toEqual(idle)
    expect(
      statusAndBody(await secrets.post('sys/rekey/verify', { key: fresh[0], nonce: '' })),
    ).toEqual(error(400, 'no rekey in progress'))
    expect(await opensService(server, old.slice(0, 3))).toBe(true)
  })

  test('wrong shares, and one that was handed in before', async () => {
    const { secrets, handIn: submitShares, newShares: fresh, old, reply } = await verifying()
    const [, again] = await submitShares([fresh[0] ?? '', fresh[0] ?? ''], 'verify')
    expect(again && statusAndBody(again)).toEqual(
      error(400, 'given key has already been provided during this verify operation'),
    )
    const [wrong] = await submitShares([old[0] ?? ''], 'verify')
    expect(wrong && statusAndBody(wrong)).toEqual(
      error(400, 'rekey verification failed; incorrect key shares supplied'),
    )
    const { body } = await secrets.get('sys/rekey/verify')
    expect(body).toEqual({ nonce: uuid, started: true, t: 2, n: 3, progress: 0 })
    expect(body.nonce).not.toBe(reply?.body.verification_nonce)
  })

  // choice/secrets#verification-not-begun
  test('before it has begun, and without an attempt', async () => {
    const { secrets, start } = await rekeying()
    for (const method of ['GET', 'DELETE']) {
      expect(statusAndBody(await secrets.request({ method, path: 'sys/rekey/verify' }))).toEqual(
        error(400, 'no rekey configuration found'),
      )
    }
    await start({ require_verification: true })
    const waiting = { nonce: '', started: false, t: 2, n: 3, progress: 0 }
    for (const method of ['GET', 'DELETE']) {
      const reply = await secrets.request({ method, path: 'sys/rekey/verify' })
      expect(statusAndBody(reply)).toEqual({ status: 200, body: waiting })
    }
    expect(
      statusAndBody(await secrets.post('sys/rekey/verify', { key: 'ab'.repeat(33), nonce: '' })),
    ).toEqual(error(400, 'no rekey verification in progress'))
  })
})
